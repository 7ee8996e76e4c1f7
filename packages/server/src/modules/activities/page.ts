import type { ReadTx } from '../../db/tx.ts'
import type { FeedPosition } from './cursor.ts'
import {
  countActivities,
  countMatchingActivities,
  isOwn,
  listEventsBetween,
  listMatchingEvents,
  positionOf,
  type EventRow,
  type Feed,
  type Narrowing,
} from './store.ts'

/** The requested part of a feed: a position, if given, takes precedence over the offset. */
export type FeedPageRequest = {
  readonly feed: Feed
  readonly narrowing: Narrowing | undefined
  readonly descending: boolean
  readonly offset: number
  readonly limit: number
  readonly position: { readonly at: FeedPosition; readonly direction: 'after' | 'before' } | undefined
}

/** Activities in page order, each as its events, and whether there are more on either side. */
export type FeedPage = {
  readonly activities: readonly (readonly EventRow[])[]
  readonly total: number
  readonly before: boolean
  readonly after: boolean
}

const everything: Narrowing = { type: undefined, actorId: undefined, sinceMs: undefined, hiddenLists: [] }

export function readPage(tx: ReadTx, request: FeedPageRequest): Promise<FeedPage> {
  const { feed, narrowing } = request
  return narrowing === undefined && isOwn(feed)
    ? wholePage(tx, { ...request, feed })
    : matchingPage(tx, request, narrowing ?? everything)
}

type WholeRequest = FeedPageRequest & { readonly feed: Parameters<typeof countActivities>[1] }

/** Positions have no gaps, so a page of the whole feed is a range that is known before anything is read. */
async function wholePage(tx: ReadTx, request: WholeRequest): Promise<FeedPage> {
  const total = await countActivities(tx, request.feed)
  const { from, to } = rangeOf(request, total)
  const events = from > to ? [] : await listEventsBetween(tx, request.feed, from, to)
  const more = { above: to < total, below: from > 1 }
  const empty = from > to && request.position === undefined
  return {
    activities: grouped(request, events, request.descending),
    total,
    before: empty ? request.offset > 0 && total > request.offset : request.descending ? more.above : more.below,
    after: !empty && (request.descending ? more.below : more.above),
  }
}

/** The lowest and the highest position of a page; undefined if the range is empty. */
function rangeOf(
  { position, descending, offset, limit }: FeedPageRequest,
  total: number,
): { from: number; to: number } {
  // Towards higher positions, which are newer, or towards lower ones.
  const upward = descending === (position?.direction === 'before')
  if (position !== undefined) {
    const at = Number(position.at[0])
    return upward
      ? { from: at + 1, to: Math.min(total, at + limit) }
      : { from: Math.max(1, at - limit), to: Math.min(total, at - 1) }
  }
  return upward
    ? { from: offset + 1, to: Math.min(total, offset + limit) }
    : { from: Math.max(1, total - offset - limit + 1), to: total - offset }
}

async function matchingPage(tx: ReadTx, request: FeedPageRequest, narrowing: Narrowing): Promise<FeedPage> {
  const { feed, descending, offset, limit, position } = request
  const backward = position?.direction === 'before'
  const slice = { descending: descending !== backward, beyond: position?.at, offset, rows: limit + 1 }
  const [total, events] = await Promise.all([
    countMatchingActivities(tx, feed, narrowing),
    listMatchingEvents(tx, feed, narrowing, slice),
  ])
  const found = grouped(request, events, slice.descending)
  const shown = found.slice(0, limit)
  const more = found.length > limit
  return {
    activities: backward ? shown.toReversed() : shown,
    total,
    before: backward ? more : offset > 0 && shown.length > 0,
    after: backward || more,
  }
}

function grouped({ feed }: FeedPageRequest, events: readonly EventRow[], descending: boolean): EventRow[][] {
  const activities = [...Map.groupBy(events, (event) => positionOf(feed, event).join('.')).values()]
  return descending ? activities.toReversed() : activities
}
