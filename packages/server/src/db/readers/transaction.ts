import { handled } from '../../lib/promises.ts'
import type { ReaderProcess } from './reader.ts'
import type { ReadRequest } from './protocol.ts'

/** Reads rows in a transaction. */
export type ReadRows = (request: Pick<ReadRequest, 'text' | 'values'>) => Promise<unknown[]>

/** A transaction for reading in a process that was kept for it, which has one request at a time. */
export class ReaderTransaction {
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
