import type { Random } from '../../harness/random.ts'
import type { RequestOptions } from '../../harness/api.ts'
import type { TestApp } from '../../harness/app.ts'
import type { Answer, Json } from '../../harness/http.ts'
import type { Caller } from '../../harness/people.ts'
import type { Expected } from './answers.ts'
import { item, note, place, type State } from './state.ts'

export type Send = TestApp['api']['send']

/** The view of one statement of a read, and what it sees in a state. */
export type Part = {
  readonly seen: Json
  readonly expected: (state: State) => Json
  /**
   * Where it sees what another statement has not left out: the state after it, undefined where it sees something else.
   * To be
   * asked where no order explains that each has seen all of one moment, since it takes more steps.
   */
  readonly step?: (state: State) => State | undefined
}

/** Something that a client does, and what the reference model says of it. */
export type Operation = {
  /** It changes nothing. */
  readonly isRead?: true
  /** Records that are gone, or back, if it succeeds. */
  readonly takes?: readonly string[]
  readonly brings?: readonly string[]
  /**
   * The names of the records that it creates, or the words of a comment; by these they are found where its answer is
   * lost.
   */
  readonly names?: readonly string[]
  /** For people who read a history. */
  readonly words: string
  readonly send: (send: Send) => Promise<Answer>
  /** `made` are the ids of records that it has created, in their order. */
  readonly expect: (state: State, made: readonly string[]) => Expected
  /** Takes from its body the parts that count. */
  readonly see?: (body: Json) => Json
  /**
   * The parts that are read by statements of their own, each of which sees the state of its own moment: on Postgres a
   * read is no transaction (docs/decisions/0120). `expect` then says whether there is an answer, and which version of
   * the record.
   */
  readonly parts?: (body: Json) => readonly Part[]
  /** Answers that may be given at any time, since another operation is under way: 409 of schemas and of keys. */
  readonly mayRefuse?: readonly string[]
  /** Where the model knows several outcomes, how to choose each; `expect` follows the one that was chosen last. */
  readonly ways?: () => readonly Way[]
}

/** Chooses one of the outcomes of an operation. */
export type Way = () => void

export type Person = 'admin' | 'member' | 'second'

/** The knowledge of clients of a workspace while they work on it. */
export class Pool {
  readonly random: Random
  readonly people: Readonly<Record<Person, { readonly as: Caller; readonly id: string }>>
  /** Ids of records by object, whatever has become of them. */
  readonly ids: Record<string, string[]> = { [item]: [], [place]: [], [note]: [] }
  readonly versions = new Map<string, number>()
  /** Fields that items may have, or not. */
  readonly extra: readonly string[]
  /** Of these records, the ids that were last heard of as deleted or merged. */
  readonly gone = new Set<string>()
  readonly comments: string[] = []
  /** Grants that were given, and the note of each. */
  readonly grants = new Map<string, string>()
  /** Operations that were sent under an idempotency key. */
  readonly keyed: Operation[] = []
  /** Names of fields that clients add at this moment. */
  readonly adding: string[] = []
  /** Changes of items' fields that are under way at this moment, and whether each has met another one. */
  readonly changes = new Set<{ hasMet: boolean }>()
  /** A list that items are put into by hand. */
  list = ''
  /** Makes values that no earlier set of records has. */
  readonly mark: string
  readonly #isBehind: boolean
  #serial = 0

  constructor({
    random,
    people,
    mark,
    extra,
    nodes,
  }: Pick<Pool, 'random' | 'people' | 'mark' | 'extra'> & { nodes: number }) {
    this.random = random
    this.people = people
    this.mark = mark
    this.extra = extra
    this.#isBehind = nodes > 1
  }

  /**
   * Attributes of a record that is read: another node may go on for five seconds with the schemas of before
   * (docs/decisions/0024, 0061), so that fields which come and go are not looked at there.
   */
  read<R extends { readonly attributes: Json }>(record: R): R {
    if (!this.#isBehind) return record
    const steady = Object.entries<Json>(record.attributes).filter(([name]) => !this.extra.includes(name))
    return { ...record, attributes: Object.fromEntries(steady) }
  }

  serial = (): number => ++this.#serial

  /** A name that is given once in the whole workspace. */
  name = (kind: string): string => `${this.mark} ${kind} ${this.serial()}`

  /** A record, mostly one that is as wanted: many operations on what is gone show little. */
  id(object: string, wanted: 'live' | 'gone' = 'live'): string {
    const all = this.ids[object]!
    const fitting = all.filter((id) => this.gone.has(id) === (wanted === 'gone'))
    return this.random.pick(fitting.length === 0 || this.random.chance(0.15) ? all : fitting)
  }

  some(object: string, max: number, wanted: 'live' | 'gone' = 'live'): string[] {
    return [...new Set(Array.from({ length: this.random.between(1, max) }, () => this.id(object, wanted)))]
  }

  known(object: string, id: string): void {
    if (!this.ids[object]!.includes(id)) this.ids[object]!.push(id)
  }

  /** For histories: the last digits of an id tell records of one set apart. */
  static short = (id: string | null): string => (id === null ? 'null' : id.slice(-6))
}

/** One operation of a client, as it went. */
export type Happening = {
  readonly operation: Operation
  readonly client: string
  readonly invoked: number
  readonly responded: number
  /** Undefined where the connection was lost, or the server did not know. */
  readonly answer: Answer | undefined
  made: readonly string[]
  /** An answer that leaves the outcome open. */
  readonly open?: Answer
}

const isUnknown = ({ status }: Answer): boolean => status >= 500

/** Does something and notes when and what. Errors of the network leave the outcome open, as answers of 5xx do. */
export async function happen(operation: Operation, send: Send, client: string): Promise<Happening> {
  const invoked = performance.now()
  const raw = await operation.send(send).catch(() => undefined)
  const isOpen = raw === undefined || isUnknown(raw)
  const made = isOpen || raw.status >= 400 ? [] : madeIn(raw.body)
  return {
    operation,
    client,
    invoked,
    responded: isOpen ? Infinity : performance.now(),
    answer: isOpen ? undefined : raw,
    made,
    ...(isOpen && raw !== undefined && { open: raw }),
  }
}

/** The ids of records in an answer, in their order. */
function madeIn(body: Json): string[] {
  if (body?.results !== undefined) return body.results.map(({ data }: Json) => (data?.id as string | undefined) ?? '')
  if (body?.data === undefined) return body?._id === undefined ? [] : [body._id as string]
  return [body.data].flat().map(({ id }: Json) => id as string)
}

/** The `options` of a request by a person who changes something. */
export const by = (pool: Pool, person: Person, body?: unknown, more: RequestOptions = {}): RequestOptions => ({
  as: pool.people[person].as,
  ...(body !== undefined && { body }),
  ...more,
})
