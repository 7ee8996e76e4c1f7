import type { Executor, WriteExecutor } from '../../db/executor.ts'
import { ReadTx, Tx, type Database } from '../../db/tx.ts'
import type { Usage } from './usage.ts'

/** Makes a read handle that counts its statements for an operation, and takes the turns of its workspace. */
export function meteredReads({ executor }: ReadTx, usage: Usage, workspaceId: string | undefined): ReadTx {
  return new ReadTx(meteredExecutor(executor, new StatementTime(usage), workspaceId))
}

function meteredExecutor(executor: Executor, time: StatementTime, party: string | undefined): Executor {
  const send = counted(executor, time)
  return {
    ...executor,
    send: (query) => send({ ...query, party }),
    inOneState: (work) => executor.inOneState((reads) => work(meteredExecutor(reads, time, party)), party),
  }
}

const meteredWrites = (executor: WriteExecutor, time: StatementTime): WriteExecutor => ({
  ...executor,
  send: counted(executor, time),
  inOneState: (work) => executor.inOneState((reads) => work({ ...reads, send: counted(reads, time) })),
  askBehind: (ask) => executor.askBehind((reader) => ask({ ...reader, send: counted(reader, time) })),
  attempt: (work) => executor.attempt((inner) => work(meteredWrites(inner, time))),
})

/** Counts statements and the time in which any of them runs. */
class StatementTime {
  readonly #usage: Usage
  #running = 0
  #sinceMs = 0
  #isClosed = false

  constructor(usage: Usage) {
    this.#usage = usage
  }

  begin(): void {
    this.#usage.statements++
    if (this.#running++ === 0) this.#sinceMs = performance.now()
  }

  end(): void {
    if (--this.#running === 0) this.#add()
  }

  /** Counts no time from here on: what still runs goes with the commit. */
  close(): void {
    if (this.#running > 0) this.#add()
    this.#isClosed = true
  }

  #add(): void {
    if (!this.#isClosed) this.#usage.statementMs += performance.now() - this.#sinceMs
  }
}

function counted<Command>(
  executor: { readonly send: (command: Command) => Promise<unknown> },
  time: StatementTime,
): (command: Command) => Promise<unknown> {
  const end = (): void => time.end()
  return (command) => {
    // On SQLite a statement runs during the call, so the clock starts before it.
    time.begin()
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
    const time = new StatementTime(usage)
    try {
      return await work(new Tx(meteredWrites(executor, time)))
    } finally {
      time.close()
      sinceMs = performance.now()
    }
  })
  usage.commitMs += performance.now() - sinceMs
  return value
}
