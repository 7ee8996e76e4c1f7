import type { Change } from '@kontor/contract'
import { inPortions, mapInPortions, weightOf } from '../../../lib/portions.ts'
import { defined } from '../../../lib/guards.ts'
import type { RowOf } from '../../../db/columns.ts'
import { actorId } from '../../../kernel/actor.ts'
import type { DomainEvent } from '../../../kernel/events.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import { rowChanges, writeIndexRows } from '../../indexes/index.ts'
import { deleteLinks, insertLinks } from '../links/store.ts'
import { type ObjectModel, type RecordRow, usersNamedIn } from '../../objects/index.ts'
import { assignCounterparts, type Counterpart } from '../one-to-one/counterparts.ts'
import type { RecordData } from '../../fields/index.ts'
import { checkPendingChange } from './faults.ts'
import { diffData } from '../changes.ts'
import { claimUniques, linkRows, uniqueRows, type SideRows } from './side-rows.ts'
import type { Strategies, Values } from './parse-attributes.ts'
import type { WriteTarget } from './target.ts'
import { applyStrategy } from './strategies.ts'
import { requireManaged, turnVisible } from './visibility.ts'

/** A change of a record that is read and locked. */
export type Update = {
  readonly row: RecordRow
  readonly values: Values
  readonly strategies: Strategies
  readonly path: readonly (string | number)[]
  /** That of phone numbers that name none. */
  readonly country?: string | undefined
}

export type Updated = { readonly row: RecordRow; readonly diff: Change[] }

/** Writes changes with all their side rows. A record without a difference keeps its version and emits no event. */
export async function applyUpdates(
  ctx: WriteContext<'unique_violation'>,
  target: WriteTarget,
  updates: readonly Update[],
  /** With `keepLinks` the caller updates the links. */
  options: { readonly keepLinks?: boolean } = {},
): Promise<Updated[]> {
  const { object } = target
  const keepLinks = options.keepLinks === true
  const writes = await mapInPortions(updates, ({ row, values, ...how }) => ({
    row,
    values,
    data: changedData(row.data, { values, ...how }),
  }))
  const { data, partners } = keepLinks
    ? { data: writes.map((write) => write.data), partners: [] }
    : await assignCounterparts(ctx, target, writes)
  const results = await mapInPortions(updates, ({ row }, index) => updatedTo(ctx, object, row, defined(data[index])))
  const changed = results.flatMap((result, index) =>
    result.diff.length === 0 ? [] : [{ ...result, update: defined(updates[index]) }],
  )
  // In one step, because of two records that swap counterparts, one has to release what the other claims.
  const isOwn = (partner: Counterpart) => partner.target.object.key === object.key
  const all = [...changed, ...changedPartners(ctx, partners.filter(isOwn))]
  await requireManaged(ctx, target, changed)
  if (all.length > 0) await writeChanges(ctx, target, all, { keepLinks, tell: tellOf(object) })
  await writeCounterparts(
    ctx,
    partners.filter((partner) => !isOwn(partner)),
  )
  const turned = await turnVisible(ctx, target, changed)
  return results.map(({ row, diff }) => ({ row: { ...row, visibility: turned.get(row.id) ?? row.visibility }, diff }))
}

function updatedTo(ctx: WriteContext, object: ObjectModel, row: RecordRow, data: RecordData): Updated {
  const diff = diffData(object, row.data, data)
  if (diff.length === 0) return { row, diff }
  return {
    row: { ...row, data, version: row.version + 1, updated_at: laterOf(ctx, row), updated_by: actorId(ctx.actor) },
    diff,
  }
}

const tellOf =
  (object: ObjectModel) =>
  ({ row, diff }: ChangedRecord): DomainEvent => ({
    type: 'record.updated',
    object: object.name,
    recordId: row.id,
    payload: { diff },
    named: usersNamedIn(object, diff),
  })

const changedPartners = (ctx: WriteContext, partners: readonly Counterpart[]): ChangedRecord[] =>
  partners
    .map(({ target: { object }, row, data }) => ({ ...updatedTo(ctx, object, row, data), update: { row, path: [] } }))
    .filter(({ diff }) => diff.length > 0)

