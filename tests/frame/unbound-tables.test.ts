import { beforeAll, describe, expect, test } from 'vitest'
import { loadModule, parseSync } from 'libpg-query'
import { unboundTables } from '../harness/unbound-tables.ts'

beforeAll(() => loadModule())

const tables = new Set(['record', 'link', 'access_grant', 'job'])

const unbound = (sql: string): string[] => {
  const { stmts } = parseSync(sql) as { stmts: { stmt: Record<string, unknown> }[] }
  return unboundTables(stmts[0]!.stmt, tables)
}

const bound: Record<string, string> = {
  'a parameter': 'select * from record where workspace_id = $1 and id = $2',
  'a parameter with a type': 'select * from record as r where $1::uuid = r.workspace_id',
  'a constant': `select * from record where workspace_id = '01900000-0000-7000-8000-00000000000a'`,
  'a row of values': 'select * from record as r where (r.workspace_id, r.id) = ($1, $2)',
  'no table of workspaces':
    'select * from app_user as u where exists (select 1 from session as s where s.user_id = u.id)',
  'no table': 'select pg_try_advisory_xact_lock($1)',
  'a join with a bound table':
    'select * from link as l join record as r on r.workspace_id = l.workspace_id and r.id = l.to_id where ' +
    'l.workspace_id = $1',
  'a chain of joins':
    'select * from link as l, record as r, access_grant as g where g.workspace_id = r.workspace_id and ' +
    'r.workspace_id = l.workspace_id and l.workspace_id = $1',
  'a join with USING': 'select * from link as l join record as r using (workspace_id) where r.workspace_id = $1',
  'a join with the key of its workspace':
    'select * from workspace as w join record as r on r.workspace_id = w.id where w.id = $1',
  'the missing side of a left join, by its condition':
    'select * from record as r left join link as l on l.workspace_id = r.workspace_id where r.workspace_id = $1',
  'the missing side of a right join':
    'select * from link as l right join record as r on l.workspace_id = $1 where r.workspace_id = $1',
  'both levels of a subquery':
    'select * from record as r where r.workspace_id = $1 and exists (select 1 from link as l where ' +
    'l.workspace_id = $1 and l.to_id = r.id)',
  'a lateral lookup that says its workspace':
    'select * from link as l cross join lateral (select x.* from record as x where x.workspace_id = $1 and ' +
    'x.id = l.to_id offset 0) as r where l.workspace_id = $1',
  'a table joined with a bound query':
    'select * from record as r join (select l.workspace_id, l.to_id from link as l where l.workspace_id = ' +
    '$1) as s on r.workspace_id = s.workspace_id',
  'a query with renamed columns':
    'select * from record as r join (select l.workspace_id from link as l where l.workspace_id = $1) as s ' +
    '(w) on r.workspace_id = s.w',
  'every side of a union':
    'select id from record where workspace_id = $1 union all select to_id from link where workspace_id = $1',
  'a CTE that is bound':
    'with l as (select * from link where workspace_id = $1) select * from record as r join l on ' +
    'l.workspace_id = r.workspace_id',
  'a CTE that hides a table of its name': 'with record as (select 1 as id) select * from record',
  'what a CTE has deleted':
    'with gone as (delete from link where workspace_id = $1 returning *) insert into job (workspace_id, id) ' +
    'select workspace_id, to_id from gone',
  'a recursive CTE':
    'with recursive up (workspace_id, id) as (select workspace_id, id from record where workspace_id = $1 ' +
    'union all select l.workspace_id, l.from_id from link as l join up on up.workspace_id = l.workspace_id) ' +
    'select * from record as r join up on r.workspace_id = up.workspace_id',
  'an insert of values': 'insert into record (workspace_id, id) values ($1, $2) on conflict do nothing returning id',
  'an insert of rows of one workspace': 'insert into record (id, workspace_id) values ($1, $3), ($2, $3)',
  'an insert of arrays':
    'insert into record (workspace_id, id) select * from (select $2::uuid as workspace_id, id from ' +
    'unnest($1::uuid[]) as raw(id)) as given',
  'an update': 'update record set version = 1 where workspace_id = $1',
  'an update from arrays':
    'update record set version = given.version from (select $2::uuid as workspace_id, version from ' +
    'unnest($1::int[]) as raw(version)) as given where record.workspace_id = given.workspace_id',
  'a delete': 'delete from record as r where r.workspace_id = $1 returning r.id',
  'a delete with USING':
    'delete from link using record as r where link.workspace_id = $1 and r.workspace_id = link.workspace_id',
}

