import { errorDefinitions, type ErrorBody, type ErrorCode, type ErrorObject } from '@kontor/contract'
import { defined } from '../lib/guards.ts'

export type ErrorSource = NonNullable<ErrorObject['source']>

/** Faults reported in one answer; a bulk body may have more than a person reads. */
export const faultsMax = 100

/**
 * Longer texts repeat what the caller sent: they are of no use, and a hundred of them would be larger than any request.
 */
const textMax = 1000

/** Truncating may split a surrogate pair, and half of one is not valid text. */
const short = (text: string): string => (text.length <= textMax ? text : `${text.slice(0, textMax)}…`).toWellFormed()

const shortSource = (source: ErrorSource): ErrorSource =>
  Object.fromEntries(Object.entries(source).map(([kind, name]) => [kind, name && short(name)]))

/** One fault, as the caller reads it. */
export type Fault = {
  readonly code: ErrorCode
  /** For the caller: what is wrong and what is allowed. */
  readonly detail?: string
  readonly source?: ErrorSource
  readonly meta?: Readonly<Record<string, unknown>>
}

type FailureOptions = {
  /** For the log only; never serialised. */
  readonly cause?: unknown
  readonly retryAfterSeconds?: number
  /** The methods that the path accepts. */
  readonly allow?: readonly string[]
}

/** An error answer. All faults share the status of the first; the answer reports the first `faultsMax`. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly faults: readonly Fault[]
  readonly code: ErrorCode
  readonly retryAfterSeconds: number | undefined
  readonly allow: readonly string[] | undefined

  constructor(faults: Fault | readonly Fault[], options: FailureOptions = {}) {
    const list: readonly Fault[] = 'code' in faults ? [faults] : faults
    const { code, detail } = defined(list[0])
    super(short(detail ?? errorDefinitions[code].title), { cause: options.cause })
    this.faults = list
    this.code = code
    this.retryAfterSeconds = options.retryAfterSeconds
    this.allow = options.allow
  }

  get status(): number {
    return errorDefinitions[this.code].status
  }

  toBody(requestId: string): ErrorBody {
    return {
      errors: this.faults.slice(0, faultsMax).map(({ code, detail, source, meta }) => ({
        id: requestId,
        status: String(this.status),
        code,
        title: errorDefinitions[code].title,
        detail: short(detail ?? errorDefinitions[code].fix),
        ...(source && { source: shortSource(source) }),
        ...(meta && { meta }),
      })),
    }
  }
}

export const failure = (code: ErrorCode, detail?: string, more: Omit<Fault, 'code' | 'detail'> = {}): Failure =>
  new Failure({ code, ...(detail !== undefined && { detail }), ...more })

/** Faults of a body, beyond which only the first of each further item is told. */
const inAllMax = 1000

/**
 * The room that an answer has for faults: a hundred of each item, and in all a thousand and the first of each other
 * item. A body with a million of them costs no more than that to refuse.
 */
export class FaultRoom {
  readonly #byItem = new Map<unknown, number>()
  #inAll = 0

  /** Returns whether there is little left, so that a text that takes long to make is made shorter. */
  get isScarce(): boolean {
    return this.#inAll >= inAllMax
  }

  /** Takes the room of one more fault of an item; false where there is none. */
  take(item?: number): boolean {
    const own = this.#byItem.get(item) ?? 0
    if (own >= (this.isScarce ? 1 : faultsMax)) return false
    this.#byItem.set(item, own + 1)
    this.#inAll++
    return true
  }
}
