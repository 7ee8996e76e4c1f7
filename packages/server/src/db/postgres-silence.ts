import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { memberOf } from '../lib/guards.ts'
import { onOwnConnection } from './own-connection.ts'
import { socketOf } from './postgres-shared.ts'

const lookEveryMs = 500

/** Looks at a connection that finds no byte of a response before Postgres is asked: small statements take no 2 s. */
const looksMax = 4

/** Bytes that a slow network carries between two looks. Until a statement has arrived, its session is idle. */
const bytesPerLook = 500_000

/** Longest that Postgres may take for each step of the question: a connection, and a statement on it. */
const askMsMax = 2000

/**
 * Selects those of some sessions that work on nothing, or are gone. Behind a pooler, whose connections do not have the
 * process of their session, there are none.
 */
const selectIdle = `select pid from unnest($1::int[]) as pid
  where pg_backend_pid() = $2 and pid not in (
    select pid from pg_stat_activity where coalesce(state, '') not like 'idle%')`

/** Ends sessions, which would keep the locks of their transactions: each is one of Kontor, and works on nothing. */
const terminateIdle = `select pg_terminate_backend(pid) from pg_stat_activity
  where pid = any($1::int[]) and datname = current_database() and usename = current_user
    and application_name = $2 and state like 'idle%'`

type Options = {
  readonly url: string
  /** Names the connections in `pg_stat_activity`. */
  readonly name: string
  /** Called once silent connections were dropped: others may be silent too. */
  readonly onSilence: () => void
}

/**
 * Finds connections of a pool whose network loses all bytes without a reset, as after a fail-over or in a firewall that
 * has forgotten them. Where a statement gets no response, a connection of its own asks Postgres what the session is
 * doing: if it works on nothing, the response will never come, and the connection is dropped (docs/decisions/0411). A
 * statement that takes long, or waits for a lock, is left alone. Without its socket, a connection is never silent.
 */
export class SilenceWatch {
  readonly #options: Options
  readonly #connections = new Map<object, WatchedConnection>()
  #timer: NodeJS.Timeout | undefined
  #isAsking = false

  constructor(options: Options) {
    this.#options = options
  }

  /** Watches a connection from before it is made. */
  add(client: Client): void {
    this.#connections.set(client, new WatchedConnection(client))
    client.once('end', () => this.#connections.delete(client))
    this.#timer ??= setInterval(() => this.#look(), lookEveryMs).unref()
  }

  /** Notes that a connection is made, before it has a statement. */
  begin(client: object): void {
    this.#connections.get(client)?.begin()
  }

  /** Drops the connections without a statement that have brought nothing since a time, and returns them. */
  dropQuiet(sinceMs: number): readonly WatchedConnection[] {
    const quiet = [...this.#connections.values()].filter((one) => one.isQuietSince(sinceMs))
    for (const one of quiet) one.drop()
    return quiet
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const nowMs = performance.now()
    for (const one of this.#connections.values()) one.look(nowMs)
    if (!this.#isAsking && [...this.#connections.values()].some((one) => one.isSilent)) void this.#ask()
  }

  async #ask(): Promise<void> {
    this.#isAsking = true
    const options = { url: this.#options.url, name: 'kontor-probe', stepMsMax: askMsMax }
    try {
      await onOwnConnection(options, async (client) => {
        const dead = await this.#findDead(client)
        if (dead.length > 0) await this.#drop(client, dead)
      })
    } catch {
      // A Postgres that does not respond says nothing about its sessions.
    } finally {
      this.#isAsking = false
    }
  }

  /**
   * Finds the connections whose response will never come. Postgres is asked twice: a session that had just not begun
   * has read its statement by then, and may have responded. If one is dead, those that have waited for less are too.
   */
  async #findDead(client: Client): Promise<readonly WatchedConnection[]> {
    const waiting = [...this.#connections.values()].filter((one) => one.isWaiting)
    const idle = await idleAmong(client, waiting)
    for (const one of waiting) if (one.isSilent && !idle.includes(one)) one.startAgain(performance.now())
    if (!idle.some((one) => one.isSilent)) return []
    await sleep(lookEveryMs, undefined, { ref: false })
    const dead = (await idleAmong(client, idle)).filter((one) => one.isWaiting)
    return dead.some((one) => one.isSilent) ? dead : []
  }

  async #drop(client: Client, dead: readonly WatchedConnection[]): Promise<void> {
    for (const one of dead) one.drop()
    const quiet = this.dropQuiet(Math.min(...dead.map(({ silentMs }) => silentMs)))
    this.#options.onSilence()
    const pids = [...dead, ...quiet].flatMap(({ pid = [] }) => pid)
    await client.query(terminateIdle, [pids, this.#options.name])
  }
}

/** Returns those whose sessions are idle or gone, or were not begun in the time in which this connection was made. */
async function idleAmong(
  client: Client,
  connections: readonly WatchedConnection[],
): Promise<readonly WatchedConnection[]> {
  const { rows } = await client.query<{ pid: number }>(selectIdle, [
    connections.flatMap(({ pid = [] }) => pid),
    memberOf(client, 'processID'),
  ])
  const pids = new Set(rows.map(({ pid }) => pid))
  return connections.filter(({ pid }) => pid === undefined || pids.has(pid))
}

/** One connection, as its socket shows it at each look. A process that was stopped has looked once meanwhile. */
class WatchedConnection {
  /** The process of its session; undefined while the connection is being made. */
  pid: number | undefined
  /** The time of the last look before the silence. */
  silentMs = performance.now()
  readonly #client: Client
  /** Bytes written when the last response had come. */
  #answered = -1
  #read = 0
  #readMs = this.silentMs
  /** Bytes written before the silence. */
  #written = 0
  #looks = 0

  constructor(client: Client) {
    this.#client = client
    client.on('drain', () => (this.#answered = this.#bytes.written))
  }

  begin(): void {
    this.pid = Number(memberOf(this.#client, 'processID'))
    this.#answered = this.#bytes.written
  }

  look(nowMs: number): void {
    const { read } = this.#bytes
    const hasRead = read !== this.#read
    if (hasRead) {
      this.#read = read
      this.#readMs = nowMs
    }
    if (hasRead || !this.#isBusy) this.startAgain(nowMs)
    else this.#looks++
  }

  /** Counts the looks from here on. */
  startAgain(nowMs: number): void {
    this.#looks = 0
    this.#written = this.#bytes.written
    this.silentMs = nowMs
  }

  /** Returns whether a statement is under way that has brought nothing between two looks. */
  get isWaiting(): boolean {
    return this.#isBusy && this.#looks > 0 && this.#bytes.read === this.#read
  }

  /** Returns whether it has waited for longer than is usual. */
  get isSilent(): boolean {
    const sent = this.#bytes.written - this.#written
    return this.isWaiting && this.#looks >= looksMax + sent / bytesPerLook
  }

  isQuietSince(ms: number): boolean {
    return !this.#isBusy && this.#readMs <= ms && this.#bytes.read === this.#read
  }

  /** Ends it: its statements fail as those of any connection that breaks. */
  drop(): void {
    socketOf(this.#client)?.destroy()
  }

  get #isBusy(): boolean {
    return this.#bytes.written > this.#answered
  }

  /** The socket is another one once it is encrypted. */
  get #bytes(): { readonly read: number; readonly written: number } {
    const socket = socketOf(this.#client)
    return { read: socket?.bytesRead ?? 0, written: socket?.bytesWritten ?? 0 }
  }
}
