import type { Change } from '@kontor/contract'
import { defined } from '../../../lib/guards.ts'
import { addToCounts } from '../../counters/index.ts'
import { actorId } from '../../../kernel/actor.ts'
import { isId } from '../../../kernel/ids.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import { principalOf, hidden, mergeGrants, type MergeSource } from '../../access/index.ts'
import type { Dependent } from '../dependents.ts'
import { changeVisibility, countsOf } from '../counts.ts'
import { lockFormerCounterparts } from '../one-to-one/counterparts.ts'
import { mergedIdsKey } from '../../fields/index.ts'
import { type RecordRow, lockRecords } from '../../objects/index.ts'
import { deleteSideRows } from '../store.ts'
import { diffData } from '../changes.ts'
import { Faults } from '../write/faults.ts'
import { parseContext } from '../write/parse-attributes.ts'
import { checkType, findTarget, requireEach, type WriteTarget } from '../write/target.ts'
import { laterOf, writeChanges } from '../write/update.ts'
import { moveLinks } from './merge-links.ts'
import { mergedData, mergedIds } from './merge-values.ts'
import { insertMerged, listFormerOwners, redirectMerged } from './store.ts'

export type MergeOrder = {
  readonly objectName: string
  readonly id: string
  readonly type: string
  readonly sources: readonly string[]
}

const sourcesPath = ['data', 'attributes', 'sources'] as const

/**
 * Merges records into another of their object: their content lives on in the target, and their ids answer 404 from then
 * on. Returns all changes to the target.
 */
export async function mergeRecords(
  ctx: WriteContext,
  order: MergeOrder,
  dependents: readonly Dependent[],
): Promise<Change[]> {
  const target = await findTarget(ctx, order.objectName, 'delete')
  // Sources are deleted and the target is changed, which takes both permissions.
  principalOf(ctx, target.object.schema, 'write')
  checkOrder(target, order)
  const [into, ...from] = await lockMerging(ctx, target, order)
  const data = mergeValues(target, into, from, (await parseContext(ctx)).country)
  const sourceIds = from.map(({ id }) => id)
  // Before the events of this merge take their positions in the feed.
  const moved: Change[] = []
  for (const { move } of dependents) if (move !== undefined) moved.push(...(await move(ctx, sourceIds, into.id)))
  const grants = await mergeGrants(
    ctx,
    { ...into, object: target.object.name, objectKey: target.object.key, principal: target.principal },
    await withFormerOwners(ctx, from),
  )
  await removeSources(ctx, target, into.id, from)
  const linked = await moveLinks(ctx, { object: target.object, targetId: into.id, sourceIds, data })
  const diff = await writeTarget(ctx, target, into, data, sourceIds, grants.changes)
  if (grants.visibility !== into.visibility) await changeVisibility(ctx, target.object, into, grants.visibility)
  return [...diff, ...linked, ...moved]
}

/** The sources, with the owners of what was merged into them before. */
async function withFormerOwners(ctx: WriteContext, from: readonly RecordRow[]): Promise<MergeSource[]> {
  const owners = Map.groupBy(
    await listFormerOwners(
      ctx.tx,
      ctx.workspace.workspaceId,
      from.map(({ id }) => id),
    ),
    ({ target_id }) => target_id,
  )
  return from.map((row) => ({ ...row, formerOwners: (owners.get(row.id) ?? []).map(({ owner_id }) => owner_id) }))
}

function checkOrder({ object }: WriteTarget, { id, type, sources }: MergeOrder): void {
  const faults = new Faults()
  checkType(object, type, ['data'], faults)
  sources.forEach((source, index) => {
    if (source === id) faults.add([...sourcesPath, index], 'A record cannot be merged into itself.')
    else if (sources.indexOf(source) !== index) faults.add([...sourcesPath, index], 'This record occurs twice.')
  })
  faults.throwIfAny()
}

