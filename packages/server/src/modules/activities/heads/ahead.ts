import type { Tx } from '../../../db/tx.ts'
import type { Cache } from '../../../lib/caches.ts'
import { handled } from '../../../lib/handled.ts'
import { listActivityHeads, type HeadRow } from './store.ts'

type Ahead = { readonly ids: ReadonlySet<string>; readonly rows: Promise<HeadRow[]> }

/** What was read ahead and not used yet. */
const readAhead: Cache<{ current: Ahead | undefined }> = { make: () => ({ current: undefined }) }

/**
 * Sends the query for the ends of feeds behind the statement that locks their records, so that writing an event costs
 * no round trip of its own. Nothing else may write to these feeds before they are used.
 */
export function readHeadsAhead(tx: Tx, workspaceId: string, recordIds: readonly string[], beganAfter: number): void {
  tx.caches.get(readAhead).current = {
    ids: new Set(recordIds),
    rows: handled(listActivityHeads(tx, workspaceId, recordIds, beganAfter)),
  }
}

/** The ends of feeds, read now unless they were read ahead. Each is used once, since writing moves it. */
export async function takeHeads(
  tx: Tx,
  workspaceId: string,
  recordIds: readonly string[],
  beganAfter: number,
): Promise<HeadRow[]> {
  const cache = tx.caches.get(readAhead)
  const ahead = cache.current
  cache.current = undefined
  if (ahead === undefined || !recordIds.every((id) => ahead.ids.has(id)))
    return listActivityHeads(tx, workspaceId, recordIds, beganAfter)
  const wanted = new Set(recordIds)
  return (await ahead.rows).filter(({ record_id }) => wanted.has(record_id))
}
