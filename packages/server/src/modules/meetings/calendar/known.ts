import type { Tx } from '../../../db/tx.ts'
import { isString } from '../../../lib/guards.ts'
import type { ObjectModel } from '../../objects/index.ts'
import { idOf } from './plan.ts'
import { listImported, listUnnamed, type CalendarEntry, type UnnamedEntry } from './store.ts'

/** The occurrences that are looked for, by their ids and by their events. */
type Occurrences = { readonly ids: readonly string[]; readonly uids: readonly string[] }

/**
 * Lists what earlier imports have made of events. Entries from before 0070 do not name their events: what their
 * meetings say of that counts, where it is the key that they were made with.
 */
export async function listKnown(
  tx: Tx,
  workspaceId: string,
  { fields }: Pick<ObjectModel, 'fields'>,
  { ids, uids }: Occurrences,
): Promise<CalendarEntry[]> {
  const known = new Map<string, CalendarEntry>()
  for (const entry of await listImported(tx, workspaceId, ids, uids)) known.set(entry.id, entry)
  const [uid, event] = [fields.get('ical_uid')?.key, fields.get('event_id')?.key]
  if (uid !== undefined && event !== undefined && uids.length > 0)
    for (const entry of await listUnnamed(tx, workspaceId, { uid, event }, uids)) {
      const named = nameOf(entry, entry.data[uid], entry.data[event])
      if (named !== undefined) known.set(entry.id, named)
    }
  return [...known.values()]
}

/** Returns an entry with the name of its event; undefined where a person has changed what its meeting says of it. */
function nameOf({ data: _data, ...entry }: UnnamedEntry, uid: unknown, key: unknown): CalendarEntry | undefined {
  if (!isString(uid) || !isString(key) || idOf(key) !== entry.id) return undefined
  const original = key.startsWith(`${uid}/`) ? Date.parse(key.slice(uid.length + 1)) : Number.NaN
  return { ...entry, uid, original: Number.isNaN(original) ? null : original }
}