/**
 * Locks the target and the sources in the order of their ids, so that two crossing merges do not deadlock. A caller who
 * merges records that are not open to all members decides who sees the content from then on, as sharing does.
 */
async function lockMerging(
  ctx: WriteContext,
  target: WriteTarget,
  { id, sources }: MergeOrder,
): Promise<[RecordRow, ...RecordRow[]]> {
  const ids = [id, ...sources].filter(isId)
  await lockFormerCounterparts(ctx, target.object, ids)
  const rows = await lockRecords(ctx.tx, ctx.workspace.workspaceId, target.object.key, ids, 'delete')
  const neededOf = ({ visibility }: RecordRow) =>
    target.principal.objectDefault === 'edit' && visibility !== hidden ? 'edit' : 'manage'
  const into = defined((await requireEach(ctx, target, [id], rows, { several: false, neededOf }))[0])
  return [into, ...(await requireEach(ctx, target, sources, rows, { several: true, neededOf }))]
}

function mergeValues(
  { object }: WriteTarget,
  into: RecordRow,
  from: readonly RecordRow[],
  country: string | undefined,
): RecordRow['data'] {
  const { data, overflows } = mergedData(object, into, from, country)
  const faults = new Faults()
  // The values of one record are valid; those of several, together, may be too many.
  for (const field of object.attributes) {
    if (data[field.key] !== undefined)
      field.checks.forEach((check) =>
        check(data[field.key], (detail) => faults.add(sourcesPath, `${field.title}: ${detail}`)),
      )
  }
  for (const { field, items } of overflows)
    faults.add(sourcesPath, `${field.title} would have ${items} items, more than a collection may have.`)
  faults.throwIfAny()
  return data
}

/** Removes the sources as deleted records, but keeps the entry that leads to the target. */
async function removeSources(
  ctx: WriteContext,
  { object }: WriteTarget,
  targetId: string,
  from: readonly RecordRow[],
): Promise<void> {
  const {
    tx,
    workspace: { workspaceId },
    now,
  } = ctx
  const ids = from.map(({ id }) => id)
  const by = actorId(ctx.actor)
  await redirectMerged(tx, workspaceId, ids, targetId)
  await Promise.all([
    tx.updateByKey(
      'record',
      ['workspace_id', 'id'],
      from.map(({ id, version }) => ({
        workspace_id: workspaceId,
        id,
        version: version + 1,
        deleted_at: now,
        deleted_by: by,
      })),
    ),
    // The target claims the sources' unique values next.
    deleteSideRows(tx, workspaceId, ids),
    insertMerged(tx, workspaceId, from, targetId, by),
    addToCounts(tx, workspaceId, countsOf(object, from, -1), ctx.newId),
  ])
}

async function writeTarget(
  ctx: WriteContext,
  target: WriteTarget,
  into: RecordRow,
  data: RecordRow['data'],
  sourceIds: readonly string[],
  granted: readonly Change[],
): Promise<Change[]> {
  const { object } = target
  const before = mergedIds(into)
  const merged: Change = {
    op: before.length === 0 ? 'add' : 'update',
    path: [mergedIdsKey],
    val: data[mergedIdsKey],
    oldVal: before.length === 0 ? null : before,
  }
  const diff = [...diffData(object, into.data, data), merged, ...granted]
  const row = {
    ...into,
    data,
    version: into.version + 1,
    updated_at: laterOf(ctx, into),
    updated_by: actorId(ctx.actor),
  }
  // Only the target and the sources held the values, so no other record can have one of them.
  await writeChanges(
    ctx as WriteContext<'unique_violation'>,
    target,
    [{ row, diff, update: { row: into, path: sourcesPath } }],
    {
      keepLinks: false,
      tell: () => ({
        type: 'record.merged',
        object: object.name,
        recordId: into.id,
        payload: { sources: sourceIds, diff },
      }),
    },
  )
  return diff
}
