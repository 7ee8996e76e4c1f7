import { expect, test } from 'vitest'
import { PostgresDatabase } from './postgres-database.ts'

test.for([
  [100, 10_000],
  [10_000, 10_000],
  [60_000, 60_000],
] as const)('statements of %i ms: a connection is waited for up to %i ms', async ([statementTimeoutMs, expected]) => {
  const database = new PostgresDatabase({ url: 'postgres://nowhere', statementTimeoutMs, connectionsMax: 2 })
  expect(database.pool.options.connectionTimeoutMillis).toBe(expected)
  await database.close()
})
