import type { FeedEnd, OpenActivity } from '../feeds/index.ts'
import { openMax, type HeadRow } from './heads/store.ts'

/** Events of one record, kind and actor that follow the first of them within this time form one activity. */
export const windowMs = 60_000

/** An answer holds 500 activities, so a script that writes a record all the time must not make each of them endless. */
const eventsMax = 100

/** The place of an event in the feed of its record. */
type Place = Pick<OpenActivity, 'position' | 'place' | 'began_at'>

/** Returns the property that the events of an activity share; events of different lists have different readers. */
export const kindOf = (type: string, listId: string | null): string => (listId === null ? type : `${type} ${listId}`)

const nameOf = ({ kind, actor }: Pick<OpenActivity, 'kind' | 'actor'>): string => `${actor} ${kind}`

/** The feed of a record while events are added to its end. */
export class FeedTail {
  #top: number
  /** The time of the new events: a feed never goes backwards, even if a clock was set back. */
  readonly at: number
  readonly #open: Map<string, OpenActivity>

  constructor({ top, at, open }: FeedEnd, now: number) {
    this.#top = top
    this.at = Math.max(at, now)
    this.#open = new Map(open.map((activity) => [nameOf(activity), activity]))
  }

  /** Places an event: in the open activity of its kind and actor, or in one that it begins. */
  add(event: Pick<OpenActivity, 'kind' | 'actor'>): Place {
    const last = this.#open.get(nameOf(event))
    const next: OpenActivity =
      last !== undefined && this.#isOpen(last)
        ? { ...last, place: last.place + 1 }
        : { ...event, position: ++this.#top, place: 1, began_at: this.at }
    this.#open.set(nameOf(event), next)
    return next
  }

  get end(): FeedEnd {
    return { top: this.#top, at: this.at, open: [...this.#open.values()].filter((activity) => this.#isOpen(activity)) }
  }

  #isOpen({ position, place, began_at }: OpenActivity): boolean {
    return place < eventsMax && this.at - began_at < windowMs && position > this.#top - openMax
  }
}

/** The end of a feed as its last events show it: those of one record, in any order. */
export function endOfRows(rows: readonly HeadRow[]): FeedEnd {
  const open = new Map<string, OpenActivity>()
  for (const { position, place, type, list_id, actor_id, began_at } of rows) {
    if (position === null || place === null || type === null || actor_id === null || began_at === null) continue
    const activity = { kind: kindOf(type, list_id), actor: actor_id, position, place, began_at }
    const last = open.get(nameOf(activity))
    if (last === undefined || position > last.position || (position === last.position && place > last.place))
      open.set(nameOf(activity), activity)
  }
  const at = Math.max(0, ...rows.map(({ created_at }) => created_at ?? 0))
  return { top: rows[0]?.top ?? 0, at, open: [...open.values()] }
}
