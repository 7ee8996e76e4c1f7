import { beforeAll, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Answer } from '../harness/http.ts'
import { heavy } from './heavy-sql.ts'
import { listsOf } from './lists.ts'

const app = await startApp()
const lists = listsOf(app)

const send = (sql: string): Promise<Answer> =>
  lists.post('person', { title: 'Hostile', type: 'dynamic', query: { sql } })

// The parser is loaded on first use.
beforeAll(async () => expect((await send('SELECT * FROM person')).status).toBe(201))

const where = (condition: string): string => `SELECT * FROM person WHERE ${condition}`

const hostile: readonly (readonly [what: string, sql: string, token?: string])[] = [
  ['another setting', "SELECT set_config('search_path', 'x', false) FROM person", 'set_config'],
  ['a setting in a condition', where("set_config('role', 'postgres', false) = 'x'"), 'set_config'],
  ['a setting read', where("name = current_setting('data_directory')"), 'current_setting'],
  ['sleep', where('pg_sleep(10) IS NULL'), 'pg_sleep'],
  ['sleep in the order', 'SELECT * FROM person ORDER BY pg_sleep(10)', 'pg_sleep'],
  ['a file', "SELECT pg_read_file('/etc/passwd') FROM person", 'pg_read_file'],
  ['a large object', "SELECT lo_import('/etc/passwd') FROM person", 'lo_import'],
  ['another database', "SELECT dblink('host=x', 'select 1') FROM person", 'dblink'],
  ['a function under a schema', where("pg_catalog.upper(name) = 'X'"), 'pg_catalog'],
  ['a function beside UPPER', where('length(name) = 1'), 'length'],
  ['a window function', 'SELECT row_number() OVER (ORDER BY name) FROM person', 'row_number'],
  ['a window', 'SELECT name FROM person WINDOW w AS (PARTITION BY name)'],
  ['an aggregate', 'SELECT count(*) FROM person', 'count'],
  ['a filter of an aggregate', where("upper(name) FILTER (WHERE true) = 'X'")],
  ['DISTINCT inside UPPER', where("upper(DISTINCT name) = 'X'")],
  ['two arguments of UPPER', where("upper(name, 'x') = 'X'"), 'upper'],
  ['a table expression', 'WITH x AS (SELECT 1) SELECT * FROM person', 'x'],
  ['a recursive table expression', 'WITH RECURSIVE x AS (SELECT 1 UNION ALL SELECT 1 FROM x) SELECT * FROM person'],
  ['a table expression that deletes', 'WITH x AS (DELETE FROM person RETURNING *) SELECT * FROM x'],
  ['a cast', where("name::text = 'x'"), 'name'],
  ['a cast of a constant', where("name = 'x'::text"), "'x'"],
  ['CAST', where("CAST(name AS text) = 'x'")],
  ['a typed constant', where("_created_at > DATE '2020-01-01'")],
  ['an interval', where("_created_at > now() - interval '1 day'")],
  ['the current time', where('_created_at > CURRENT_TIMESTAMP')],
  ['the current user', where('name = current_user')],
  ['another table', 'SELECT * FROM api_key', 'api_key'],
  ['another object', 'SELECT * FROM company', 'company'],
  ['the table of records', 'SELECT * FROM record'],
  ['a catalogue', 'SELECT * FROM pg_catalog.pg_user', 'pg_catalog'],
  ['a catalogue by its name', 'SELECT * FROM pg_shadow', 'pg_shadow'],
  ['the schema of information', 'SELECT * FROM information_schema.tables', 'information_schema'],
  ['an object under a schema', 'SELECT * FROM public.person', 'public'],
  ['an object under a database', 'SELECT * FROM postgres.public.person'],
  ['a table of SQLite', 'SELECT * FROM sqlite_schema', 'sqlite_schema'],
  ['a subquery', where('_id IN (SELECT record_id FROM access_grant)'), '_id'],
  ['a subquery in the select list', 'SELECT (SELECT secret FROM api_key LIMIT 1) FROM person'],
  ['a subquery as a table', 'SELECT * FROM (SELECT * FROM person) AS person'],
  ['EXISTS', where('EXISTS (SELECT 1)')],
  ['ANY of a subquery', where('name = ANY (SELECT name FROM company)'), 'name'],
  ['ANY of an array', where("name = ANY (ARRAY['x'])"), 'name'],
  ['ALL', where("name <> ALL (ARRAY['x'])"), 'name'],
  ['a lateral subquery', 'SELECT * FROM person, LATERAL (SELECT 1) x'],
  ['a function as a table', 'SELECT * FROM generate_series(1, 1000000000)'],
  ['a sample', 'SELECT * FROM person TABLESAMPLE SYSTEM (10)'],
  ['values', 'VALUES (1)'],
  ['UNION', 'SELECT * FROM person UNION SELECT * FROM person'],
  ['UNION ALL', 'SELECT * FROM person UNION ALL SELECT * FROM person'],
  ['INTERSECT', 'SELECT * FROM person INTERSECT SELECT * FROM person'],
  ['EXCEPT', 'SELECT * FROM person EXCEPT SELECT * FROM person'],
  ['a union in brackets', '(SELECT * FROM person) UNION (SELECT * FROM person LIMIT 1)'],
  ['COPY', "COPY person TO PROGRAM 'id'", 'COPY'],
  ['COPY of a query', "COPY (SELECT * FROM person) TO '/tmp/x'", 'COPY'],
  ['DO', "DO 'BEGIN END'", 'DO'],
  ['CALL', 'CALL x()', 'CALL'],
  ['PREPARE', 'PREPARE x AS SELECT 1', 'PREPARE'],
  ['EXECUTE', 'EXECUTE x', 'EXECUTE'],
  ['LISTEN', 'LISTEN x', 'LISTEN'],
  ['EXPLAIN', 'EXPLAIN ANALYZE SELECT * FROM person', 'EXPLAIN'],
  ['SET', 'SET ROLE postgres', 'SET'],
  ['BEGIN', 'BEGIN', 'BEGIN'],
  ['INSERT', 'INSERT INTO person VALUES (1)', 'INSERT'],
  ['UPDATE', "UPDATE person SET name = 'x'", 'UPDATE'],
  ['DELETE', 'DELETE FROM person', 'DELETE'],
  ['MERGE', 'MERGE INTO person USING company ON true WHEN MATCHED THEN DELETE', 'MERGE'],
  ['DROP', 'DROP TABLE person', 'DROP'],
  ['CREATE', 'CREATE TABLE x AS SELECT * FROM person', 'CREATE'],
  ['GRANT', 'GRANT ALL ON person TO public', 'GRANT'],
  ['TRUNCATE', 'TRUNCATE person', 'TRUNCATE'],
  ['VACUUM', 'VACUUM', 'VACUUM'],
  ['SELECT INTO', 'SELECT * INTO x FROM person', 'x'],
  ['FOR UPDATE', 'SELECT * FROM person FOR UPDATE'],
  ['two statements', 'SELECT * FROM person; DROP TABLE person', ';'],
  ['two statements without a space', 'SELECT * FROM person;SELECT 1', ';'],
  ['a statement behind a comment', 'SELECT * FROM person; /* x */ DROP TABLE person', ';'],
  ['a comment that never ends', 'SELECT * FROM person /* x', '/*'],
  ['a comment in a comment that never ends', 'SELECT * FROM person /* /* x */', '/*'],
  ['text between dollars', where('name = $$x$$'), '$$x$$'],
  ['text between dollars with a name', where('name = $a$x$a$'), '$a$x$a$'],
  ['a parameter', where('name = $1'), '$1'],
  ['a text with escapes', where("name = E'\\x27 OR 1=1'"), 'E'],
  ['a text with Unicode escapes', where("name = U&'\\0027'"), 'U'],
  ['a name with Unicode escapes', 'SELECT * FROM U&"\\0070erson"'],
  ['a bit string', where("name = B'1'"), 'B'],
  ['a hexadecimal string', where("name = X'1F'"), 'X'],
  ['a national string', where("name = N'x'"), 'N'],
  ['a text that never ends', where("name = 'x"), "'"],
  ['a name that never ends', 'SELECT * FROM "person'],
  ['an empty name', 'SELECT * FROM ""'],
  ['nothing', ' '],
  ['a comment alone', '-- nothing'],
  ['a semicolon alone', ';'],
  ['no list of columns', 'SELECT FROM person'],
  ['no table', 'SELECT 1'],
  ['DISTINCT', 'SELECT DISTINCT name FROM person', 'name'],
  ['DISTINCT ON', 'SELECT DISTINCT ON (name) name FROM person', 'name'],
  ['GROUP BY', 'SELECT name FROM person GROUP BY name', 'name'],
  ['HAVING', "SELECT name FROM person HAVING name = 'x'", 'name'],
  ['OFFSET', 'SELECT * FROM person OFFSET 10', '10'],
  ['FETCH WITH TIES', 'SELECT * FROM person ORDER BY name FETCH FIRST 10 ROWS WITH TIES', '10'],
  ['LIMIT ALL', 'SELECT * FROM person LIMIT ALL'],
  ['LIMIT 0', 'SELECT * FROM person LIMIT 0'],
  ['LIMIT of a sum', 'SELECT * FROM person LIMIT 1+1'],
  ['LIMIT below zero', 'SELECT * FROM person LIMIT -1'],
  ['LIMIT beyond measure', 'SELECT * FROM person LIMIT 99999999999999'],
  ['NULLS FIRST', 'SELECT * FROM person ORDER BY name NULLS FIRST', 'name'],
  ['ORDER BY USING', 'SELECT * FROM person ORDER BY name USING <', 'name'],
  ['ORDER BY a position', 'SELECT * FROM person ORDER BY 1', '1'],
  ['ORDER BY a joined column', 'SELECT * FROM person p JOIN company c ON p.company_id = c._id ORDER BY c.name', 'c'],
  ['ORDER BY with a collation', 'SELECT * FROM person ORDER BY name COLLATE "C"'],
  ['a collation', where(`name COLLATE "C" = 'x'`)],
  ['ONLY', 'SELECT * FROM ONLY person', 'person'],
  ['names for columns of a table', 'SELECT * FROM person AS p (a, b)'],
  ['a comma join', 'SELECT * FROM person, company', 'company'],
  ['a cross join', 'SELECT * FROM person CROSS JOIN company', 'company'],
  ['a natural join', 'SELECT * FROM person NATURAL JOIN company', 'person'],
  ['USING', 'SELECT * FROM person JOIN company USING (name)', 'person'],
  ['a right join', 'SELECT * FROM person RIGHT JOIN company ON person.company_id = company._id', 'company'],
  ['a full join', 'SELECT * FROM person FULL JOIN company ON person.company_id = company._id', 'company'],
  ['a join along nothing', 'SELECT * FROM person JOIN company ON true'],
  [
    'a join along a condition',
    "SELECT * FROM person JOIN company ON person.company_id = company._id AND company.name = 'x'",
    'person',
  ],
  ['a join along another column', 'SELECT * FROM person JOIN company ON person.name = company.name'],
  ['a join along a relationship to something else', 'SELECT * FROM person JOIN deal ON person.company_id = deal._id'],
  ['a join under one name', 'SELECT * FROM person JOIN person ON person.company_id = person._id', 'person'],
  [
    'conditions of two tables of many in one OR',
    "SELECT * FROM person p JOIN deal d ON p.deals = d._id WHERE d.name = 'x' OR p.name = 'y'",
  ],
  ['arithmetic', where('_created_at + 1 > 2')],
  ['concatenation', where("name || 'x' = 'y'")],
  ['a sign of its own', where("name OPERATOR(pg_catalog.=) 'x'"), 'OPERATOR'],
  ['a regular expression', where("name ~ '(a+)+$'"), '~'],
  ['SIMILAR TO', where("name SIMILAR TO '(a+)+'"), 'name'],
  ['full text', where("name @@ 'x'"), '@@'],
  ['LIKE of a time', where("_created_at LIKE '2026%'"), "'2026%'"],
  ['LIKE of an id', where("_id LIKE '0%1'"), "'0%1'"],
  ['UPPER of a time', where("UPPER(_created_at) = '2026-01-01'"), 'UPPER'],
  ['LIKE with ESCAPE', where("name LIKE 'a' ESCAPE '!'")],
  ['LIKE that ends in its escape', where("name LIKE 'a\\'")],
  ['LIKE of a number', where('name LIKE 1'), '1'],
  ['BETWEEN SYMMETRIC', 'SELECT * FROM deal WHERE amount BETWEEN SYMMETRIC 1 AND 2'],
  ['IS TRUE', where('(name IS NULL) IS TRUE')],
  ['IS DISTINCT FROM', where("name IS DISTINCT FROM 'x'"), 'name'],
  ['a row', where("(name, job_title) = ('x', 'y')")],
  ['IS NULL of a row', where('ROW(name) IS NULL')],
  ['IN of columns', where('name IN (job_title)'), 'job_title'],
  ['IN of nothing', where('name IN ()')],
  ['CASE', where("CASE WHEN true THEN name END = 'x'")],
  ['COALESCE', where("COALESCE(name, 'x') = 'x'")],
  ['NULLIF', where("NULLIF(name, 'x') = 'x'"), 'NULLIF'],
  ['GREATEST', where("GREATEST(name, 'x') = 'x'")],
  ['a constant alone', where('true'), 'true'],
  ['a column alone', where('name'), 'name'],
  ['two constants', where('1 = 1'), '1'],
  ['two columns', where('name = job_title'), 'job_title'],
  ['NULL by a sign', where('name = NULL'), 'NULL'],
  ['an array by a position', where("email_addresses[1] = 'x'")],
  ['a path into JSON', where("email_addresses->>'items' = 'x'")],
  ['?| of something else', where("(email_addresses->'x') ?| ARRAY['a']")],
  ['?| of what has no items', where("(name->'items') ?| ARRAY['a']"), "'a'"],
  ['?|  of no array', where("(email_addresses->'items') ?| 'a'"), "'a'"],
  ['? alone', where("(email_addresses->'items') ? 'a'"), '?'],
  ['a collection by =', where("email_addresses = 'x'"), "'x'"],
  ['a column that is not there', where("nmae = 'x'"), 'nmae'],
  ['a column of storage', where("data = 'x'"), 'data'],
  ['a column of the workspace', where("workspace_id = 'x'"), 'workspace_id'],
  ['a table that is not there', where("x.name = 'x'"), 'x'],
  ['a column under a schema', where("public.person.name = 'x'"), 'public'],
  ['a whole row', where("person = 'x'"), 'person'],
  ['__proto__', where("__proto__ = 'x'"), '__proto__'],
  ['constructor', 'SELECT * FROM constructor', 'constructor'],
  ['a column in the select list that is not there', 'SELECT secret FROM person', 'secret'],
  ['a constant in the select list', "SELECT 'x' FROM person", "'x'"],
  [
    'a record in the select list that is not there',
    'SELECT "person$boss:__object__" FROM person',
    '"person$boss:__object__"',
  ],
  ['a related list as a column', where("deals = 'x'"), 'deals'],
  ['a text as a date', where("_created_at > 'yesterday'"), "'yesterday'"],
  ['a number as a text', where('name = 1'), '1'],
  ['a psql command', '\\! id', '\\!'],
  ['XML', "SELECT xmlparse(document '<!DOCTYPE x>') FROM person"],
  ['JSON_TABLE', "SELECT * FROM JSON_TABLE('[]', '$[*]' COLUMNS (x int))"],
]

