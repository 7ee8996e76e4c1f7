/** An operation of a history: when it was sent and answered, and what it means in a state of the reference model. */
export type Event<State> = {
  /** In milliseconds of one clock. An event whose outcome is unknown is answered at `Infinity`. */
  readonly invoked: number
  readonly responded: number
  /** The state after it; the same state where it changed nothing; undefined where the model answers something else. */
  readonly step: (state: State) => State | undefined
  /** It changes nothing in any state that it fits: it reads, or was refused. */
  readonly isPure?: boolean
  /** Its outcome is unknown: it may have happened or not. */
  readonly optional?: true
}

export type Question<State> = {
  readonly initial: State
  readonly events: readonly Event<State>[]
  /** Returns whether a state is the one that was found when everything had come to rest. */
  readonly isFinal: (state: State) => boolean
  /** A text that two states share only where they are the same. */
  readonly fingerprint: (state: State) => string
  /** Calls of `step` after which the search gives up. */
  readonly stepsMax?: number
}

export type Verdict<State> =
  | { readonly kind: 'serial'; readonly order: readonly number[]; readonly state: State; readonly steps: number }
  /** `furthest` is the longest serial order that was found, and where it led. */
  | {
      readonly kind: 'none' | 'undecided'
      readonly furthest: { readonly order: readonly number[]; readonly state: State }
      readonly steps: number
    }

const stepsMaxByDefault = 400_000

/**
 * Looks for a serial order of the events that the reference model agrees with and that keeps real time: what was
 * answered before another was sent comes before it. The search is that of Wing and Gong with the memory of Lowe
 * (docs/decisions/0120): a set of events that are done, together with the state they led to, is looked at once.
 */
export function findSerialOrder<State>(question: Question<State>): Verdict<State> {
  return new Search(question).run()
}

class Search<State> {
  readonly #question: Question<State>
  readonly #done: boolean[]
  readonly #order: number[] = []
  readonly #seen = new Set<string>()
  /** The operation that is answered first mostly came first, so this order is tried first. */
  readonly #byAnswer: readonly number[]
  #furthest: { order: readonly number[]; state: State }
  #steps = 0

  constructor(question: Question<State>) {
    this.#question = question
    const { events, initial } = question
    this.#done = events.map(() => false)
    this.#byAnswer = events.map((_, index) => index).toSorted((a, b) => events[a]!.responded - events[b]!.responded)
    this.#furthest = { order: [], state: initial }
  }

  run(): Verdict<State> {
    const found = this.#search(this.#question.initial)
    const steps = this.#steps
    if (found !== undefined) return { kind: 'serial', order: this.#order, state: found, steps }
    return { kind: this.#isSpent() ? 'undecided' : 'none', furthest: this.#furthest, steps }
  }

  #isSpent = (): boolean => this.#steps > (this.#question.stepsMax ?? stepsMaxByDefault)

  /** The final state, with the order that leads there, or undefined with the order as it was. */
  #search(state: State): State | undefined {
    if (this.#isKnown(state)) return undefined
    const before = this.#order.length
    this.#takePure(state)
    if (this.#isOver(state)) return state
    for (const index of this.#enabled()) {
      if (this.#isSpent()) break
      const next = this.#step(index, state)
      if (next === undefined || (next === state && this.#question.events[index]!.optional === true)) continue
      this.#take(index)
      const found = this.#search(next)
      if (found !== undefined) return found
      this.#untake()
    }
    while (this.#order.length > before) this.#untake()
    return undefined
  }

  /**
   * An event that never changes anything is taken where it first fits, without trying it later: an order in which it
   * comes later is still one when it comes now. That does not hold for one that only happens to change nothing now.
   */
  #takePure(state: State): void {
    for (let isTaken = true; isTaken;) {
      isTaken = false
      for (const index of this.#enabled()) {
        if (this.#question.events[index]!.isPure !== true || this.#step(index, state) !== state) continue
        this.#take(index)
        isTaken = true
      }
    }
    if (this.#order.length > this.#furthest.order.length) this.#furthest = { order: [...this.#order], state }
  }

  #isOver(state: State): boolean {
    const { events, isFinal } = this.#question
    return events.every(({ optional }, index) => this.#done[index] === true || optional === true) && isFinal(state)
  }

  #isKnown(state: State): boolean {
    const key = `${this.#done.map(Number).join('')} ${this.#question.fingerprint(state)}`
    if (this.#seen.has(key)) return true
    this.#seen.add(key)
    return false
  }

  /** Events that may come next: nothing that is left was answered before they were sent. */
  #enabled(): number[] {
    const { events } = this.#question
    const left = this.#byAnswer.filter((index) => this.#done[index] !== true)
    const first = Math.min(...left.map((index) => events[index]!.responded))
    return left.filter((index) => events[index]!.invoked <= first)
  }

  #step(index: number, state: State): State | undefined {
    this.#steps++
    return this.#question.events[index]!.step(state)
  }

  #take(index: number): void {
    this.#done[index] = true
    this.#order.push(index)
  }

  #untake(): void {
    this.#done[this.#order.pop()!] = false
  }
}
