import { DatabaseUnavailable, RowsTooLarge } from '../../../db/errors.ts'
import type { Database } from '../../../db/tx.ts'
import { Failure } from '../../../kernel/errors.ts'
import { handled } from '../../../lib/promises.ts'
import { listEvents, listHeads } from '../../events/index.ts'
import { Channel, type Follower } from './channel.ts'

/** Looks closer together than this are one. */
const gapMs = 10

/** Looks may take a fifth of the time: with ten thousand workspaces that are followed, one takes 30 ms. */
const restPerLook = 4

/** A look that waited for the database for long tells nothing about the next one. */
const restMsMax = 5000

/** For what another process has committed without saying so. */
const pollMs = 1000

/** Events that are read for all followers at once; where more have come, each reads them for itself. */
const recentMax = 100

/** The limits of followers of events in one process; each takes some 20 KB. */
export type FollowerLimits = {
  readonly all: number
  readonly ofWorkspace: number
  readonly ofCredential: number
}

const limitsByDefault: FollowerLimits = { all: 15_000, ofWorkspace: 5000, ofCredential: 100 }

/** Tells a follower to come again a little later. */
export const overloaded = (detail: string): Failure =>
  new Failure({ code: 'overloaded', detail }, { retryAfterSeconds: 5 })

const tooMany = (most: number): Failure =>
  new Failure(
    {
      code: 'rate_limited',
      detail: `This credential has ${most} open event streams. Close some before you open more.`,
    },
    { retryAfterSeconds: 5 },
  )

/** Reads the ends of the logs that have followers, once for all followers in this process. */
export class EventHub {
  readonly #database: Database
  readonly #limits: FollowerLimits
  readonly #onError: (error: unknown) => void
  readonly #ofCredential = new Map<string, number>()
  readonly #channels = new Map<string, Channel>()
  #followers = 0
  #isEnded = false
  #restsUntilMs = 0
  #looking: Promise<void> | undefined
  #planned: NodeJS.Timeout | undefined
  #polling: NodeJS.Timeout | undefined
  #unsubscribe: (() => void) | undefined

  constructor(database: Database, limits: Partial<FollowerLimits> | undefined, onError: (error: unknown) => void) {
    this.#database = database
    this.#limits = { ...limitsByDefault, ...limits }
    this.#onError = onError
  }

  get followers(): number {
    return this.#followers
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Why a workspace or a credential may have no further follower, if so. */
  refusal(workspaceId: string, credential: string): Failure | undefined {
    const { all, ofWorkspace, ofCredential } = this.#limits
    if (this.#isEnded) return overloaded('The server is stopping; try again.')
    if ((this.#ofCredential.get(credential) ?? 0) >= ofCredential) return tooMany(ofCredential)
    if ((this.#channels.get(workspaceId)?.followers.size ?? 0) >= ofWorkspace)
      return overloaded(`This workspace has ${ofWorkspace} open event streams. Close some, or try again later.`)
    return this.#followers < all ? undefined : overloaded('The server has too many open event streams; try again.')
  }

  /** Begins to follow a workspace, of which all up to a number is known; undefined where there is no room left. */
  join(workspaceId: string, follower: Follower, head: number): Channel | undefined {
    // Requests that were answered at the same time may be one too many together.
    if (this.refusal(workspaceId, follower.credential) !== undefined) return undefined
    const channel = this.#channels.get(workspaceId) ?? new Channel(head)
    this.#channels.set(workspaceId, channel)
    channel.followers.add(follower)
    this.#count(follower, 1)
    if (this.#followers++ === 0) this.#begin()
    this.#plan()
    return channel
  }

  leave(workspaceId: string, follower: Follower): void {
    const channel = this.#channels.get(workspaceId)
    if (channel?.followers.delete(follower) !== true) return
    this.#count(follower, -1)
    if (channel.followers.size === 0) this.#channels.delete(workspaceId)
    if (--this.#followers === 0) this.#rest()
  }

  #count({ credential }: Follower, change: number): void {
    const count = (this.#ofCredential.get(credential) ?? 0) + change
    if (count === 0) this.#ofCredential.delete(credential)
    else this.#ofCredential.set(credential, count)
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
      const heads = await listHeads(this.#database.reader, [...this.#channels.keys()])
      // A workspace whose events cannot be read keeps no other waiting.
      for (const { workspace_id, last_sequence } of heads)
        await this.#advance(workspace_id, last_sequence).catch((error: unknown) => this.#tell(error))
    } catch (error) {
      this.#tell(error)
    } finally {
      const untilMs = performance.now()
      this.#restsUntilMs = untilMs + Math.min(restMsMax, (untilMs - fromMs) * restPerLook)
      // The next look finds events that are published from here on.
      this.#planned = undefined
    }
  }

  /** The next look finds what this one has not. */
  #tell(error: unknown): void {
    if (!(error instanceof DatabaseUnavailable)) this.#onError(error)
  }

  async #advance(workspaceId: string, head: number): Promise<void> {
    const channel = this.#channels.get(workspaceId)
    if (channel === undefined || head <= channel.head) return
    const isFar = head - channel.head > recentMax
    const range = { after: channel.head, until: head, rowsMax: recentMax }
    const recent = isFar ? [] : await listEvents(this.#database.reader, workspaceId, range).catch(noneIfTooLarge)
    channel.advance(head, recent)
  }
}

/** Events that cannot be held together are read by each follower. */
function noneIfTooLarge(error: unknown): [] {
  if (error instanceof RowsTooLarge) return []
  throw error
}
