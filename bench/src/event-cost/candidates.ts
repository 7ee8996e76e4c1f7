type DatabaseName = 'postgres' | 'sqlite'

/** The changes that are measured: one with all values of a record, and one of a single field. */
export const changes = ['create', 'update'] as const
export type Change = (typeof changes)[number]

/** A way to store an event: its tables, the statements of its transaction, and on Postgres the pass that numbers it. */
export type Candidate = {
  readonly name: string
  readonly isPostgresOnly?: boolean
  readonly tables: (database: DatabaseName) => string[]
  readonly write: (database: DatabaseName, change: Change) => string[]
  readonly number: string
  /** The tables whose rows stay. */
  readonly kept: readonly string[]
}

/** JSON without a colon before a letter or a digit, which pgbench would take for a variable of its own. */
const json = (value: unknown): string => JSON.stringify(value).replaceAll('":', '": ').replaceAll('://', ':\\u002f/')

const values: Readonly<Record<string, unknown>> = {
  name: { first_name: 'Ada', last_name: 'Lovelace', full_name: 'Ada Lovelace' },
  email_addresses: { items: ['ada@example.com'] },
  phone_numbers: { items: ['+12022243441'] },
  description: 'Met at the spring conference, asked for an offer, prefers calls in the morning.',
  linkedin: 'linkedin.example.com/in/ada',
  location: 'Somewhere',
  company: '00000000-0000-7000-8000-000000000001',
  x_profile: 'x.example.com/ada',
  time_zone: 'Europe/Vienna',
  birthday: '1990-12-10',
}
const diffs: Readonly<Record<Change, string>> = {
  create: json(Object.entries(values).map(([field, val]) => ({ op: 'add', path: [field], val, oldVal: null }))),
  update: json([{ op: 'update', path: ['location'], val: 'Somewhere', oldVal: 'Elsewhere' }]),
}
const actor = json({ id: '00000000-0000-7000-8000-00000000000a', entity: 'user', source_id: null })

const workspace = '00000000-0000-7000-8000-000000000000'
const types = {
  postgres: {
    id: 'uuid',
    text: 'text collate "C"',
    integer: 'bigint',
    json: 'jsonb',
    document: 'json',
    boolean: 'boolean',
  },
  sqlite: { id: 'text', text: 'text', integer: 'integer', json: 'text', document: 'text', boolean: 'integer' },
}
const idOf = { postgres: 'gen_random_uuid()', sqlite: ':id' }
const recordOf = {
  postgres: "('00000000-0000-7000-8000-' || lpad((:n)::text, 12, '0'))::uuid",
  sqlite: "'00000000-0000-7000-8000-' || printf('%012d', :n)",
}
const no = { postgres: 'false', sqlite: '0' }
const wide = { postgres: '', sqlite: 'strict' }
const narrow = { postgres: '', sqlite: 'strict, without rowid' }
const written = '(extract(epoch from clock_timestamp()) * 1000000)::bigint'

const told = (database: DatabaseName): string => {
  const { id, text, json: jsonType, boolean, integer } = types[database]
  return `id ${id} not null, type ${text} not null, object ${text}, record_id ${id}, actor ${jsonType} not null,
    silent ${boolean} not null, payload ${jsonType} not null, created_at ${integer} not null`
}
const shown = (database: DatabaseName): string => {
  const { id, text, document, integer } = types[database]
  return `position ${integer} not null, place ${integer} not null, id ${id} not null, type ${text} not null,
    object ${text} not null, actor_id ${text} not null, actor_entity ${text} not null, source_id ${text},
    diff ${document} not null, began_at ${integer} not null, created_at ${integer} not null, run_id ${id},
    list_id ${id}`
}
const head = (database: DatabaseName): string[] => [
  `create table head (workspace_id ${types[database].id} primary key, last_sequence ${types[database].integer})`,
  `insert into head values ('${workspace}', 0)`,
]

const toldColumns = 'id, type, object, record_id, actor, silent, payload, created_at'
const toldValues = (database: DatabaseName, change: Change, payload: string): string =>
  `${idOf[database]}, 'record.${change}d', 'person', ${recordOf[database]}, '${actor}', ${no[database]},
   '${payload}', 1`

const feedRow = (database: DatabaseName, change: Change): string =>
  `insert into activity (workspace_id, record_id, position, place, id, type, object, actor_id, actor_entity, diff,
     began_at, created_at)
     values ('${workspace}', ${recordOf[database]}, :p, 1, ${idOf[database]}, 'svc.${change}', 'person',
     '00000000-0000-7000-8000-00000000000a', 'user', '${diffs[change]}', 1, 1)`

const advance = `update head set last_sequence = last_sequence + 1 where workspace_id = '${workspace}'`
const lastNumber = `(select last_sequence from head where workspace_id = '${workspace}')`

/** The queue is emptied from its front into the log: `columns` of it stay there. */
const numberOf = (columns: string): string =>
  `with first as (select written_us, id from outbox where workspace_id = '${workspace}'
       order by written_us, id limit 2000),
     last as (select written_us, id from first order by written_us desc, id desc limit 1),
     taken as (delete from outbox using last where outbox.workspace_id = '${workspace}'
       and (outbox.written_us, outbox.id) <= (last.written_us, last.id) returning outbox.*),
     numbered as (insert into log (workspace_id, sequence, ${columns})
       select workspace_id, last_sequence + row_number() over (order by written_us, id), ${columns}
       from taken join head using (workspace_id) returning sequence),
     advanced as (update head set last_sequence = last_sequence + (select count(*) from numbered))
   select count(*) as events from numbered`

