import { all } from '../conformance/endpoints.ts'
import { faultOf, toldBy } from './oracle.ts'
import type { Secrets } from './other-workspace.ts'
import { shrunk } from './shrink.ts'
import { curlLine, type Surface, type WireAnswer, type WireRequest } from './wire.ts'

type Failure = { readonly request: WireRequest; readonly fault: string; readonly index: number; text?: string }

type Judging = {
  readonly secrets: Secrets
  readonly origin: string
  readonly send: (request: WireRequest) => Promise<WireAnswer>
  /** The errors that the app has logged since the last call. */
  readonly takeErrors: () => string[]
}

const surfaces: readonly Surface[] = ['rest', 'trpc', 'actions']

/** The kind of a fault: the same for all requests that meet it. */
const kindOf = (fault: string): string => fault.split(':', 1)[0]!.replaceAll(/\d{4,}/g, 'n')

/** Judges answers, keeps one failure of each kind, and makes them small enough to read. */
export class Verdicts {
  readonly #judging: Judging
  readonly #failures = new Map<string, Failure>()
  readonly #seen = new Set<string>()

  constructor(judging: Judging) {
    this.#judging = judging
  }

  get count(): number {
    return this.#failures.size
  }

  judge(request: WireRequest, answer: WireAnswer, index: number): void {
    if (!request.astray)
      this.#seen.add(`${request.surface} ${request.name}: ${answer.status < 400 ? 'a success' : 'a refusal'}`)
    const fault = faultOf(request, answer, this.#judging.secrets)
    if (fault !== undefined) this.add(request, fault, index)
  }

  add(request: WireRequest, fault: string, index: number): void {
    // Code that breaks inside may break elsewhere for another reason.
    const key = fault.startsWith('5') ? `${request.name} ${kindOf(fault)}` : kindOf(fault)
    if (!this.#failures.has(key)) this.#failures.set(key, { request, fault, index })
  }

  /**
   * Returns the calls that never succeeded: then requests do not get as far as they should, and the generators must
   * learn more.
   */
  missing(): string[] {
    const wanted = all.flatMap(([name]) =>
      surfaces.flatMap((surface) => ['a success', 'a refusal'].map((outcome) => `${surface} ${name}: ${outcome}`)),
    )
    return wanted.filter((outcome) => !this.#seen.has(outcome))
  }

  /** Makes new failures small while everything that they are about is still there. */
  async explain(): Promise<void> {
    for (const failure of this.#failures.values()) failure.text ??= await this.#describe(failure)
  }

  /** Every failure, with the smallest request that shows it. */
  get report(): string[] {
    return [...this.#failures.values()].map(({ text = 'not looked at yet' }) => text)
  }

  async #describe({ request, fault, index }: Failure): Promise<string> {
    const kind = kindOf(fault)
    const smallest = await shrunk(request, async (smaller) => kindOf((await this.#faultNow(smaller)) ?? '') === kind)
    this.#judging.takeErrors()
    const now = await this.#faultNow(smallest)
    const logged = this.#judging.takeErrors()
    return [
      `request ${index}, ${request.surface} ${request.name}: ${now ?? `${fault} (but not when sent again)`}`,
      curlLine(smallest, this.#judging.origin),
      ...logged,
    ].join('\n')
  }

  async #faultNow(request: WireRequest): Promise<string | undefined> {
    try {
      return faultOf(request, await this.#judging.send(request), this.#judging.secrets)
    } catch (error) {
      return (error as Error).message
    }
  }
}

/** Returns the fault of a call that was done again under its key, or answered otherwise than before. */
export function replayFault(request: WireRequest, first: WireAnswer, again: WireAnswer): string | undefined {
  if (first.status >= 300 || again.status >= 300) return undefined
  if (again.headers['idempotency-replayed'] !== 'true') return 'done twice under one Idempotency-Key'
  return again.status === first.status &&
    JSON.stringify(toldBy(request, again)) === JSON.stringify(toldBy(request, first))
    ? undefined
    : 'a replay that differs'
}
