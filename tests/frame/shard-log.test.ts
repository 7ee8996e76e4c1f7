import { expect, test } from 'vitest'
import { statementsOnShards } from '../harness/shard-log.ts'

const hint = 'Queries are split to multiple tasks if they have to be split into several queries on the workers.'

const onShards = (database: string, application: string, statement: string): string =>
  [
    `[${database}] [${application}] LOG:  multi-task query about to be executed`,
    `[${database}] [${application}] HINT:  ${hint}`,
    `[${database}] [${application}] STATEMENT:  ${statement}`,
  ].join('\n')

const databases = new Set(['mine'])

test('reads statements on several shards once, with all of their lines', () => {
  const log = [onShards('mine', 'kontor', 'select *\n\tfrom record'), onShards('mine', 'kontor-read', 'select 2')]
  expect(statementsOnShards([...log, ...log].join('\n'), databases)).toEqual(['select *\n\tfrom record', 'select 2'])
})

test('leaves out other databases, connections of tests, and other statements that are logged', () => {
  const log = [
    onShards('other', 'kontor', 'select 1'),
    onShards('mine', 'psql', 'select 2'),
    onShards('mine', '', 'select 3'),
    '[mine] [kontor] ERROR:  duplicate key value violates unique constraint "record_pkey_102008"',
    '[mine] [kontor] DETAIL:  Key (workspace_id, id)=(1, 2) already exists.',
    '[mine] [kontor] STATEMENT:  insert into record default values',
    '[] [] LOG:  checkpoint starting: time',
  ]
  expect(statementsOnShards(log.join('\n'), databases)).toEqual([])
})
