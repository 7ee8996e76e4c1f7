import type { LoggedEvent } from '../../events/index.ts'

/** A follower of a workspace. */
export type Follower = {
  /** Names the key, or the person and their app or agent. */
  readonly credential: string
  /** Told that there are events, or that it is time for a sign of life. */
  readonly wake: () => void
  /** When it wants to be woken at the latest, on the clock of `performance.now()`. */
  readonly dueMs: number
}

/**
 * The end of the log of one workspace, as all followers of it in this process share it: its newest events are read
 * once, and what they say is put into words once for all who may see the same.
 */
export class Channel {
  readonly followers = new Set<Follower>()
  #head: number
  #recent: readonly LoggedEvent[] = []
  #texts = new Map<string, Promise<string>>()

  constructor(head: number) {
    this.#head = head
  }

  /** The number of the newest event that is known here. */
  get head(): number {
    return this.#head
  }

  /** Takes the events up to a new head; none where there are so many that the followers read them themselves. */
  advance(head: number, recent: readonly LoggedEvent[]): void {
    this.#head = head
    this.#recent = recent
    this.#texts = new Map()
    for (const { wake } of this.followers) wake()
  }

  /** The events after a number, if they are still here. */
  after(sequence: number): readonly LoggedEvent[] | undefined {
    if (sequence < this.#head - this.#recent.length) return undefined
    return this.#recent.filter((event) => event.sequence > sequence)
  }

  /** A text that several followers need, made by the first of them. */
  shared(key: string, make: () => Promise<string>): Promise<string> {
    const texts = this.#texts
    const known = texts.get(key)
    if (known !== undefined) return known
    const made = make()
    texts.set(key, made)
    made.catch(() => texts.delete(key))
    return made
  }
}
