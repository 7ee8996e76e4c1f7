import { defined } from '../../lib/guards.ts'
import type { Query } from '../executor.ts'
import type { FairTurns } from '../../lib/fair-turns.ts'
import { databaseTurns } from '../database-turns.ts'
import { theServer } from '../heavy-reads.ts'
import type { Figure } from '../tx.ts'
import type { ReadRequest } from './protocol.ts'
import { ReaderProcess, type Read } from './reader.ts'

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

/** Reader processes for one SQLite file, started on demand; reads take turns for a free one. */
export class ReaderPool {
  readonly #options: ReaderPoolOptions
  readonly #readers = new Set<ReaderProcess>()
  /** What has its turn and waits for a process that is taken: by a checkpoint, or until one has started. */
  readonly #waiting: Read[] = []
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

  /** Copies the log into the database file, as far as no open read needs the old pages. */
  async checkpoint(): Promise<void> {
    await this.#ask({ text: 'pragma wal_checkpoint(passive)', values: [], writes: true })
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
    await Promise.all([...this.#readers].map((reader) => reader.end(reason)))
  }

  #ask(request: ReadRequest): Promise<unknown[]> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new Error('The database is closed')
      this.#waiting.push({ ...request, resolve, reject })
      this.#assign()
    })
  }

  #assign(): void {
    for (let reader = this.#free(); reader !== undefined && this.#waiting.length > 0; reader = this.#free()) {
      reader.run(defined(this.#waiting.shift()))
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
