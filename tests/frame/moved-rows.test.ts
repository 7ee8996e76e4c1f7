import { loadModule, parseSync } from 'libpg-query'
import { beforeAll, expect, test } from 'vitest'
import { movedTables } from '../harness/moved-rows.ts'

beforeAll(() => loadModule())

test.each([
  ['update job set run_at = 0, workspace_id = $1', ['job']],
  ['with moved as (update job set (id, workspace_id) = ($1, $2) returning id) select id from moved', ['job']],
  [
    'insert into job (workspace_id) values ($1) on conflict (id) do update set workspace_id = excluded.workspace_id',
    ['job'],
  ],
  ['insert into job (workspace_id) values ($1) on conflict (id) do update set run_at = excluded.run_at', []],
  ['update job set run_at = 0 where workspace_id = $1', []],
])('%s moves rows of %j', (text, tables) => {
  expect(movedTables(parseSync(text))).toEqual(tables)
})