const free: Record<string, [sql: string, tables: string[]]> = {
  'no condition': ['select * from record', ['record']],
  'another condition': ['select * from record as r where r.id = $1', ['record as r']],
  'several workspaces': ['select * from record where workspace_id = any($1)', ['record']],
  'one of two conditions': ['select * from record where workspace_id = $1 or id = $2', ['record']],
  'not the workspace': ['select * from record where not (workspace_id = $1)', ['record']],
  'a column of the outer query': [
    'select * from record as r where r.workspace_id = $1 and exists (select 1 from link as l where ' +
      'l.workspace_id = r.workspace_id)',
    ['link as l'],
  ],
  'a value from the outer query': [
    'select (select count(*) from link as l where l.workspace_id = r.workspace_id) from record as r where ' +
      'r.workspace_id = $1',
    ['link as l'],
  ],
  'a lateral column': [
    'select * from link as l cross join lateral (select * from record as x where x.workspace_id = ' +
      'l.workspace_id) as r where l.workspace_id = $1',
    ['record as x'],
  ],
  'a workspace that a query finds': [
    'select * from record where workspace_id = (select id from workspace where slug = $1)',
    ['record'],
  ],
  'a workspace known by its slug': [
    'select * from workspace as w join record as r on r.workspace_id = w.id where w.slug = $1',
    ['record as r'],
  ],
  'a join with nothing bound': [
    'select * from link as l join record as r on r.workspace_id = l.workspace_id',
    ['link as l', 'record as r'],
  ],
  'the kept side of a left join': [
    'select * from record as r left join link as l on l.workspace_id = $1 and l.workspace_id = r.workspace_id',
    ['record as r'],
  ],
  'one side of a union': [
    'select id from record where workspace_id = $1 union select to_id from link as l where l.from_id = $2',
    ['link as l'],
  ],
  'a CTE': ['with l as (select * from link) select * from record where workspace_id = $1', ['link']],
  'a join with an unbound query': [
    'select * from record as r join (select unnest($1::uuid[]) as workspace_id) as given on r.workspace_id = ' +
      'given.workspace_id',
    ['record as r'],
  ],
  'an insert of arrays': [
    'insert into record (workspace_id, id) select * from (select workspace_id, id from unnest($1::uuid[], ' +
      '$2::uuid[]) as raw(workspace_id, id)) as given',
    ['record'],
  ],
  'an insert of rows of two workspaces': [
    'insert into record (workspace_id, id) values ($1, $2), ($3, $4)',
    ['record'],
  ],
  'an insert of what was selected': [
    'insert into record (id, workspace_id) select l.to_id, l.workspace_id from link as l',
    ['link as l', 'record'],
  ],
  'an update': ['update record as r set version = 1 where r.id = $1', ['record as r']],
  'an update from another table': [
    'update record as r set version = 1 from link as l where l.workspace_id = $1 and r.id = l.to_id',
    ['record as r'],
  ],
  'a delete by a subquery': [
    'delete from link as l where l.workspace_id = $1 and l.to_id in (select r.id from record as r)',
    ['record as r'],
  ],
  'a delete with USING': [
    'delete from link using (select unnest($1::uuid[]) as workspace_id) as given where link.workspace_id = ' +
      'given.workspace_id',
    ['link'],
  ],
}

describe('a table of a workspace', () => {
  test.each(Object.entries(bound))('is bound by %s', (_, sql) => expect(unbound(sql)).toEqual([]))
  test.each(Object.entries(free))('is not bound by %s', (_, [sql, names]) =>
    expect(unbound(sql).toSorted()).toEqual(names),
  )
})
