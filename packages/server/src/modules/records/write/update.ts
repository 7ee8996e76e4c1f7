import type { Change } from '@kontor/contract'
import type { Row } from '../../../db/tx.ts'
import { actorId } from '../../../kernel/actor.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import type { Field } from '../fields/field-type.ts'
import { minus, writeIndexRows } from '../indexes/write.ts'
import type { ObjectModel } from '../object.ts'
import type { RecordData, RecordRow } from '../store.ts'
import { diffData } from './diff.ts'
import type { Strategy, Values } from './parse-attributes.ts'
import { written } from './strategies.ts'
import { claimUniques, linkRows, uniqueRows, type Traced } from './traces.ts'

/** What is to change in a record that is read and locked. */
export type Update = {
  readonly row: RecordRow
  readonly values: Values
  readonly strategies: ReadonlyMap<Field, Strategy>
  readonly path: readonly (string | number)[]
}

export type Updated = { readonly row: RecordRow; readonly diff: Change[] }

/** Writes changes with all their traces. A record that nothing changes in keeps its version and tells nobody. */
export async function applyUpdates(
  ctx: WriteContext<'unique_violation'>,
  object: ObjectModel,
  updates: readonly Update[],
  options: { readonly keepLinks?: boolean } = {},
): Promise<Updated[]> {
  const by = actorId(ctx.actor)
  const results = updates.map(({ row, values, strategies }): Updated => {
    const data = changedData(row.data, values, strategies)
    const diff = diffData(object, row.data, data)
    return diff.length === 0 ? { row, diff } : { row: { ...row, data, version: row.version + 1, updated_at: ctx.now, updated_by: by }, diff }
  })
  const changed = results.flatMap((result, index) => (result.diff.length === 0 ? [] : [{ ...result, update: updates[index] as Update }]))
  if (changed.length > 0) await writeChanges(ctx, object, changed, options.keepLinks === true)
  return results
}

function changedData(stored: RecordData, values: Values, strategies: ReadonlyMap<Field, Strategy>): RecordData {
  const data: Record<string, unknown> = { ...stored }
  for (const [field, value] of values) {
    const next = written(field, strategies.get(field), stored[field.key], value)
    if (next === null) delete data[field.key]
    else data[field.key] = next
  }
  return data
}

type Changed = Updated & { readonly update: Update }

async function writeChanges(ctx: WriteContext<'unique_violation'>, object: ObjectModel, changed: readonly Changed[], keepLinks: boolean): Promise<void> {
  const { tx, workspace } = ctx
  const before = changed.map(({ update: { row, path } }): Traced => ({ ...row, path }))
  const after = changed.map(({ row, update: { path } }): Traced => ({ ...row, path }))
  const rowsOf = (make: typeof linkRows) => ({
    gone: minus(before.flatMap((one) => make(workspace.workspaceId, object, one)), after.flatMap((one) => make(workspace.workspaceId, object, one))),
    come: minus(after.flatMap((one) => make(workspace.workspaceId, object, one)), before.flatMap((one) => make(workspace.workspaceId, object, one))),
  })
  const links = rowsOf(linkRows)
  const uniques = rowsOf(uniqueRows)
  await Promise.all([
    tx.updateByKey('record', ['workspace_id', 'id'], changed.map(({ row }) => recordUpdate(workspace.workspaceId, row))),
    writeIndexRows(ctx, object, before, after),
    tx.deleteByKey('link', keepLinks ? [] : links.gone),
    tx.insert('link', links.come),
    tx.deleteByKey('unique_key', uniques.gone),
    claimUniques(ctx, object, uniques.come, after),
    ctx.emit(changed.map(({ row, diff }) => ({ type: 'record.updated', object: object.name, recordId: row.id, payload: { diff } }))),
  ])
}

const recordUpdate = (workspaceId: string, { id, version, updated_at, updated_by, data }: RecordRow): Row => ({
  workspace_id: workspaceId,
  id,
  version,
  updated_at,
  updated_by,
  data,
})
