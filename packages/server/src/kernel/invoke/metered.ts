import type { Executor, WriteExecutor } from '../../db/executor.ts'
import { ReadTx, Tx, type Database, type WriteRequest } from '../../db/tx.ts'
import { defined } from '../../lib/guards.ts'

/** The transport of a call; `server` is the server itself, for the demo and the command line. */
export type Surface = 'rest' | 'trpc' | 'actions' | 'mcp' | 'server'

/** Upper bounds of the histogram buckets for durations: from a get out of memory to the statement timeout. */
export const durationBoundsMs = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000] as const

/** Calls of one operation over one transport with one status. */
export type Tally = {
  readonly surface: Surface
  readonly status: number
  /** Calls by histogram bucket; the last bucket counts those that took longer than the last bound. */
  readonly byDuration: number[]
  sumMs: number
}

/**
 * Counts the calls of one operation, their outcomes and their cost. Plain numbers, since every call pays for the
 * counting; `/metrics` reads them on demand.
 */
export class Usage {
  readonly #tallies: Record<Surface, Map<number, Tally>> = {
    rest: new Map(),
    trpc: new Map(),
    actions: new Map(),
    mcp: new Map(),
    server: new Map(),
  }
  statements = 0
  /** Time spent waiting for statements; statements that run at the same time count once. */
  statementMs = 0
  /** Time spent waiting for the writer or for a connection, before a transaction begins. */
  waitMs = 0
  commitMs = 0

  count(surface: Surface, status: number, ms: number): void {
    const byStatus = this.#tallies[surface]
    let tally = byStatus.get(status)
    if (tally === undefined) {
      tally = { surface, status, byDuration: Array.from({ length: durationBoundsMs.length + 1 }, () => 0), sumMs: 0 }
      byStatus.set(status, tally)
    }
    let index = 0
    while (index < durationBoundsMs.length && ms > defined(durationBoundsMs[index])) index++
    tally.byDuration[index] = defined(tally.byDuration[index]) + 1
    tally.sumMs += ms
  }

  tallies(): Tally[] {
    return Object.values(this.#tallies).flatMap((byStatus) => [...byStatus.values()])
  }
}

/** Makes a read handle that counts its statements for an operation, and takes the turns of its workspace. */
export function meteredReads({ executor }: ReadTx, usage: Usage, workspaceId: string | undefined): ReadTx {
  return new ReadTx(meteredExecutor(executor, new StatementTime(usage), workspaceId))
}

function meteredExecutor(executor: Executor, time: StatementTime, party: string | undefined): Executor {
  const send = counted(executor, time)
  return {
    ...executor,
    send: (query) => send({ ...query, party }),
    inOneState: (work, request) =>
      executor.inOneState((reads) => work(meteredExecutor(reads, time, party)), { ...request, party }),
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
export async function meteredWrite<T>(
  database: Database,
  usage: Usage,
  work: (tx: Tx) => Promise<T>,
  request: WriteRequest,
): Promise<T> {
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
  }, request)
  usage.commitMs += performance.now() - sinceMs
  return value
}
