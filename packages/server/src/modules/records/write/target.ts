import { defined } from '../../../lib/guards.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import { requireVersion } from '../../../kernel/preconditions.ts'
import { isId } from '../../../kernel/ids.ts'
import { atLeast, levelOnAll, levelsOn } from '../../access/index.ts'
import { missingRecord, missingRecords } from '../missing.ts'
import { findObject, type ObjectAccess, type ObjectModel, lockRecords, type RecordRow } from '../../objects/index.ts'
import type { Faults } from './faults.ts'

/** An object whose records the credential may change: every write takes one. */
export type WriteTarget = ObjectAccess<'write' | 'delete'>

/** The object to write to; 403 if it cannot be written through the API, or the caller may not create its records. */
export async function findTarget(
  ctx: WriteContext,
  name: string,
  need: 'write' | 'delete' | 'create' = 'write',
): Promise<WriteTarget> {
  const target = await findObject(ctx, name, need === 'create' ? 'write' : need)
  if (need === 'create' && !mayCreate(target))
    throw ctx.fail('forbidden', { detail: `You may not create ${target.object.name} records.` })
  if (target.object.readOnly) throw ctx.fail('forbidden', { detail: `${target.object.name} records are read-only.` })
  return target
}

/** `data.type` is the object's name, or just `record`. */
export function checkType(object: ObjectModel, type: string, path: readonly (string | number)[], faults: Faults): void {
  if (type !== object.name && type !== 'record')
    faults.add([...path, 'type'], `Must be "${object.name}", the object in the path.`)
}

/**
 * Reads and locks the records of a change, in the order of the ids: 404 for missing or hidden ones, 403 for those that
 * the caller may not change, 412 for a version other than the caller's.
 */
export async function lockTargets(
  ctx: WriteContext,
  target: WriteTarget,
  ids: readonly string[],
  purpose: 'change' | 'delete' = 'change',
): Promise<RecordRow[]> {
  const rows = await lockRecords(ctx.tx, ctx.workspace.workspaceId, target.object.key, ids.filter(isId), purpose)
  const found = await requireEach(ctx, target, ids, rows, { several: ids.length > 1 })
  const [only, ...others] = found
  if (only !== undefined && others.length === 0) requireVersion(ctx, 'record', only.version)
  return found
}

/** Returns whether a call names several records, and the level that it needs on each. */
type Required = { readonly several: boolean; readonly neededOf?: (row: RecordRow) => 'edit' | 'manage' }

const refusals = {
  edit: 'You may see this record, but not change it.',
  manage: 'You may see this record, but not manage it, which this requires.',
}

/** The rows in the order of the ids: 404 if one is missing or hidden, 403 if the caller may not change one. */
export async function requireEach(
  ctx: WriteContext,
  target: WriteTarget,
  ids: readonly string[],
  rows: readonly RecordRow[],
  { several, neededOf = () => 'edit' }: Required,
): Promise<RecordRow[]> {
  const { principal } = target
  const levelOf = await levelsOn(
    ctx.tx,
    ctx.workspace.workspaceId,
    principal,
    rows,
    rows.some((row) => neededOf(row) === 'manage') ? 'manage' : 'edit',
  )
  const byId = new Map(rows.filter((row) => atLeast(levelOf(row), 'view')).map((row) => [row.id, row]))
  const missing = ids.filter((id) => !byId.has(id))
  if (missing.length > 0)
    throw await (several
      ? missingRecords(ctx, target, missing, ids.length)
      : missingRecord(ctx, target, defined(missing[0])))
  const found = ids.map((id) => defined(byId.get(id)))
  const refused = found.find((row) => !atLeast(levelOf(row), neededOf(row)))
  if (refused !== undefined) throw ctx.fail('forbidden', { detail: refusals[neededOf(refused)] })
  return found
}

/**
 * Tells whether the principal may create records. Creating needs the level of editing every record of the object; if
 * records are private by default, it needs a user, who will own the new record.
 */
const mayCreate = ({ principal }: WriteTarget): boolean =>
  principal.role !== 'viewer' &&
  (atLeast(levelOnAll(principal), 'edit') || (principal.objectDefault === 'none' && principal.userId !== null))
