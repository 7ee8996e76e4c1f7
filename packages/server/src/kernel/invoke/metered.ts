import type { WriteExecutor } from '../../db/executor.ts'
import { ReadTx, Tx, type Database } from '../../db/tx.ts'
import type { Usage } from './usage.ts'

/** Makes a read handle that counts its statements for an operation. */
export const meteredReads = ({ executor }: ReadTx, usage: Usage): ReadTx =>
  new ReadTx({ ...executor, send: counted(executor, usage) })

const meteredWrites = (executor: WriteExecutor, usage: Usage): WriteExecutor => ({
  ...executor,
  send: counted(executor, usage),
  attempt: (work) => executor.attempt((inner) => work(meteredWrites(inner, usage))),
})

/** Counts the statements of an executor and the time in which any of them runs. */
function counted<Command>(
  executor: { readonly send: (command: Command) => Promise<unknown> },
  usage: Usage,
): (command: Command) => Promise<unknown> {
  let running = 0
  let sinceMs = 0
  const end = (): void => {
    if (--running === 0) usage.statementMs += performance.now() - sinceMs
  }
  return (command) => {
    usage.statements++
    // On SQLite a statement runs during the call, so the clock starts before it.
    if (running++ === 0) sinceMs = performance.now()
    const result = executor.send(command)
    result.then(end, end)
    return result
  }
}

/** Runs a transaction and measures its parts: the wait before it, its statements, its commit. */
export async function meteredWrite<T>(database: Database, usage: Usage, work: (tx: Tx) => Promise<T>): Promise<T> {
  let sinceMs = performance.now()
  const value = await database.write(async ({ executor }) => {
    usage.waitMs += performance.now() - sinceMs
    try {
      return await work(new Tx(meteredWrites(executor, usage)))
    } finally {
      sinceMs = performance.now()
    }
  })
  usage.commitMs += performance.now() - sinceMs
  return value
}