test.for(hostile)('%s is refused, with what it is and where', async ([, sql, token]) => {
  await app.events()
  const { status, body } = await send(sql)
  expect([status, body.errors[0].code, body.errors[0].source], JSON.stringify(body)).toEqual([
    422,
    'unsupported_sql',
    { pointer: '/query/sql' },
  ])
  if (token !== undefined) expect(body.errors[0].meta.token, body.errors[0].detail).toBe(token)
  expect(await app.events()).toEqual([])
})

test.for(heavy)('%s: is refused', async ([, sql]) => {
  const { status, body } = await send(sql)
  expect([status, body.errors[0].code], JSON.stringify(body).slice(0, 500)).toEqual([422, 'unsupported_sql'])
})

test('a text with a null byte or half a character is no text', async () => {
  for (const sql of [where("name = 'x\0'"), where("name = '\ud800'"), 'SELECT * FROM person\0; DROP TABLE person']) {
    const { status, body } = await send(sql)
    expect([status, body.errors[0].code, body.errors[0].source]).toEqual([
      422,
      'invalid_body',
      { pointer: '/query/sql' },
    ])
  }
})

test('comments alone are harmless, and so are texts that look like SQL', async () => {
  for (const sql of [
    `${where("name = 'x''; DROP TABLE person --'")} -- ; DROP TABLE person`,
    `/* a /* b */ */ ${where(`name = '/*' AND "job_title" = '$$'`)}`,
  ])
    expect((await send(sql)).status, sql).toBe(201)
})

test('what may be long is: a thousand values', async () => {
  const sql = `SELECT * FROM deal WHERE amount IN (${Array.from({ length: 1000 }, (_, index) => index + 1).join(',')})`
  expect((await lists.post('deal', { title: 'Long', type: 'dynamic', query: { sql } })).status).toBe(201)
})
