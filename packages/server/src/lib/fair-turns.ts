import { defined } from './guards.ts'

type Waiting = { readonly start: () => void; readonly timer: NodeJS.Timeout | undefined }

/** Those who share the turns: each workspace is a party, and so is the server itself. */
type Party = { readonly waiting: Lanes<Waiting>; running: number }

export type FairTurnsOptions = {
  readonly atOnceMax: number
  /** The most of one party that runs at once; by default all but one, so that another finds a turn free. */
  readonly eachMax?: number
  readonly waitingMax: number
  /** Limit for a single wait. */
  readonly waitMsMax: number
  /** Checked before further work starts while other work runs; work that runs alone always may. */
  readonly mayJoin: () => boolean
  readonly refusals: Refusals
}

/** Creates the errors for work that gets no turn. */
type Refusals = {
  /** Too much of its party waits already. */
  readonly crowded: (message: string) => Error
  /** It has waited for `waitMsMax`. */
  readonly late: (message: string) => Error
}

type TurnOptions = {
  /** Ends the wait, not the work. */
  readonly signal?: AbortSignal | undefined
  /** It has had a turn and given it up for others: it goes before what its party has waiting, and is never refused. */
  readonly isResumption?: boolean
  /** Works of several kinds take turns within their party. */
  readonly kind?: string
}

/** A party may have so much of the queue waiting. One that has nothing waiting may always join it. */
const queueShare = 0.25

/** A kind of which less than this share of that waits may join, however much waits of others. */
const kindShare = 0.2

/**
 * Limits how much work runs at once. The rest waits, the work of each party in the order in which it came; the next
 * turn goes to the party that has the fewest running, and among equals to the one whose last turn is longest ago. Where
 * there are several turns, one party never has all of them: another that comes finds one free. So what a party waits
 * for is what it asks for itself, and not what others do (docs/decisions/0235).
 */
export class FairTurns {
  readonly #options: FairTurnsOptions
  /** Parties with anything running or waiting; the one whose last turn is longest ago stands first. */
  readonly #parties = new Map<string, Party>()
  readonly #eachMax: number
  readonly #eachWaitingMax: number
  #running = 0
  #waiting = 0

  constructor(options: FairTurnsOptions) {
    this.#options = options
    this.#eachMax = options.eachMax ?? Math.max(1, options.atOnceMax - 1)
    this.#eachWaitingMax = Math.max(1, Math.floor(options.waitingMax * queueShare))
  }

  get waiting(): number {
    return this.#waiting
  }

  get running(): number {
    return this.#running
  }

  /** Runs work when its turn comes. */
  async run<T>(name: string, work: () => Promise<T>, options: TurnOptions = {}): Promise<T> {
    options.signal?.throwIfAborted()
    const party = this.#partyOf(name)
    if (party.waiting.length > 0 || !this.#mayStart(party)) await this.#wait(name, party, options)
    else {
      party.waiting.begin(options.kind ?? '')
      this.#take(name, party)
    }
    try {
      return await work()
    } finally {
      this.#running--
      party.running--
      // Behind those that have come while it ran.
      this.#putLast(name, party)
      this.#startWaiting()
    }
  }

  #partyOf(name: string): Party {
    const known = this.#parties.get(name)
    if (known !== undefined) return known
    const party = { waiting: new Lanes<Waiting>(), running: 0 }
    this.#parties.set(name, party)
    return party
  }

  #mayStart(party: Party): boolean {
    if (this.#running === 0) return true
    return party.running < this.#eachMax && this.#running < this.#options.atOnceMax && this.#options.mayJoin()
  }

  /** Counted before it runs, so that no other work takes its turn. */
  #take(name: string, party: Party): void {
    this.#running++
    party.running++
    this.#putLast(name, party)
  }

  /** One with nothing left is forgotten: it stands last when it comes again. */
  #putLast(name: string, party: Party): void {
    this.#parties.delete(name)
    if (party.running > 0 || party.waiting.length > 0) this.#parties.set(name, party)
  }

  async #wait(name: string, party: Party, { signal, isResumption = false, kind = '' }: TurnOptions): Promise<void> {
    const { waitMsMax, refusals } = this.#options
    if (!isResumption && party.waiting.lengthOf(kind) >= this.#waitingMaxFor(party))
      throw refusals.crowded(`${party.waiting.length} wait for their turn already`)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const giveUp = (reason: unknown) => {
      if (!party.waiting.remove(kind, waiting)) return
      this.#waiting--
      if (party.running === 0 && party.waiting.length === 0) this.#parties.delete(name)
      reject(reason)
    }
    const late = () => giveUp(refusals.late(`No turn came within ${waitMsMax} ms`))
    const timer = isResumption ? undefined : setTimeout(late, waitMsMax)
    const stop = () => giveUp(signal?.reason)
    signal?.addEventListener('abort', stop, { once: true })
    const waiting = { start: resolve, timer }
    party.waiting.add(kind, waiting, isResumption)
    this.#waiting++
    try {
      await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    }
  }

  /** Returns the number of one kind that a party may have waiting. */
  #waitingMaxFor(party: Party): number {
    if (this.#waiting >= this.#options.waitingMax) return 1
    return party.waiting.length < this.#eachWaitingMax
      ? this.#eachWaitingMax
      : Math.max(1, Math.floor(this.#eachWaitingMax * kindShare))
  }

  #startWaiting(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const [name, party] = next
      const { start, timer } = defined(party.waiting.shift())
      clearTimeout(timer)
      this.#waiting--
      this.#take(name, party)
      start()
    }
  }

  /** The party whose turn it is; a look at each of them, of which there are as many as workspaces that wait. */
  #next(): [string, Party] | undefined {
    let next: [string, Party] | undefined
    for (const one of this.#parties) {
      const [, party] = one
      if (party.waiting.length === 0 || !this.#mayStart(party)) continue
      if (next === undefined || party.running < next[1].running) next = one
    }
    return next
  }
}

type Lane<T> = { readonly waiting: T[]; turn: number }

/** A queue with a lane for each kind. The lanes take turns, so that one never waits for many of another kind. */
class Lanes<T> {
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
