import { deserialize } from 'node:v8'
import type { FromProcess, Past } from './protocol.ts'

/** The run has been ended while it waited, and is begun again later. */
export class Parked extends Error {
  override readonly name = 'Parked'
}

/**
 * The conversation of a task with the server while it runs. It may be run again from its beginning, with the answers
 * that it has had in the same order, so what it does may depend on nothing but its input and these.
 */
export class Talk<Call = unknown, Answer = unknown> {
  readonly #send: (message: FromProcess) => void
  readonly #cpuMs: () => number
  readonly #answers: Answer[]
  #calls: number
  #lines: number
  #taken = 0
  #waiting: { readonly go: () => void; readonly stop: (reason: Parked) => void } | undefined

  constructor(send: (message: FromProcess) => void, { answers, calls, lines }: Past, cpuMs: () => number) {
    this.#send = send
    this.#cpuMs = cpuMs
    this.#answers = answers.map((answer) => deserialize(answer) as Answer)
    this.#calls = calls
    this.#lines = lines
  }

  /** Asks the server for something; the answers come in any order. */
  call(call: Call): void {
    if (this.#calls > 0) this.#calls--
    else this.#send({ call })
  }

  line(line: string): void {
    if (this.#lines > 0) this.#lines--
    else this.#send({ line })
  }

  /** Returns the next answer. Rejects with `Parked`, which the task passes on. */
  async next(): Promise<Answer> {
    if (this.#answers.length === 0) {
      const { promise, resolve: go, reject: stop } = Promise.withResolvers<void>()
      this.#waiting = { go, stop }
      this.#send({ waits: { answers: this.#taken, cpuMs: this.#cpuMs() } })
      await promise
    }
    this.#taken++
    return this.#answers.shift() as Answer
  }

  /** Takes an answer of the server. */
  answer(answer: Buffer): void {
    this.#answers.push(deserialize(answer) as Answer)
    this.#waiting?.go()
    this.#waiting = undefined
  }

  /** Ends a run that waits. */
  park(): void {
    this.#waiting?.stop(new Parked())
    this.#waiting = undefined
  }
}
