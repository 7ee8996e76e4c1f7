/**
 * Closes the database of its first argument while the answers of heavy reads have not been taken yet, a few times;
 * prints how often it was closed.
 */
import { openDatabase } from '../../../packages/server/src/db/open.ts'

/** Hears nothing for so long. */
const standStill = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

let closed = 0
for (let round = 0; round < 4; round++) {
  const database = openDatabase({ url: process.argv[2]!, statementTimeoutMs: 5000, connectionsMax: 2, readersMax: 1 })
  const read = () => database.reader.query(({ knex }) => knex.raw('select 1 as one'), { heavy: true })
  await read()
  const unheard = read().catch(() => undefined)
  standStill(20)
  await Promise.all([database.close(), unheard])
  closed++
}
process.stdout.write(String(closed))
