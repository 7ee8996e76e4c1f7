import type { EventFilter } from '@kontor/contract'
import { Failure } from '../../../kernel/errors.ts'
import { toFailure } from '../../../kernel/invoke/database-failures.ts'
import type { StreamContext, StreamSink, WorkspaceReadContext } from '../../../kernel/implement.ts'
import type { LoggedEvent } from '../../events/index.ts'
import { isHeapNearlyFull } from '../../../lib/heap.ts'
import { textPieces } from '../../../lib/texts.ts'
import { readEvents } from '../page.ts'
import { presentEvent } from '../present.ts'
import { seenEvents, type KnownEvent } from '../seen.ts'
import type { Channel, Follower } from './channel.ts'
import { credentialOf } from '../../../kernel/actor.ts'
import { overloaded, type EventHub } from './hub.ts'

/** Proxies close what says nothing for a minute, some for half of it. The hub wakes a follower up to a second late. */
const signOfLifeMs = 20_000

/** The time after which a client comes again whose stream has ended. */
const comeAgainMs = 2000

/** Events that a follower who is behind reads at once: more while they are short, since what is read is in memory. */
const portionAtFirst = 10
const portionMax = 100
const portionCharsMax = 128 * 1024

/** The size of one write: a client that reads as much in half a minute is not cut off. */
const pieceChars = 32 * 1024

/** One client that follows the events of a workspace. It holds a position and nothing that it has not sent. */
export class EventFollower implements Follower {
  readonly #hub: EventHub
  readonly #ctx: StreamContext<'events_expired'>
  readonly #filter: EventFilter | undefined
  #sent: number
  /** False while it reads events from before it began, which it may see only by the rights of now. */
  #isLive: boolean
  #portion = portionAtFirst
  #wake: (() => void) | undefined
  #isWoken = false
  readonly credential: string
  dueMs = 0

  constructor(
    hub: EventHub,
    ctx: StreamContext<'events_expired'>,
    { after, filter }: { readonly after: number; readonly filter: EventFilter | undefined },
    isLive: boolean,
  ) {
    this.#hub = hub
    this.#ctx = ctx
    this.credential = credentialOf(ctx.actor)
    this.#sent = after
    this.#isLive = isLive
    this.#filter = filter
  }

  readonly wake = (): void => {
    this.#isWoken = true
    this.#wake?.()
  }

  /** Sends events until the client leaves, loses access or is too slow, or the server stops. */
  async run(sink: StreamSink): Promise<void> {
    const { workspaceId } = this.#ctx.workspace
    sink.onClose(this.wake)
    const channel = this.#hub.join(workspaceId, this, this.#sent)
    if (channel === undefined) return
    try {
      if (await this.#write(sink, `retry: ${comeAgainMs}\n\n`)) while (await this.#step(sink, channel));
    } catch (error) {
      // Access has ended, or the database is away: a client that comes again is told which.
      if (!(toFailure(error) instanceof Failure)) throw error
    } finally {
      this.#hub.leave(workspaceId, this)
    }
  }

  /** Sends what there is, or a sign of life, or waits; false when the stream shall end. */
  async #step(sink: StreamSink, channel: Channel): Promise<boolean> {
    if (!sink.isOpen || this.#hub.isEnded) return false
    if (this.#sent < channel.head) return this.#write(sink, await this.#next(channel))
    if (this.dueMs > performance.now()) {
      await this.#wait()
      return true
    }
    await this.#ctx.again(async () => undefined)
    // The id tells how far all was looked through, so that a client that comes again begins there.
    return this.#write(sink, `: still here\nid: ${this.#sent}\n\n`)
  }

  async #write(sink: StreamSink, text: string): Promise<boolean> {
    for (const piece of textPieces(text, pieceChars)) {
      this.dueMs = performance.now() + signOfLifeMs
      if (!(await sink.write(piece))) return false
    }
    return true
  }

  async #wait(): Promise<void> {
    if (!this.#isWoken)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    this.#wake = undefined
    this.#isWoken = false
  }

  /** The next events as text, by what the client may see now. */
  async #next(channel: Channel): Promise<string> {
    const { head } = channel
    const recent = channel.after(this.#sent)
    if (recent === undefined) return this.#nextPortion(head)
    const wanted = recent.filter((event) => matches(event, this.#filter))
    const text = wanted.length === 0 ? '' : await this.#ctx.again((ctx) => this.#textFor(ctx, wanted, channel, head))
    this.#sent = head
    this.#isLive = true
    return text
  }

  /** Events as text. A text of other followers may be older than a right that was withdrawn since. */
  #textFor(ctx: WorkspaceReadContext, events: readonly LoggedEvent[], channel: Channel, head: number): Promise<string> {
    const make = async (): Promise<string> => textOf(await seenEvents(ctx, events))
    return this.#isLive ? channel.shared(this.#keyOf(ctx, head), make) : make()
  }

  /** Reads the next portion for a follower who is behind; if memory is short, they must come again later. */
  async #nextPortion(head: number): Promise<string> {
    if (isHeapNearlyFull()) throw overloaded('The server is low on memory; try again.')
    const page = await this.#ctx.again((ctx) =>
      readEvents(ctx, { first: 0, last: head }, { after: this.#sent, limit: this.#portion, filter: this.#filter }),
    )
    this.#sent = page.nextAfter
    const text = textOf(page.events)
    this.#portion = Math.max(
      1,
      Math.min(portionMax, text.length > portionCharsMax ? this.#portion >> 1 : this.#portion * 2),
    )
    return text
  }

  /** Followers with the same key are told the same. */
  #keyOf({ actor, workspace }: WorkspaceReadContext, head: number): string {
    return JSON.stringify([actor, workspace.role, workspace.schemaEpoch, this.#sent, head, this.#filter])
  }
}

const matches = (event: LoggedEvent, { type, object, record }: EventFilter = {}): boolean =>
  (type === undefined || type.some((one) => one === event.type)) &&
  (object === undefined || object === event.object) &&
  (record === undefined || record === event.record_id)

const textOf = (events: readonly KnownEvent[]): string =>
  events.map((event) => `id: ${event.sequence}\ndata: ${JSON.stringify(presentEvent(event))}\n\n`).join('')