/** The log has copies of events, with their changes or without them; the feed beside it always has these. */
function copied(name: string, isWhole: boolean): Candidate {
  const payloadOf = (change: Change) => (isWhole ? `{"diff": ${diffs[change]}}` : '{}')
  return {
    name,
    tables: (database) => [
      ...(database === 'postgres'
        ? [
            `create table outbox (workspace_id uuid not null, written_us bigint not null default (${written}),
             ${told(database)}, primary key (workspace_id, written_us, id))`,
          ]
        : []),
      `create table log (workspace_id ${types[database].id} not null, sequence ${types[database].integer} not null,
         ${told(database)}, primary key (workspace_id, sequence)) ${wide[database]}`,
      'create index log_record on log (workspace_id, record_id, sequence)',
      `create table activity (workspace_id ${types[database].id} not null, record_id ${types[database].id} not null,
         ${shown(database)}, primary key (workspace_id, record_id, position, place)) ${wide[database]}`,
      ...(isWhole ? [] : ['create index activity_id on activity (workspace_id, id)']),
      ...head(database),
    ],
    write: (database, change) =>
      database === 'postgres'
        ? [
            `insert into outbox (workspace_id, ${toldColumns})
               values ('${workspace}', ${toldValues(database, change, payloadOf(change))})`,
            feedRow(database, change),
          ]
        : [
            advance,
            `insert into log (workspace_id, sequence, ${toldColumns})
               values ('${workspace}', ${lastNumber}, ${toldValues(database, change, payloadOf(change))})`,
            feedRow(database, change),
          ],
    number: numberOf(toldColumns),
    kept: ['log', 'activity'],
  }
}

const feedOf = (database: DatabaseName): string =>
  `position ${types[database].integer}, place ${types[database].integer}, began_at ${types[database].integer},
   run_id ${types[database].id}, list_id ${types[database].id}`

/** One row for log and feed, which a narrow row of the log names. */
const once: Candidate = {
  name: 'one row, named by a narrow queue and a narrow log',
  tables: (database) => [
    ...(database === 'postgres'
      ? [
          `create table outbox (workspace_id uuid not null, written_us bigint not null default (${written}),
           id uuid not null, record_id uuid, primary key (workspace_id, written_us, id))`,
        ]
      : []),
    `create table log (workspace_id ${types[database].id} not null, sequence ${types[database].integer} not null,
       id ${types[database].id} not null, record_id ${types[database].id}, primary key (workspace_id, sequence))
       ${narrow[database]}`,
    'create index log_record on log (workspace_id, record_id, sequence)',
    `create table event (workspace_id ${types[database].id} not null, ${told(database)}, ${feedOf(database)},
       primary key (workspace_id, id)) ${wide[database]}`,
    'create index event_feed on event (workspace_id, record_id, position, place)',
    ...head(database),
  ],
  write: (database, change) => {
    const event = `insert into event (workspace_id, ${toldColumns}, position, place, began_at)
      values ('${workspace}', ${toldValues(database, change, `{"diff": ${diffs[change]}}`)}, :p, 1, 1)`
    return database === 'postgres'
      ? [
          `with written as (${event} returning id, record_id)
             insert into outbox (workspace_id, id, record_id) select '${workspace}', id, record_id from written`,
        ]
      : [advance, event, `insert into log values ('${workspace}', ${lastNumber}, :id, ${recordOf[database]})`]
  },
  number: numberOf('id, record_id'),
  kept: ['log', 'event'],
}

/** The same without a queue: the log is filled up to the oldest open transaction. */
const byTransaction: Candidate = {
  name: 'one row, found by its transaction without a queue',
  isPostgresOnly: true,
  tables: () => [
    `create table log (workspace_id uuid not null, sequence bigint not null, xact bigint not null, id uuid not null,
       record_id uuid, primary key (workspace_id, sequence))`,
    'create index log_record on log (workspace_id, record_id, sequence)',
    `create table event (workspace_id uuid not null, xact bigint not null default (pg_current_xact_id()::text::bigint),
       ${told('postgres')}, ${feedOf('postgres')}, primary key (workspace_id, xact, id))`,
    'create index event_feed on event (workspace_id, record_id, position, place)',
    ...head('postgres'),
    `alter table head add column xact bigint not null default 0,
       add column last_id uuid not null default '${workspace}'`,
  ],
  write: (database, change) => [
    `insert into event (workspace_id, ${toldColumns}, position, place, began_at)
      values ('${workspace}', ${toldValues(database, change, `{"diff": ${diffs[change]}}`)}, :p, 1, 1)`,
  ],
  number: `with taken as (select event.xact, event.id, event.record_id, last_sequence
       from event join head using (workspace_id)
       where event.workspace_id = '${workspace}' and (event.xact, event.id) > (head.xact, head.last_id)
         and event.xact < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
       order by event.xact, event.id limit 2000),
     numbered as (insert into log (workspace_id, sequence, xact, id, record_id)
       select '${workspace}', last_sequence + row_number() over (order by xact, id), xact, id, record_id from taken
       returning sequence, xact, id),
     advanced as (update head set last_sequence = n.sequence, xact = n.xact, last_id = n.id
       from (select * from numbered order by sequence desc limit 1) as n)
   select count(*) as events from numbered`,
  kept: ['log', 'event'],
}

export const candidates: readonly Candidate[] = [
  copied('copies in outbox, log and feed', true),
  copied('the changes in the feed alone', false),
  once,
  byTransaction,
]
