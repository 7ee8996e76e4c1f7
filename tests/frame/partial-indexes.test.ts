import { beforeAll, describe, expect, test } from 'vitest'
import { loadModule, parseSync } from 'libpg-query'
import { boundConstants, constantColumns } from '../harness/partial-indexes.ts'

beforeAll(() => loadModule())

const parsed = (sql: string) => (parseSync(sql) as { stmts: Parameters<typeof constantColumns>[0] }).stmts

const columns = () =>
  constantColumns(
    parsed(`
      create index on delivery (id) where state = 'pending'::text;
      create index on record (id) where visibility > 0 and deleted_at is null;
      create index on workflow (id) where enabled;
      create index on job (id)`),
  )

test('the columns that a partial index compares with a constant are found in its definition', () => {
  expect([...columns()]).toEqual(['delivery.state', 'record.visibility', 'workflow.enabled'])
})

const served: Record<string, string> = {
  'the constant itself': "select id from delivery where state = 'pending' and id = $1",
  'a value that is set': 'update delivery set state = $1 where id = $2',
  'a column of the same name': 'select o.state from delivery as d join other as o on o.id = d.id where o.state = $1',
  'two columns': 'select d.id from delivery as d join delivery as e on d.state = e.state where d.id = $1',
}

const unserved: Record<string, string> = {
  'a parameter': 'select id from delivery where state = $1',
  'one with a type': 'select id from delivery as d where $1::text = d.state',
  'one within a query': 'delete from job where exists (select 1 from workflow as w where w.enabled = $1)',
  'a bound': 'select id from record where id = $1 and (visibility >= $2 or owner_id = $3)',
}

describe('a statement that is planned once', () => {
  test.each(Object.entries(served))('binds no constant of a partial index: %s', (_, sql) =>
    expect(boundConstants(parsed(sql), columns())).toEqual([]),
  )
  test.each(Object.entries(unserved))('binds a constant of a partial index: %s', (_, sql) =>
    expect(boundConstants(parsed(sql), columns())).toHaveLength(1),
  )
})
