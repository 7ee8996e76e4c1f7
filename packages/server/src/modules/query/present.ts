import type { Change, DeletedResource, RecordResource } from '@kontor/contract'
import { defined, isString } from '../../lib/guards.ts'
import { mapInPortions } from '../../lib/portions.ts'
import { isoTime } from '../../kernel/clock.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { mergedIdsKey, type Field, type RecordData } from '../fields/index.ts'
import {
  listVisibleIds,
  type ObjectModel,
  type DeletedRow,
  type RecordRow,
  type ReferenceGuard,
} from '../objects/index.ts'
import { guardOf } from '../filters/index.ts'
import { workspaceSchemas } from '../schemas/index.ts'

/** The presented part of a row; access is checked beforehand. */
export type ShownRow = Omit<RecordRow, 'owner_id' | 'visibility'>

/** Presents rows as resources; references to hidden records are left out. */
export async function presentRecords(
  ctx: WorkspaceReadContext,
  object: ObjectModel,
  rows: readonly ShownRow[],
  shown?: ReadonlySet<string>,
): Promise<RecordResource[]> {
  const hidden = await hiddenReferencesOf(ctx, object, rows)
  return mapInPortions(rows, (row) => presentRecord(object, row, hidden, shown))
}

/** Presents one row. */
export const presentOne = async (
  ctx: WorkspaceReadContext,
  object: ObjectModel,
  row: RecordRow,
  shown?: ReadonlySet<string>,
): Promise<RecordResource> => presentRecord(object, row, await hiddenReferencesOf(ctx, object, [row]), shown)

/** A row as the resource of spec §2: every attribute of the schema, `null` (or no items) where nothing is stored. */
function presentRecord(
  object: ObjectModel,
  row: ShownRow,
  hidden: HiddenReferences,
  shown: ReadonlySet<string> | undefined,
): RecordResource {
  const attributes: Record<string, unknown> = { _id: row.id }
  for (const field of object.attributes)
    if (shown?.has(field.name) !== false) attributes[field.name] = presentValue(field, valueOf(field, row, hidden))
  attributes['_created_at'] = isoTime(row.created_at)
  attributes['_created_by'] = row.created_by
  attributes['_updated_at'] = isoTime(row.updated_at)
  attributes['_updated_by'] = row.updated_by
  const merged = row.data[mergedIdsKey]
  if (merged !== undefined) attributes['_merged_ids'] = merged
  return {
    type: object.name,
    id: row.id,
    attributes: attributes as RecordResource['attributes'],
    relationships: presentReferences(object, row, hidden, shown),
  }
}

/**
 * Attributes with changes laid over them, as answers show values. Changes have the field names of their time: one whose
 * field has gone by now, or is called otherwise, is left out.
 */
export function withChanges(
  object: ObjectModel,
  attributes: Readonly<Record<string, unknown>>,
  changes: readonly Change[],
): Readonly<Record<string, unknown>> {
  const changed = changes.flatMap(({ path: [name], val }) => {
    const field = object.attributes.find((one) => one.name === name)
    return field === undefined ? [] : [[field.name, presentValue(field, val ?? undefined)] as const]
  })
  return { ...attributes, ...Object.fromEntries(changed) }
}

/** The data of a record with changes laid over it, as it is stored; fields that have gone by now are left out. */
export function dataWith(object: ObjectModel, data: RecordData, changes: readonly Change[]): RecordData {
  const changed: Record<string, unknown> = { ...data }
  for (const { path, val } of changes) {
    const field = object.attributes.find(({ name }) => name === path[0])
    if (field === undefined) continue
    if (val === null || val === undefined) delete changed[field.key]
    else changed[field.key] = val
  }
  return changed
}

/** Presents deleted records as they were when they were deleted. */
export async function presentDeleted(
  ctx: WorkspaceReadContext,
  object: ObjectModel,
  rows: readonly DeletedRow[],
): Promise<DeletedResource[]> {
  const resources = await presentRecords(ctx, object, rows)
  return resources.map(({ attributes, ...resource }, index) => {
    const { deleted_at, deleted_by } = defined(rows[index])
    return { ...resource, attributes: { ...attributes, _deleted_at: isoTime(deleted_at), _deleted_by: deleted_by } }
  })
}

/** The value of a field; empty if it refers to a hidden record. */
function valueOf({ key, relationship }: Field, { data }: ShownRow, hidden: HiddenReferences): unknown {
  const stored = data[key]
  return hidden.size > 0 && relationship !== undefined && hidden.has(stored) ? undefined : stored
}

function presentValue(field: Field, stored: unknown): unknown {
  const { type } = field
  if (stored === undefined) return type.empty
  return type.present === undefined ? stored : type.present(stored, field)
}

function presentReferences(
  object: ObjectModel,
  row: ShownRow,
  hidden: HiddenReferences,
  shown: ReadonlySet<string> | undefined,
): RecordResource['relationships'] {
  const relationships: RecordResource['relationships'] = {}
  for (const field of object.references) {
    const { name, relationship } = field
    if (shown?.has(name) === false) continue
    const id = valueOf(field, row, hidden)
    relationships[name] = isString(id) ? { data: { type: relationship?.entity ?? '', id } } : { data: null }
  }
  return relationships
}

/** Ids of records that the caller may not see. */
type HiddenReferences = ReadonlySet<unknown>

const none: HiddenReferences = new Set()

/** The reference fields of an object that lead to records of which the caller may not see all. */
async function guardsOf(
  ctx: WorkspaceReadContext,
  { references }: ObjectModel,
): Promise<(readonly [Field, ReferenceGuard])[]> {
  if (references.length === 0) return []
  const schemas = await workspaceSchemas(ctx)
  return references.flatMap((field) => {
    const guard = guardOf(ctx, schemas, field)
    return guard === undefined ? [] : [[field, guard] as const]
  })
}

/**
 * The hidden records among those that rows refer to: for the caller such a reference is empty. Nothing is read if an
 * object refers to no private records.
 */
export async function hiddenReferencesOf(
  ctx: WorkspaceReadContext,
  object: ObjectModel,
  rows: readonly { readonly data: RecordData }[],
): Promise<HiddenReferences> {
  let hidden: Set<string> | undefined
  for (const [field, { target, principal }] of await guardsOf(ctx, object)) {
    const ids = [...new Set(rows.map(({ data }) => data[field.key]).filter((id) => typeof id === 'string'))]
    if (ids.length === 0) continue
    const visible = await listVisibleIds(ctx.tx, ctx.workspace.workspaceId, target.key, ids, principal)
    hidden ??= new Set()
    for (const id of ids) if (!visible.has(id)) hidden.add(id)
  }
  return hidden ?? none
}
