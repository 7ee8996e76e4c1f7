/**
 * Writes pairs of deltas, each pair in a transaction of its own, twenty at a time, and prints the number of each
 * pair that was answered. It runs until it is killed.
 */
import { openDatabase } from '../../../packages/server/src/db/open.ts'

const workspaceId = '01900000-0000-7000-8000-000000000000'
const database = openDatabase({ url: process.argv[2]!, statementTimeoutMs: 5000, connectionsMax: 8, readersMax: 1 })

async function writer(first: number): Promise<never> {
  for (let number = first; ; number += 20) {
    const row = (half: string) => ({
      workspace_id: workspaceId,
      object: half,
      id: `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`,
      delta: number,
    })
    await database.write(async (tx) => {
      await tx.insert('record_count_delta', [row('first')])
      await tx.insert('record_count_delta', [row('second')])
    })
    process.stdout.write(`${number}\n`)
  }
}

await Promise.all(Array.from({ length: 20 }, (_, first) => writer(first)))
