import type { Database, ReadTx, Tx } from '../../../db/tx.ts'
import type { Actor } from '../../../kernel/actor.ts'
import type { DomainEvent } from '../../../kernel/events.ts'
import { newId } from '../../../kernel/ids.ts'
import { StaleSchema } from '../../../kernel/stale-schema.ts'
import { lockRecords } from '../../records/index.ts'
import { lockRole } from '../../users/index.ts'
import { findSchemaEpoch } from '../../workspaces/index.ts'
import { entryEvents } from '../entries/events.ts'
import { deleteEntries, insertEntries } from '../entries/store.ts'
import { lockList, updateList } from '../store.ts'
import { listEntriesAmong, listMembersAmong } from './store.ts'
import { actorOf, type Subject } from './subject.ts'

/** What evaluating lists needs of the app. */
export type EvaluationServices = {
  readonly writeEvents: (
    tx: Tx,
    source: { workspaceId: string; actor: Actor; silent: boolean; now: number },
    events: readonly DomainEvent[],
  ) => Promise<void>
}

/** Records of one transaction: a few milliseconds of the writer of SQLite, and nobody who writes one of them waits for longer. */
const recordsAtOnce = 100

/** The list, or what its owner may see, is not what it was when its evaluation began: what was found says nothing any more. */
export class ListChanged extends Error {
  override readonly name = 'ListChanged'
}

/**
 * Has some records join or leave a list, as it is now, and tells of it. Each is compared under its lock, so that several who do
 * this at once, or again after a crash, come to the same, and tell it once.
 */
export async function settle(
  database: Database,
  services: EvaluationServices,
  subject: Subject,
  ids: readonly string[],
  now: () => number,
): Promise<void> {
  for (let from = 0; from < ids.length; from += recordsAtOnce) {
    await database.write((tx) => settleSome(tx, services, subject, ids.slice(from, from + recordsAtOnce), now()))
  }
}

/** Of some records, those that are in a list and no entries of it, or the other way round. Most that happens to records changes nothing of that. */
export async function differing(tx: ReadTx, subject: Subject, ids: readonly string[]): Promise<string[]> {
  const [members, entries] = await Promise.all([listMembersAmong(tx, subject, ids), listEntriesAmong(tx, subject, ids)])
  return ids.filter((id) => members.has(id) !== entries.has(id))
}

async function settleSome(
  tx: Tx,
  { writeEvents }: EvaluationServices,
  subject: Subject,
  ids: readonly string[],
  now: number,
): Promise<void> {
  const { workspaceId, row, object } = subject
  await requireSameRights(tx, subject)
  const current = await lockList(tx, workspaceId, row.id, 'refer')
  if (current?.state !== 'published' || current.query_version_id !== row.query_version_id) throw new ListChanged()
  const live = (await lockRecords(tx, workspaceId, object.key, ids, 'change')).map(({ id }) => id)
  if (live.length === 0) return
  const [members, entries] = await Promise.all([
    listMembersAmong(tx, subject, live),
    listEntriesAmong(tx, subject, live),
  ])
  const writer = { tx, workspaceId, newId: () => newId(now) }
  const added = await insertEntries(
    writer,
    row.id,
    live.filter((id) => members.has(id) && !entries.has(id)),
  )
  const removed = await deleteEntries(
    writer,
    row.id,
    live.filter((id) => !members.has(id) && entries.has(id)),
  )
  const source = { workspaceId, actor: actorOf(row, workspaceId), silent: false, now }
  await writeEvents(tx, source, [
    ...entryEvents('added', object.name, row.id, added),
    ...entryEvents('removed', object.name, row.id, removed),
  ])
}

/** What the owner may see is what it was when the evaluation began, and stays so until the records are settled. */
async function requireSameRights(tx: Tx, { workspaceId, row, ownerRole, schemaEpoch }: Subject): Promise<void> {
  if (row.owner_id !== null && (await lockRole(tx, workspaceId, row.owner_id)) !== ownerRole) throw new ListChanged()
  if ((await findSchemaEpoch(tx, workspaceId)) !== schemaEpoch) throw new StaleSchema()
}

/** Nobody needs it more exactly, and every write would write it. */
const notedMs = 1000

/** Notes that a list was looked at, which is no change of it. */
export async function noteEvaluation(
  database: Database,
  { workspaceId, row }: Pick<Subject, 'workspaceId' | 'row'>,
  now: number,
): Promise<void> {
  if (now - (row.evaluated_at ?? 0) >= notedMs)
    await database.write((tx) => updateList(tx, workspaceId, row.id, { evaluated_at: now }))
}
