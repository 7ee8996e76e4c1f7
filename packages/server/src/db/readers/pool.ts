import { defined } from '../../lib/guards.ts'
import type { Query } from '../executor.ts'
import type { FairTurns } from '../../lib/fair-turns.ts'
import { databaseTurns } from '../database-turns.ts'
import { theServer } from '../heavy-reads.ts'
import type { Figure } from '../tx.ts'
import type { ReadRequest } from './protocol.ts'
import { ReaderProcess } from './reader.ts'
import { handled } from '../../lib/promises.ts'

/**
 * Reads that may wait for a reader, of one workspace a quarter. Each holds a request; after so many it would be
 * seconds.
 */
const waitingMax = 1000

export type ReaderPoolOptions = {
  readonly path: string
  readonly readersMax: number
  /** Limit for a query once it runs, and also for its wait for a free reader. */
  readonly timeoutMs: number
}

/** A read that waits for a process. */
type Waiting = { readonly start: (reader: ReaderProcess) => void; readonly reject: (reason: Error) => void }

/** Reader processes for one SQLite file, started on demand; reads take turns for a free one. */
export class ReaderPool {
  readonly #options: ReaderPoolOptions
  readonly #readers = new Set<ReaderProcess>()
  /** Processes that were started for long work. */
  readonly #own = new Set<ReaderProcess>()
  /** Reads that have their turn and wait for a process: during a checkpoint, or until one has started. */
  readonly #waiting: Waiting[] = []
  readonly #turns: FairTurns
  #closed = false

  constructor(options: ReaderPoolOptions) {
    this.#options = options
    const { readersMax: atOnceMax, timeoutMs: waitMsMax } = options
    this.#turns = databaseTurns({ atOnceMax, waitingMax, waitMsMax, mayJoin: () => true })
  }

  read({ text, values, party = theServer }: Pick<Query, 'text' | 'values' | 'party'>): Promise<unknown[]> {
    return this.#turns.run(party, () => this.#ask({ text, values }))
  }

  /**
   * Runs work whose reads all see one state: one process answers them, one after another in one transaction. It waits
   * for its turn once.
   */
  inOneState<T>(party: string, work: (read: ReadRows) => Promise<T>): Promise<T> {
    return this.#turns.run(party, async () => {
      const transaction = new ReaderTransaction(await this.#keepOne())
      try {
        return await work((request) => transaction.read(request))
      } finally {
        await transaction.end()
      }
    })
  }

  /**
   * Runs long work whose reads all see one state, in a process that is started for it: no other read waits for that.
   */
  async inOwnReader<T>(work: (read: ReadRows) => Promise<T>): Promise<T> {
    const { path, timeoutMs } = this.#options
    const reader: ReaderProcess = new ReaderProcess({
      path,
      timeoutMs,
      onFree: () => undefined,
      onEnd: () => this.#own.delete(reader),
    })
    this.#own.add(reader)
    reader.keep()
    const transaction = new ReaderTransaction(reader)
    try {
      return await work((request) => transaction.read(request))
    } finally {
      await reader.end(new Error('The work that it was started for has ended'))
    }
  }

  /** Copies the log into the database file, as far as no open read needs the old pages. */
  async checkpoint(): Promise<void> {
    await this.#ask({ text: 'pragma wal_checkpoint(passive)', values: [], writes: true })
  }

  /** True while anything is read. */
  get isReading(): boolean {
    return this.#turns.running > 0 || this.#own.size > 0
  }

  get figures(): Figure[] {
    return [
      { name: 'readers', help: 'Processes for heavy reads.', kind: 'gauge', read: () => this.#readers.size },
      {
        name: 'reads_waiting',
        help: 'Heavy reads that wait for a free process.',
        kind: 'gauge',
        read: () => this.#turns.waiting,
      },
    ]
  }

  async close(): Promise<void> {
    this.#closed = true
    const reason = new Error('The database is closed')
    for (const read of this.#waiting.splice(0)) read.reject(reason)
    await Promise.all([...this.#readers, ...this.#own].map((reader) => reader.end(reason)))
  }

  #ask(request: ReadRequest): Promise<unknown[]> {
    return new Promise((resolve, reject) =>
      this.#wait({ reject, start: (reader) => reader.run({ ...request, resolve, reject }) }),
    )
  }

  #keepOne(): Promise<ReaderProcess> {
    return new Promise((resolve, reject) => {
      const start = (reader: ReaderProcess): void => {
        reader.keep()
        resolve(reader)
      }
      this.#wait({ reject, start })
    })
  }

  #wait(waiting: Waiting): void {
    if (this.#closed) return waiting.reject(new Error('The database is closed'))
    this.#waiting.push(waiting)
    this.#assign()
  }

  #assign(): void {
    for (let reader = this.#free(); reader !== undefined && this.#waiting.length > 0; reader = this.#free()) {
      defined(this.#waiting.shift()).start(reader)
    }
  }

  #free(): ReaderProcess | undefined {
    for (const reader of this.#readers) if (reader.isFree) return reader
    return this.#readers.size < this.#options.readersMax && this.#waiting.length > 0 ? this.#start() : undefined
  }

  #start(): ReaderProcess {
    const reader: ReaderProcess = new ReaderProcess({
      path: this.#options.path,
      timeoutMs: this.#options.timeoutMs,
      onFree: () => this.#assign(),
      onEnd: () => {
        this.#readers.delete(reader)
        if (!this.#closed) this.#assign()
      },
    })
    this.#readers.add(reader)
    return reader
  }
}

/** Reads rows in a transaction. */
type ReadRows = (request: Pick<ReadRequest, 'text' | 'values'>) => Promise<unknown[]>

/** A transaction for reading in a process that was kept for it, which has one request at a time. */
class ReaderTransaction {
  readonly #reader: ReaderProcess
  #last: Promise<unknown>
  #hasEnded = false

  constructor(reader: ReaderProcess) {
    this.#reader = reader
    this.#last = handled(this.#ask({ text: 'begin', values: [], isBoundary: true }))
  }

  read({ text, values }: Pick<ReadRequest, 'text' | 'values'>): Promise<unknown[]> {
    if (this.#hasEnded) return Promise.reject(new Error('The transaction has ended: a statement was not awaited'))
    return this.#queue({ text, values })
  }

  /** Ends the transaction and gives the process back; one that has ended itself took the transaction with it. */
  async end(): Promise<void> {
    this.#hasEnded = true
    await this.#queue({ text: 'commit', values: [], isBoundary: true }).catch(() => undefined)
    this.#reader.giveBack()
  }

  #queue(request: ReadRequest): Promise<unknown[]> {
    const answer = this.#last.then(() => this.#ask(request))
    this.#last = answer.catch(() => undefined)
    return answer
  }

  #ask(request: ReadRequest): Promise<unknown[]> {
    return new Promise((resolve, reject) => this.#reader.run({ ...request, resolve, reject }))
  }
}
