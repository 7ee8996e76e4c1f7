import { expect, inject, test } from 'vitest'
import { DatabaseOverloaded } from '../../packages/server/src/db/errors.ts'
import { freshPostgres, open } from './fresh.ts'

test.runIf(inject('database') === 'postgres')(
  'who finds no free connection in time is told that the database is overloaded',
  async () => {
    const { url } = await freshPostgres()
    const limited = open(url, { statementTimeoutMs: 1000, connectionsMax: 1 })
    const mayEnd = Promise.withResolvers<void>()
    const holding = limited.write(() => mayEnd.promise)
    await expect(
      limited.write((tx) => tx.insert('record_count', [{ workspace_id: 'w', object: 'people', total: 1 }])),
    ).rejects.toThrow(DatabaseOverloaded)
    mayEnd.resolve()
    await holding
  },
)
