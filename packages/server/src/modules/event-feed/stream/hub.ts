import { DatabaseUnavailable } from '../../../db/errors.ts'
import type { Database } from '../../../db/tx.ts'
import { Failure } from '../../../kernel/errors.ts'
import { handled } from '../../../lib/handled.ts'
import { listEvents, listHeads } from '../../events/index.ts'
import { Channel, type Follower } from './channel.ts'

/** Looks closer together than this are one. */
const gapMs = 10

/** Looks may take a fifth of the time: with ten thousand workspaces that are followed, one takes 30 ms. */
const restPerLook = 4

/** For what another process has committed without saying so. */
const pollMs = 1000

/** Events that are read for all followers at once; where more have come, each reads them for itself. */
const recentMax = 100

/** Followers in one process, some 20 KB each. */
const followersMax = 15_000

/** Tells a follower to come again a little later. */
export const overloaded = (detail: string): Failure =>
  new Failure({ code: 'overloaded', detail }, { retryAfterSeconds: 5 })

/** Reads the ends of the logs that have followers, once for all followers in this process. */
export class EventHub {
  readonly #database: Database
  readonly #onError: (error: unknown) => void
  readonly #channels = new Map<string, Channel>()
  #followers = 0
  #isEnded = false
  #restsUntilMs = 0
  #looking: Promise<void> | undefined
  #planned: NodeJS.Timeout | undefined
  #polling: NodeJS.Timeout | undefined
  #unsubscribe: (() => void) | undefined

  constructor(database: Database, onError: (error: unknown) => void) {
    this.#database = database
    this.#onError = onError
  }

  get followers(): number {
    return this.#followers
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Why no further follower is taken, if so. */
  refusal(): Failure | undefined {
    if (this.#isEnded) return overloaded('The server stops; try again.')
    return this.#followers < followersMax ? undefined : overloaded('Too many follow events here; try again.')
  }

  /** Begins to follow a workspace, of which all up to a number is known. */
  join(workspaceId: string, follower: Follower, head: number): Channel {
    const channel = this.#channels.get(workspaceId) ?? new Channel(head)
    this.#channels.set(workspaceId, channel)
    channel.followers.add(follower)
    if (this.#followers++ === 0) this.#begin()
    this.#plan()
    return channel
  }

  leave(workspaceId: string, follower: Follower): void {
    const channel = this.#channels.get(workspaceId)
    if (channel?.followers.delete(follower) !== true) return
    if (channel.followers.size === 0) this.#channels.delete(workspaceId)
    if (--this.#followers === 0) this.#rest()
  }

  /** Lets all streams end, and waits for what is being read. */
  async end(): Promise<void> {
    this.#isEnded = true
    this.#rest()
    for (const { followers } of this.#channels.values()) for (const { wake } of followers) wake()
    await this.#looking
  }

  #begin(): void {
    this.#unsubscribe = this.#database.subscribe('events', () => this.#plan(), 'everywhere')
    this.#polling = setInterval(() => {
      this.#plan()
      const nowMs = performance.now()
      for (const { followers } of this.#channels.values())
        for (const { dueMs, wake } of followers) if (dueMs <= nowMs) wake()
    }, pollMs)
  }

  #rest(): void {
    this.#unsubscribe?.()
    clearInterval(this.#polling)
    clearTimeout(this.#planned)
    this.#planned = undefined
  }

  #plan(): void {
    if (this.#isEnded) return
    this.#planned ??= setTimeout(
      () => {
        this.#looking = handled(this.#look())
      },
      Math.max(gapMs, this.#restsUntilMs - performance.now()),
    )
  }

  async #look(): Promise<void> {
    const fromMs = performance.now()
    try {
      for (const { workspace_id, last_sequence } of await listHeads(this.#database.reader, [
        ...this.#channels.keys(),
      ])) {
        const channel = this.#channels.get(workspace_id)
        if (channel !== undefined && last_sequence > channel.head)
          await this.#advance(workspace_id, channel, last_sequence)
      }
    } catch (error) {
      // The next look finds what this one has not.
      if (!(error instanceof DatabaseUnavailable)) this.#onError(error)
    } finally {
      const untilMs = performance.now()
      this.#restsUntilMs = untilMs + (untilMs - fromMs) * restPerLook
      // What was published from here on is seen by the next look.
      this.#planned = undefined
    }
  }

  async #advance(workspaceId: string, channel: Channel, head: number): Promise<void> {
    const isFar = head - channel.head > recentMax
    const range = { after: channel.head, until: head, rowsMax: recentMax }
    channel.advance(head, isFar ? [] : await listEvents(this.#database.reader, workspaceId, range))
  }
}
