import { defined } from '../../lib/guards.ts'
import { DatabaseCrowded, DatabaseOverloaded } from '../errors.ts'
import type { Figure } from '../tx.ts'
import type { ReadRequest } from './protocol.ts'
import { ReaderProcess, type Read } from './reader.ts'

/** Reads that may wait for a reader. Each holds a request; one that came after so many would wait for seconds. */
const waitingMax = 1000

type Waiting = { readonly read: Read; readonly timer: NodeJS.Timeout }

export type ReaderPoolOptions = {
  readonly path: string
  readonly readersMax: number
  /** Limit for a query once it runs, and also for its wait for a free reader. */
  readonly timeoutMs: number
}

/** Reader processes for one SQLite file, started on demand; reads queue for a free one. */
export class ReaderPool {
  readonly #options: ReaderPoolOptions
  readonly #readers = new Set<ReaderProcess>()
  readonly #waiting: Waiting[] = []
  #closed = false

  constructor(options: ReaderPoolOptions) {
    this.#options = options
  }

  read(text: string, values: readonly unknown[]): Promise<unknown[]> {
    return this.#ask({ text, values })
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
        read: () => this.#waiting.length,
      },
    ]
  }

  async close(): Promise<void> {
    this.#closed = true
    const reason = new Error('The database is closed')
    for (const { read, timer } of this.#waiting.splice(0)) {
      clearTimeout(timer)
      read.reject(reason)
    }
    await Promise.all([...this.#readers].map((reader) => reader.end(reason)))
  }

  #ask(request: ReadRequest): Promise<unknown[]> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new Error('The database is closed')
      if (this.#waiting.length >= waitingMax) throw new DatabaseCrowded(`${waitingMax} reads wait for a reader already`)
      const timer = setTimeout(() => this.#giveUp(timer), this.#options.timeoutMs)
      this.#waiting.push({ read: { ...request, resolve, reject }, timer })
      this.#assign()
    })
  }

  #assign(): void {
    for (let reader = this.#free(); reader !== undefined && this.#waiting.length > 0; reader = this.#free()) {
      const { read, timer } = defined(this.#waiting.shift())
      clearTimeout(timer)
      reader.run(read)
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

  #giveUp(timer: NodeJS.Timeout): void {
    const index = this.#waiting.findIndex((waiting) => waiting.timer === timer)
    const [late] = this.#waiting.splice(index, 1)
    late?.read.reject(new DatabaseOverloaded(`No reader was free within ${this.#options.timeoutMs} ms`))
  }
}
