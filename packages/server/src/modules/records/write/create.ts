import { defined } from '../../../lib/guards.ts'
import { inPortions, mapInPortions, weightOf } from '../../../lib/portions.ts'
import { addToCounts } from '../../counters/index.ts'
import { actorId, actorUserId } from '../../../kernel/actor.ts'
import type { DomainEvent } from '../../../kernel/events.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import { countsOf, unorderedOf } from '../counts.ts'
import { firstFeedEnd } from '../../feeds/index.ts'
import { writeIndexRows } from '../../indexes/index.ts'
import { changesOfCounts } from '../links/count.ts'
import { assignCounterparts } from '../one-to-one/counterparts.ts'
import type { RecordData } from '../../fields/index.ts'
import { type ObjectModel, usersIn } from '../../objects/index.ts'
import { checkPendingChange } from './faults.ts'
import { diffData } from '../changes.ts'
import { claimUniques, linkRows, uniqueRows, type SideRows } from './side-rows.ts'
import type { Values } from './parse-attributes.ts'
import type { WriteTarget } from './target.ts'
import { visibilityOf, requireOwned } from './visibility.ts'
import { releasedBy, writeCounterparts, type Updated } from './update.ts'

/** A record to be created: its checked values and their location in the body. */
export type Creation = { readonly values: Values; readonly path: readonly (string | number)[] }

/**
 * Inserts records with all their side rows; one round trip for each portion, of which the first claims all values.
 * Returns each with what it has, as changes.
 */
export async function insertRecords(
  ctx: WriteContext<'unique_violation'>,
  target: WriteTarget,
  creations: readonly Creation[],
): Promise<Updated[]> {
  if (creations.length === 0) return []
  const { object } = target
  const { tx, workspace, now } = ctx
  const by = actorId(ctx.actor)
  const made = await mapInPortions(creations, ({ values }) => {
    const data = dataOf(values)
    return {
      workspace_id: workspace.workspaceId,
      id: ctx.newRecordId(),
      object: object.key,
      visibility: visibilityOf(object, data),
      owner_id: actorUserId(ctx.actor),
      version: 1,
      created_at: now,
      created_by: by,
      updated_at: now,
      updated_by: by,
      data,
      feed_end: firstFeedEnd(now),
    }
  })
  requireOwned(ctx, target, made)
  const paired = await assignCounterparts(
    ctx,
    target,
    made.map((row, index) => ({
      row: { ...row, data: {} },
      data: row.data,
      values: defined(creations[index]).values,
    })),
  )
  const rows = made.map((row, index) => ({ ...row, data: defined(paired.data[index]) }))
  const traced: SideRows[] = rows.map((row, index) => ({ ...row, path: defined(creations[index]).path }))
  checkPendingChange(
    object,
    traced.map(({ data, path }) => ({ before: undefined, data, path })),
  )
  const claims = await mapInPortions(traced, (record) => uniqueRows(workspace.workspaceId, object, record))
  const first = () => [
    tx.deleteByKey('unique_key', releasedBy(workspace.workspaceId, object, paired.partners)),
    claimUniques(ctx, object, claims.flat(), traced),
  ]
  const inserted: Updated[] = []
  const insert = async (some: readonly SideRows[], start: number): Promise<void> => {
    const portion = rows.slice(start, start + some.length)
    const created = portion.map((row) => ({ row, diff: diffData(object, {}, row.data) }))
    await Promise.all([
      tx.insert('record', portion),
      ...insertSideRows(ctx, object, some),
      ctx.emit(created.map((one) => creationOf(object, one))),
      ...(start === 0 ? first() : []),
    ])
    inserted.push(...created)
  }
  await inPortions(traced, insert, ({ data }) => weightOf(data))
  await writeCounterparts(ctx, paired.partners)
  return inserted
}

/** Sends what some records leave, beside their rows, their events and their unique values. */
function insertSideRows(ctx: WriteContext, object: ObjectModel, records: readonly SideRows[]): Promise<unknown>[] {
  const { tx, workspace } = ctx
  const links = records.flatMap((record) => linkRows(workspace.workspaceId, object, record))
  const counts = [
    ...changesOfCounts(object, links, 1),
    ...countsOf(object, records, 1),
    ...unorderedOf(object, records),
  ]
  return [
    writeIndexRows(ctx, object, [], records),
    tx.insert('link', links),
    addToCounts(tx, workspace.workspaceId, new Map(counts), ctx.newId),
  ]
}

const creationOf = (object: ObjectModel, { row, diff }: Updated): DomainEvent => ({
  type: 'record.created',
  object: object.name,
  recordId: row.id,
  payload: { diff },
  named: usersIn(object, row.data),
})

const dataOf = (values: Values): RecordData =>
  Object.fromEntries([...values].flatMap(([field, value]) => (value === null ? [] : [[field.key, value]])))
