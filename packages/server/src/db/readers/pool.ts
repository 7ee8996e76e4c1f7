import { Worker } from 'node:worker_threads'
import { StatementTimeout } from '../errors.ts'
import type { ReadAnswer, ReaderData, ReadRequest } from './protocol.ts'

type Pending = { readonly resolve: (rows: unknown[]) => void; readonly reject: (error: Error) => void; readonly timer: NodeJS.Timeout }

/**
 * Reader threads for one SQLite file, started at first use. A query over the timeout ends its thread, since
 * SQLite cannot be interrupted from outside; the next query gets a new one.
 */
export class ReaderPool {
  readonly #path: string
  readonly #size: number
  readonly #timeoutMs: number
  readonly #readers: Reader[] = []

  constructor(path: string, size: number, timeoutMs: number) {
    this.#path = path
    this.#size = size
    this.#timeoutMs = timeoutMs
  }

  read(text: string, values: unknown[]): Promise<unknown[]> {
    return this.#leastBusy().read(text, values, this.#timeoutMs)
  }

  async close(): Promise<void> {
    await Promise.all(this.#readers.splice(0).map((reader) => reader.end(new Error('The database is closed'))))
  }

  #leastBusy(): Reader {
    const idle = this.#readers.find((reader) => reader.pending.size === 0)
    if (idle !== undefined) return idle
    if (this.#readers.length < this.#size) {
      const reader = new Reader(this.#path, () => this.#readers.splice(this.#readers.indexOf(reader), 1))
      this.#readers.push(reader)
      return reader
    }
    return this.#readers.reduce((least, reader) => (reader.pending.size < least.pending.size ? reader : least))
  }
}

class Reader {
  readonly pending = new Map<number, Pending>()
  readonly #worker: Worker
  readonly #onEnd: () => void
  #nextId = 0
  #ended = false

  constructor(path: string, onEnd: () => void) {
    this.#onEnd = onEnd
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: { path } satisfies ReaderData })
    this.#worker.unref()
    this.#worker.on('message', (answer: ReadAnswer) => this.#settle(answer))
    this.#worker.on('error', (error: Error) => void this.end(error))
  }

  read(text: string, values: unknown[], timeoutMs: number): Promise<unknown[]> {
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => void this.end(new StatementTimeout(`Query ran longer than ${timeoutMs} ms`)), timeoutMs)
      this.pending.set(id, { resolve, reject, timer })
      this.#worker.postMessage({ id, text, values } satisfies ReadRequest)
    })
  }

  async end(reason: Error): Promise<void> {
    if (this.#ended) return
    this.#ended = true
    this.#onEnd()
    for (const { reject, timer } of this.pending.values()) {
      clearTimeout(timer)
      reject(reason)
    }
    this.pending.clear()
    await this.#worker.terminate()
  }

  #settle(answer: ReadAnswer): void {
    const pending = this.pending.get(answer.id)
    if (pending === undefined) return
    clearTimeout(pending.timer)
    this.pending.delete(answer.id)
    if ('error' in answer) pending.reject(new Error(answer.error))
    else pending.resolve(answer.rows)
  }
}
