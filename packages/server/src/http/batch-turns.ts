import { bodyBytesMax } from '@kontor/contract'
import { failure } from '../kernel/errors.ts'
import { weightOf } from '../lib/portions.ts'

/** Calls of one batch that are at work at once: what they return is held until the batch is sent. */
const atOnceMax = 4

/** Bytes that the results of a batch may have before further queries are refused. */
const resultBytesMax = bodyBytesMax.bulk

/** The bytes of a value of the weight 1. */
const bytesOfWeight = 64

/** Lets the calls of one batch take turns, and refuses queries once the results before them are large. */
export class BatchTurns {
  #atWork = 0
  #resultBytes = 0
  readonly #waiting: (() => void)[] = []

  async run<T>(isQuery: boolean, call: () => Promise<T>): Promise<T> {
    if (this.#atWork >= atOnceMax) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    this.#atWork++
    try {
      if (isQuery && this.#resultBytes > resultBytesMax)
        throw failure('overloaded', 'The results of this batch are too large together; send this query by itself.')
      const result = await call()
      this.#resultBytes += weightOf(result) * bytesOfWeight
      return result
    } finally {
      this.#atWork--
      this.#waiting.shift()?.()
    }
  }
}
