import type { RowOf } from '../../db/columns.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'
import type { Cache } from '../../lib/caches.ts'

/** An activity that events of its kind and actor may still join. */
export type OpenActivity = {
  readonly kind: string
  readonly actor: string
  readonly position: number
  /** The place of its last event. */
  readonly place: number
  readonly began_at: number
}

/**
 * The end of a record's feed, as the record's row has it, so that an event is placed without a query (0032). A row
 * without one is of before, or its feed was merged: the next event finds the end in the feed itself.
 */
export type FeedEnd = {
  /** The highest position. */
  readonly top: number
  /** The time of the last event. */
  readonly at: number
  readonly open: readonly OpenActivity[]
}

/** The end of the feed of a record that is created, whose one event is that. */
export const firstFeedEnd = (at: number): FeedEnd => ({ top: 1, at, open: [] })

/** The ends of feeds that were read with the locks of their records, and not used yet. */
const readEnds: Cache<Map<string, FeedEnd>> = { make: () => new Map() }

type Ending = Pick<RowOf<'record'>, 'id'> & { readonly feed_end: FeedEnd | null }

/** Remembers the ends of the feeds of locked records until an event moves them. */
export function keepFeedEnds(tx: Tx, rows: readonly Ending[]): void {
  const ends = tx.caches.get(readEnds)
  for (const { id, feed_end } of rows)
    if (feed_end === null) ends.delete(id)
    else ends.set(id, feed_end)
}

/** Returns the end of a record's feed, if it was read with its lock. Each is used once, since an event moves it. */
export function takeFeedEnd(tx: Tx, recordId: string): FeedEnd | undefined {
  const ends = tx.caches.get(readEnds)
  const end = ends.get(recordId)
  ends.delete(recordId)
  return end
}

/** Writes the ends of the feeds of locked records; with null, the next event finds the end in the feed. */
export function updateFeedEnds(
  tx: Tx,
  workspaceId: string,
  ends: Iterable<readonly [recordId: string, end: FeedEnd | null]>,
): Promise<void> {
  const rows = Array.from(ends, ([id, feed_end]) => ({ workspace_id: workspaceId, id, feed_end }))
  for (const { id } of rows) takeFeedEnd(tx, id)
  return tx.updateByKey('record', ['workspace_id', 'id'], rows)
}

/** A live record, with the end of its feed. */
type EndedRecord = Pick<RowOf<'record'>, 'id' | 'object'> & { readonly feed_end: FeedEnd }

/** Lists the next live records whose rows have the ends of their feeds, in the order of their ids. */
export const listFeedEnds = (
  tx: ReadTx,
  workspaceId: string,
  after: string | undefined,
  rows: number,
): Promise<EndedRecord[]> =>
  tx.query<EndedRecord>(({ knex }) => {
    const records = knex('record')
      .select('id', 'object', 'feed_end')
      .where('workspace_id', workspaceId)
      .whereNull('deleted_at')
      .whereNotNull('feed_end')
    if (after !== undefined) records.where('id', '>', after)
    return records.orderBy('id').limit(rows)
  })
