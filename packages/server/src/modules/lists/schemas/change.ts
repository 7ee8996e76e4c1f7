import { isDeepStrictEqual } from 'node:util'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import type { DomainEvent } from '../../../kernel/events.ts'
import { newId } from '../../../kernel/ids.ts'
import type { SchemaChange } from '../../filters/index.ts'
import { atLeast, levelsOn } from '../../access/index.ts'
import { enqueueClean } from '../clean.ts'
import { listDynamic } from '../evaluate/store.ts'
import { enqueueEvaluation } from '../evaluate/whole.ts'
import { listPrincipal } from '../find.ts'
import { deleteList, listOfObject, lockMany, updateList, type ListRow } from '../store.ts'
import { adapt, type Adapted } from './fit.ts'

type Author = {
  readonly workspaceId: string
  readonly userId: string
  readonly now: number
  readonly emit: (events: readonly DomainEvent[]) => Promise<void>
}

/** Tells whether a workspace has lists that a schema change may concern. */
export const hasDynamicLists = async (tx: ReadTx, workspaceId: string): Promise<boolean> =>
  (await listDynamic(tx, workspaceId)).length > 0

/**
 * Adapts the dynamic lists of a workspace to a schema change, in the transaction that puts it into force: their queries
 * take the new names, those that no longer fit are marked, and all lists that the change may concern are evaluated
 * anew.
 */
export async function adaptLists(tx: Tx, author: Author, change: SchemaChange): Promise<void> {
  const ids = (await listDynamic(tx, author.workspaceId)).map(({ id }) => id)
  for (const row of await lockMany(tx, author.workspaceId, ids)) {
    const object = [...change.before.values()].find(({ key }) => key === row.object)
    if (object === undefined || row.query === null) continue
    const adapted = await adapt(change, object, row.query)
    if (adapted.concerned) await adaptList(tx, author, row, adapted)
  }
}

async function adaptList(
  tx: Tx,
  { workspaceId, userId, now, emit }: Author,
  row: ListRow,
  { query, fits }: Adapted,
): Promise<void> {
  const isOther = !isDeepStrictEqual(query, row.query)
  const begins = fits && row.state === 'published'
  const status = {
    evaluation_status: fits ? (begins ? 'evaluating' : 'idle') : 'error',
    ...(begins && { evaluation_started_at: now }),
  } as const
  await updateList(tx, workspaceId, row.id, {
    ...status,
    ...(isOther && {
      query,
      query_version_id: newId(now),
      version: row.version + 1,
      updated_at: Math.max(now, row.updated_at),
      updated_by: userId,
    }),
  })
  if (isOther) await emit([{ type: 'list.updated', object: 'list', recordId: row.id, payload: {} }])
  if (begins) await enqueueEvaluation(tx, workspaceId, row.id, now)
}

/** Deletes the lists of a deleted object. */
export async function deleteListsOf(tx: Tx, { workspaceId, now, emit }: Author, objectKey: string): Promise<void> {
  for (const { id } of await listOfObject(tx, workspaceId, objectKey)) {
    await deleteList(tx, workspaceId, id)
    await enqueueClean(tx, workspaceId, id, now)
    await emit([{ type: 'list.deleted', object: 'list', recordId: id, payload: {} }])
  }
}

/** The lists that a schema change would break, as far as the caller may see them. */
export async function listsBrokenBy(ctx: WorkspaceReadContext, change: SchemaChange): Promise<string[]> {
  const { workspaceId } = ctx.workspace
  const rows = await listDynamic(ctx.tx, workspaceId)
  const levelOf = await levelsOn(ctx.tx, workspaceId, listPrincipal(ctx), rows, 'view')
  const broken: string[] = []
  for (const row of rows.filter((one) => atLeast(levelOf(one), 'view'))) {
    const object = [...change.before.values()].find(({ key }) => key === row.object)
    if (object === undefined || row.query === null) continue
    const { fitted, fits } = await adapt(change, object, row.query)
    if (fitted && !fits) broken.push(row.id)
  }
  return broken.toSorted()
}
