/**
 * The cost of a change in SQL alone: the statements of an update as the server sends them, without what a candidate
 * would save, by pgbench (docs/decisions/0366). CPU time of all processes of Postgres for a transaction, beside the
 * update of one row of a plain table. `node bench/src/write-cost.ts [seconds] [rounds]`; pgbench has to be installed.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openAdmin, readConfig } from '@kontor/server/admin'
import { openDatabases } from './databases.ts'
import { databaseCpu } from './plain/database.ts'
import { createWorkspace } from './plain/seed.ts'
import { workspace } from './seed.ts'

const [seconds, rounds] = [Number(process.argv[2] ?? 5), Number(process.argv[3] ?? 2)]
const people = 2000
const clients = 4

const databases = await openDatabases('postgres', undefined)
const url = await databases.create('write_cost')

/** JSON without what pgbench would take for its variables: a colon before a letter or a digit. */
const json = (value: unknown): string => JSON.stringify(value).replaceAll('":', '": ')

const document = json({
  name: { first_name: 'Ada', last_name: 'Lovelace', full_name: 'Ada Lovelace' },
  email_addresses: { items: ['ada@example.com'] },
  phone_numbers: { items: ['+12022243441'] },
  description: 'Met at the spring conference, asked for an offer, prefers calls in the morning.',
  linkedin: 'https://linkedin.example.com/in/ada',
  location: 'Somewhere',
})
const changes = [{ op: 'update', path: ['location'], val: 'Somewhere', oldVal: 'Elsewhere' }]
const [diff, event] = [json(changes), json({ diff: changes })]
const end = json({
  top: 2,
  at: 1,
  open: [{ kind: 'update', actor: 'ada', position: 2, place: 1, began_at: 1 }],
})

/** Tables and functions of candidates, and the rows that are changed. */
const setUp = (workspaceId: string): string[] => [
  `insert into record (workspace_id, id, object, visibility, version, created_at, updated_at, data, feed_end)
     select '${workspaceId}', ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, 'person', 0, 1, n, n,
       '${document}', '${end}' from generate_series(1, ${people}) as n`,
  `insert into activity (workspace_id, record_id, position, place, id, type, object, actor_id, actor_entity, diff,
     began_at, created_at)
     select workspace_id, id, 1, 1, id, 'svc:create', 'person', 'ada', 'user', '[]', 1, 1 from record`,
  'create table plain_person (id uuid primary key, updated_at bigint, location text, data jsonb)',
  'insert into plain_person select id, 1, null, data from record',
  'create index on plain_person (updated_at)',
  `create function bench_facts(of_workspace uuid, of_object text, out epoch bigint, out states text[])
     language plpgsql volatile as $$
   begin
     epoch := (select w.schema_epoch from workspace as w where w.id = of_workspace);
     states := (select array_agg(s.field || ' ' || s.kind || ' ' || s.state) from field_index_state as s
       where s.workspace_id = of_workspace and s.object = of_object);
   end $$`,
  'vacuum (analyze)',
]

const id = "('00000000-0000-7000-8000-' || lpad((:n)::text, 12, '0'))::uuid"
const beginChange = 'select told_until from kontor_begin_change(:ws, :key);'
const lock = (columns: string) =>
  `select id, version, owner_id, visibility, created_at, created_by, updated_at, updated_by, data${columns} from record
     where workspace_id = :ws and object = 'person' and id = ${id} and deleted_at is null for no key update;`
const states =
  "select object, field, kind, state from field_index_state where workspace_id = :ws and object = 'person';"
const endOfFeed = `select r.id, top, a.position, a.place, a.type, a.list_id, a.actor_id, a.began_at, a.created_at
  from (select ${id} as id, (select max(position) from activity where workspace_id = :ws and record_id = ${id}) as top)
    as r left join activity as a on a.workspace_id = :ws and a.record_id = r.id and a.position > top - 16
    and a.began_at > :key;`
const epoch = 'select schema_epoch from workspace where id = :ws;'
const facts = "select epoch, states from bench_facts(:ws, 'person');"
const write = (feedEnd: string) =>
  `with c0 as (update record set version = version + 1, updated_at = :key, data = '${document}'${feedEnd}
     where workspace_id = :ws and id = ${id}),
   c1 as (insert into outbox (workspace_id, id, type, object, record_id, actor, silent, payload, created_at)
     values (:ws, gen_random_uuid(), 'record.updated', 'person', ${id}, '{"id": "ada"}', false, '${event}', :key))
   insert into activity (workspace_id, record_id, position, place, id, type, object, actor_id, actor_entity, diff,
     began_at, created_at)
     values (:ws, ${id}, :key, :place, gen_random_uuid(), 'update', 'person', 'ada', 'user', '${diff}', :key, :key);`
const feedEnd = `, feed_end = '${end}'`

/** The statements that one change sends, by candidate. */
const candidates: Readonly<Record<string, readonly string[]>> = {
  'a plain update': [`update plain_person set location = 'Somewhere', updated_at = :key where id = ${id};`],
  'all questions': [beginChange, lock(''), states, endOfFeed, epoch, write('')],
  'the end of the feed in the row': [beginChange, lock(', feed_end'), states, epoch, write(feedEnd)],
  'index states and epoch in one call': [beginChange, lock(', feed_end'), facts, write(feedEnd)],
  'no question for index states': [beginChange, lock(', feed_end'), epoch, write(feedEnd)],
  'the lock and the write alone': [lock(', feed_end'), write(feedEnd)],
}

async function prepare(): Promise<string> {
  await createWorkspace(url)
  const { admin, database, close } = await openAdmin(readConfig({ DATABASE_URL: url }))
  try {
    const found = (await admin.workspaces()).find(({ slug }) => slug === workspace)
    if (found === undefined || !('pool' in database)) throw new Error('The workspace was not created')
    for (const text of setUp(found.id))
      await (database.pool as { query: (sql: string) => Promise<unknown> }).query(text)
    return found.id
  } finally {
    await close()
  }
}

function run(file: string, workspaceId: string): number {
  const options = [
    '-n',
    '-M',
    'prepared',
    '-c',
    `${clients}`,
    '-T',
    `${seconds}`,
    '-D',
    `ws=${workspaceId}`,
    '-f',
    file,
  ]
  const output = execFileSync('pgbench', [...options, url], { encoding: 'utf8' })
  return Number(/actually processed: (\d+)/.exec(output)?.[1])
}

try {
  const workspaceId = await prepare()
  const cpuMs = await databaseCpu(url)
  const found = new Map<string, number[]>()
  for (let round = 0; round < rounds; round++)
    for (const [name, statements] of Object.entries(candidates)) {
      const file = join(databases.folder, 'change.sql')
      const variables = [
        `\\set n random(1, ${people})`,
        '\\set key random(1, 1000000000000)',
        '\\set place random(1, 100)',
      ]
      writeFileSync(file, [...variables, 'begin;', ...statements, 'commit;'].join('\n').replaceAll(/\n\s+/g, ' '))
      const before = cpuMs?.() ?? 0
      const made = run(file, workspaceId)
      found.set(name, [...(found.get(name) ?? []), (((cpuMs?.() ?? 0) - before) * 1000) / made])
    }
  for (const [name, costs] of found) console.log(`${name}: ${costs.map((us) => Math.round(us)).join(', ')} µs`)
} finally {
  await databases.close()
}