/** Writes counterparts that other records took or left, each with an event of its own. */
export async function writeCounterparts(
  ctx: WriteContext<'unique_violation'>,
  partners: readonly Counterpart[],
): Promise<void> {
  for (const some of Map.groupBy(partners, ({ target }) => target.object.key).values()) {
    const { target } = defined(some[0])
    const changed = changedPartners(ctx, some)
    if (changed.length > 0) await writeChanges(ctx, target, changed, { keepLinks: false, tell: tellOf(target.object) })
  }
}

/**
 * The unique keys that released counterparts hold in an object; a new record claims them before the counterparts are
 * written.
 */
export const releasedBy = (
  workspaceId: string,
  object: ObjectModel,
  partners: readonly Counterpart[],
): RowOf<'unique_key'>[] =>
  partners
    .filter(({ target }) => target.object.key === object.key)
    .flatMap(({ row, data }) => {
      const before = uniqueRows(workspaceId, object, { ...row, path: [] })
      return rowChanges(before, uniqueRows(workspaceId, object, { ...row, data, path: [] })).gone
    })

/**
 * The time of a change. A clock may have been set back, or another node's may be ahead: the times of one record
 * increase with its versions.
 */
export const laterOf = ({ now }: WriteContext, { updated_at }: RecordRow): number => Math.max(now, updated_at)

function changedData(
  stored: RecordData,
  { values, strategies, country }: Pick<Update, 'values' | 'strategies' | 'country'>,
): RecordData {
  const data: Record<string, unknown> = { ...stored }
  for (const [field, value] of values) {
    const next = applyStrategy(field, strategies.get(field), stored[field.key], value, country)
    if (next === null) delete data[field.key]
    else data[field.key] = next
  }
  return data
}

/** A record in its new state, with its previous state. */
export type ChangedRecord = Updated & { readonly update: Pick<Update, 'row' | 'path'> }

type ChangeOptions = { readonly keepLinks: boolean; readonly tell: (changed: ChangedRecord) => DomainEvent }

/** Writes the new state of records, with all their side rows and an event each. */
export async function writeChanges(
  ctx: WriteContext<'unique_violation'>,
  { object }: WriteTarget,
  changed: readonly ChangedRecord[],
  { keepLinks, tell }: ChangeOptions,
): Promise<void> {
  const { tx, workspace } = ctx
  const before = changed.map(({ update: { row, path } }): SideRows => ({ ...row, path }))
  const after = changed.map(({ row, update: { path } }): SideRows => ({ ...row, path }))
  checkPendingChange(
    object,
    changed.map(({ row: { data }, update: { row, path } }) => ({ before: row.data, data, path })),
  )
  const rowsOf = <R extends object>(make: (workspaceId: string, object: ObjectModel, record: SideRows) => R[]) => {
    const made = (record: SideRows): R[] => make(workspace.workspaceId, object, record)
    return rowChanges(before.flatMap(made), after.flatMap(made))
  }
  const links = keepLinks ? { gone: [], come: [] } : rowsOf(linkRows)
  const uniques = rowsOf(uniqueRows)
  const write = async (some: readonly ChangedRecord[], start: number): Promise<void> => {
    const end = start + some.length
    await Promise.all([
      tx.updateByKey(
        'record',
        ['workspace_id', 'id'],
        some.map(({ row }) => recordUpdate(workspace.workspaceId, row)),
      ),
      writeIndexRows(ctx, object, before.slice(start, end), after.slice(start, end)),
      ...(start > 0
        ? []
        : [
            deleteLinks(ctx, object, links.gone),
            insertLinks(ctx, object, links.come),
            tx.deleteByKey('unique_key', uniques.gone),
            claimUniques(ctx, object, uniques.come, after),
          ]),
      ctx.emit(some.map(tell)),
    ])
  }
  await inPortions(changed, write, ({ row }) => weightOf(row.data))
}

const recordUpdate = (
  workspaceId: string,
  { id, version, updated_at, updated_by, data }: RecordRow,
): Partial<RowOf<'record'>> => ({
  workspace_id: workspaceId,
  id,
  version,
  updated_at,
  updated_by,
  data,
})
