import { describe, expect, inject, test } from 'vitest'
import { freshSqlite } from './fresh.ts'
import { counting, heavily } from './heavy-queries.ts'

describe.runIf(inject('database') === 'sqlite')('the readers of SQLite', () => {
  test('stall no request while they work', async () => {
    const { database } = await freshSqlite()
    await heavily(database, counting(1))
    const before = performance.eventLoopUtilization()
    await heavily(database, counting(3_000_000))
    expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5)
  })
})
