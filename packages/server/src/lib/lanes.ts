type Lane<T> = { readonly waiting: T[]; turn: number }

/** A queue with a lane for each kind. The lanes take turns, so that one never waits for many of another kind. */
export class Lanes<T> {
  readonly #lanes = new Map<string, Lane<T>>()
  #turns = 0
  #length = 0

  get length(): number {
    return this.#length
  }

  lengthOf(kind: string): number {
    return this.#lanes.get(kind)?.waiting.length ?? 0
  }

  /** Notes that one of a kind has its turn. */
  begin(kind: string): void {
    this.#lane(kind).turn = ++this.#turns
  }

  add(kind: string, one: T, isFirst: boolean): void {
    this.#lane(kind).waiting[isFirst ? 'unshift' : 'push'](one)
    this.#length++
  }

  /** Removes one; returns whether it was there. */
  remove(kind: string, one: T): boolean {
    const { waiting } = this.#lane(kind)
    const index = waiting.indexOf(one)
    if (index === -1) return false
    waiting.splice(index, 1)
    this.#length--
    return true
  }

  /** Removes what comes next: the first of the lane whose last turn is longest ago. */
  shift(): T | undefined {
    let next: [string, Lane<T>] | undefined
    for (const one of this.#lanes)
      if (one[1].waiting.length > 0 && (next === undefined || one[1].turn < next[1].turn)) next = one
    if (next === undefined) return undefined
    this.begin(next[0])
    this.#length--
    return next[1].waiting.shift()
  }

  #lane(kind: string): Lane<T> {
    const known = this.#lanes.get(kind)
    if (known !== undefined) return known
    const lane = { waiting: [], turn: 0 }
    this.#lanes.set(kind, lane)
    return lane
  }
}
