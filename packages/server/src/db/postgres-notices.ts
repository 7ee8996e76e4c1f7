import { Client } from 'pg'
import { isList, isRecord, isString } from '../lib/guards.ts'
import { listenerName } from './migrations/connected.ts'
import { knownMigrations } from './migrations/index.ts'
import { keptAlive } from './postgres-pool.ts'
import type { Heard, Message, Topic } from './published-topics.ts'

/** One for all topics: each NOTIFY takes a lock of the whole database at its commit, however many listen. */
const channel = 'kontor'

/** Interval within which notices are combined into one message. */
const gapMs = 50

/** The topic that is sent without delay: other processes trust what they have read until they receive it. */
const urgent = 'access' satisfies Topic

/** The time after which a connection that broke is opened again. */
const againMs = 1000

/** The interval in which a connection that has brought nothing is asked for something: its network may lose all. */
const checkEveryMs = 10_000

/** Longest that a connection may take to be made, and to respond. */
const connectMsMax = 10_000
const responseMsMax = 3000

/** Topics for every process; others are sent only if the process that publishes them has no subscriber. */
const ofInterest: ReadonlySet<Topic> = new Set<Topic>(['jobs', 'events', 'access'])

type Options = {
  readonly url: string
  readonly send: (query: { readonly text: string; readonly values: string[] }) => Promise<unknown>
  readonly isAttended: (topic: Topic) => boolean
  readonly onHeard: (heard: Heard) => void
  /** Called with each new connection that listens. */
  readonly onConnected: (client: Client) => Promise<void>
  /** Called when the connection has brought nothing since a time, and was dropped. */
  readonly onSilence: (sinceMs: number) => void
}

/**
 * Carries published topics between processes, by LISTEN on a connection of its own and NOTIFY outside of the
 * transactions that published. It does what it can: its subscribers poll too (docs/decisions/0152).
 */
export class PostgresNotices {
  readonly #options: Options
  readonly #topics = new Set<Topic>()
  #telling: NodeJS.Timeout | undefined
  /** Messages on their way: a process that ends has told what it did. */
  readonly #sent = new Set<Promise<unknown>>()
  #client: Client | undefined
  /** The connection that listens and is at no other work. */
  #listener: Client | undefined
  #checking: NodeJS.Timeout | undefined
  #hasHeard = false
  #again: NodeJS.Timeout | undefined
  /** The process of Postgres behind the connection that listens: it tells who has sent a message. */
  #pid: number | undefined
  readonly #tried = Promise.withResolvers<void>()
  #isListening = false
  #isHeard = false
  #isClosed = false

  constructor(options: Options) {
    this.#options = options
  }

  /** Returns whether messages come through: this process has heard one of its own since it has connected. */
  get isHeard(): boolean {
    return this.#isHeard
  }

  /** Opens the connection, unless it is open. */
  listen(): void {
    if (this.#isListening) return
    this.#isListening = true
    this.#checking = setInterval(() => {
      if (!this.#hasHeard) void this.check()
      this.#hasHeard = false
    }, checkEveryMs).unref()
    void this.#connect()
  }

  /** Drops the connection if it does not respond; it is then opened again. */
  async check(): Promise<void> {
    const client = this.#listener
    if (client === undefined) return
    this.#listener = undefined
    const sinceMs = performance.now()
    try {
      await client.query(inTime('select 1'))
      if (this.#client === client) this.#listener = client
    } catch {
      client.end().catch(() => undefined)
      this.#options.onSilence(sinceMs)
    }
  }

  /** Opens the connection, and waits for the first attempt at it: others see this process then. */
  async join(): Promise<void> {
    this.listen()
    await this.#tried.promise
  }

  tell(topics: Iterable<Topic>): void {
    const { isAttended } = this.#options
    for (const topic of topics) if (ofInterest.has(topic) || !isAttended(topic)) this.#topics.add(topic)
    if (this.#topics.size === 0 || this.#isClosed) return
    if (this.#topics.has(urgent)) this.#send()
    else this.#telling ??= setTimeout(() => this.#send(), gapMs).unref()
  }

  /** Sends a message to the other processes at once. */
  send(message: Message): void {
    if (!this.#isClosed) this.#notify({ topics: [], unattended: [], message })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#telling)
    clearTimeout(this.#again)
    clearInterval(this.#checking)
    await Promise.all(this.#sent)
    await this.#client?.end().catch(() => undefined)
  }

  #send(): void {
    clearTimeout(this.#telling)
    this.#telling = undefined
    const topics = [...this.#topics]
    this.#topics.clear()
    const unattended = topics.filter((topic) => !this.#options.isAttended(topic))
    this.#notify({ topics, unattended })
  }

  #notify(heard: Heard): void {
    const values = [channel, JSON.stringify({ from: this.#pid, ...heard })]
    const sent = this.#options
      .send({ text: 'select pg_notify($1, $2)', values })
      .catch(() => undefined)
      .finally(() => this.#sent.delete(sent))
    this.#sent.add(sent)
  }

  async #connect(): Promise<void> {
    const client = new Client({
      connectionString: this.#options.url,
      application_name: listenerName(knownMigrations),
      connectionTimeoutMillis: connectMsMax,
      ...keptAlive,
    })
    this.#client = client
    const lost = (): void => {
      if (this.#client !== client || this.#isClosed) return
      this.#client = undefined
      this.#listener = undefined
      this.#isHeard = false
      client.end().catch(() => undefined)
      this.#again = setTimeout(() => void this.#connect(), againMs).unref()
    }
    client.on('error', lost)
    client.on('end', lost)
    client.on('notification', ({ payload = '' }) => this.#hear(payload))
    try {
      await client.connect()
      const { rows } = await client.query<{ pid: number }>(inTime('select pg_backend_pid() as pid'))
      this.#pid = rows[0]?.pid
      await client.query(inTime(`listen ${channel}`))
      // While the connection was away, anything may have been told.
      this.#options.onHeard({ topics: [...ofInterest], unattended: [] })
      // To itself: behind a pool that shares connections between transactions, it does not come.
      this.#notify({ topics: [], unattended: [] })
      await this.#options.onConnected(client)
      if (this.#client === client) this.#listener = client
    } catch {
      lost()
    } finally {
      this.#tried.resolve()
    }
  }

  #hear(payload: string): void {
    this.#hasHeard = true
    const told = parsed(payload)
    if (told === undefined) return
    if (told.from === this.#pid) this.#isHeard = true
    else this.#options.onHeard(told)
  }
}

const inTime = (text: string) => ({ text, query_timeout: responseMsMax })

/** Parses a message; undefined for one of another program that uses the channel. */
function parsed(payload: string): (Heard & { readonly from: unknown }) | undefined {
  try {
    const told: unknown = JSON.parse(payload)
    if (!isRecord(told)) return undefined
    const { from, topics, unattended, message } = told
    return { from, topics: textsIn(topics), unattended: textsIn(unattended), message: messageIn(message) }
  } catch {
    return undefined
  }
}

const messageIn = (value: unknown): Message | undefined =>
  isRecord(value) && isString(value['name']) ? { name: value['name'], data: value['data'] } : undefined

const textsIn = (value: unknown): string[] => (isList(value) ? value.filter(isString) : [])
