import type { Database, ReadTx, Tx } from '../../../db/tx.ts'
import { newId } from '../../../kernel/ids.ts'
import { StaleSchema } from '../../../kernel/invoke/schema-check.ts'
import { lockRecords } from '../../objects/index.ts'
import { lockRole } from '../../identity/users/index.ts'
import type { SchemaSets } from '../../schemas/index.ts'
import { findSchemaEpoch } from '../../workspaces/index.ts'
import { deleteEntries, insertEntries } from '../entries/store.ts'
import { lockList, updateList } from '../store.ts'
import { causesOf, type Causes, type Since } from './causes.ts'
import { listEntriesAmong, listMembersAmong } from './store.ts'
import { actorOf, type Subject } from './subject.ts'
import type { Runtime } from '../../../kernel/invoke/runtime.ts'
import { entryEvents } from '../entries/events.ts'

/** The services of the app that the evaluation of lists needs. */
export type EvaluationServices = {
  readonly schemaSets: SchemaSets
  readonly writeEvents: Runtime['writeEvents']
}

/**
 * Most records in a transaction: a few milliseconds of the writer of SQLite, and a concurrent write of one of the
 * records waits no longer than that.
 */
const recordsAtOnce = 100

/** Thrown if the list, or what its owner may see, changed since its evaluation began: the result is obsolete. */
export class ListChanged extends Error {
  override readonly name = 'ListChanged'
}

/**
 * Lets some records join or leave a list, as it is now, and emits the events. Each record is compared under its lock,
 * so that concurrent runs, or a repetition after a crash, have the same result and emit each event once. The events
 * continue the chains of workflows of the changes that moved the records.
 */
export async function settle(
  database: Database,
  services: EvaluationServices,
  subject: Subject,
  ids: readonly string[],
  since: Since | undefined,
  now: () => number,
): Promise<void> {
  const causes = since === undefined ? new Map() : await causesOf(database.reader, subject, ids, since)
  for (let from = 0; from < ids.length; from += recordsAtOnce) {
    const some = ids.slice(from, from + recordsAtOnce)
    await database.write((tx) => settleSome(tx, services, subject, { ids: some, causes, now: now() }))
  }
}

/**
 * The records among some for which the list and its entries differ. Most changes of records do not affect membership.
 */
export async function differing(tx: ReadTx, subject: Subject, ids: readonly string[]): Promise<string[]> {
  const [members, entries] = await Promise.all([listMembersAmong(tx, subject, ids), listEntriesAmong(tx, subject, ids)])
  return ids.filter((id) => members.has(id) !== entries.has(id))
}

async function settleSome(
  tx: Tx,
  { writeEvents }: EvaluationServices,
  subject: Subject,
  { ids, causes, now }: { readonly ids: readonly string[]; readonly causes: Causes; readonly now: number },
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
  const events = [
    ...entryEvents('added', object.name, row.id, added),
    ...entryEvents('removed', object.name, row.id, removed),
  ]
  const actor = actorOf(row, workspaceId)
  for (const [chain, some] of Map.groupBy(events, ({ recordId }) => causes.get(recordId))) {
    const source = { workspaceId, actor: chain === undefined ? actor : { ...actor, chain }, silent: false, now }
    await writeEvents(tx, source, some)
  }
}

/**
 * Checks that what the owner may see has not changed since the evaluation began, and locks it until the batch is
 * complete.
 */
async function requireSameRights(tx: Tx, { workspaceId, row, ownerRole, schemaEpoch }: Subject): Promise<void> {
  if (row.owner_id !== null && (await lockRole(tx, workspaceId, row.owner_id)) !== ownerRole) throw new ListChanged()
  if ((await findSchemaEpoch(tx, workspaceId)) !== schemaEpoch) throw new StaleSchema()
}

/**
 * Interval at which the time of an evaluation is recorded: more precision is not needed, and otherwise every write
 * would record it.
 */
const notedMs = 1000

/** Records that a list was evaluated, which is not a change of the list. */
export async function noteEvaluation(
  database: Database,
  { workspaceId, row }: Pick<Subject, 'workspaceId' | 'row'>,
  now: number,
): Promise<void> {
  if (now - (row.evaluated_at ?? 0) >= notedMs)
    await database.write((tx) => updateList(tx, workspaceId, row.id, { evaluated_at: now }))
}
