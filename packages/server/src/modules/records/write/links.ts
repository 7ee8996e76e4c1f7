import type { z } from 'zod'
import type { resources } from '@kontor/contract'
import type { WriteContext } from '../../../kernel/implement.ts'
import { suggestion } from '../../../kernel/nearest.ts'
import { isId } from '../../../kernel/ids.ts'
import type { Field } from '../fields/field-type.ts'
import { findObject, isToMany, linkOf, type ObjectModel } from '../object.ts'
import { listReferable, type RecordRow } from '../store.ts'
import { Faults } from './faults.ts'
import { createRecords, type Written } from './service.ts'
import { lockTargets, type Target } from './target.ts'
import { applyUpdates } from './update.ts'

type LinkContext = WriteContext<'unique_violation' | 'related_not_found'>
type Body = z.output<typeof resources.create.body>['data']
type Identifier = { readonly type: string; readonly id: string }

/** Creates one record and its links in the same transaction. */
export async function createWithLinks(ctx: LinkContext, objectName: string, body: Body): Promise<{ target: Target; written: Written }> {
  const { object } = await findObject(ctx, objectName)
  const faults = new Faults()
  const links = Object.entries(body.relationships ?? {}).flatMap(([name, { data }]) => parseLink(object, name, data, faults))
  faults.throwIfAny()
  const attributes: Record<string, unknown> = { ...body.attributes }
  for (const { field, ids } of links) {
    if (isToMany(field)) continue
    // As an attribute it would be 422 at a pointer that the body does not have.
    await requireRelated(ctx, field, ids)
    attributes[field.name] = ids[0] ?? null
  }
  // Without `match_on` nothing is matched, so nothing can be ambiguous.
  const { target, written } = await createRecords(ctx as WriteContext<'unique_violation' | 'match_ambiguous'>, objectName, [{ type: body.type, attributes, path: ['data', 'attributes'] }], undefined)
  const [first] = written as [Written]
  for (const { field, ids } of links) if (isToMany(field) && ids.length > 0) await link(ctx, object, field, first.row, ids)
  return { target, written: first }
}

type Link = { readonly field: Field; readonly ids: readonly string[] }

function parseLink(object: ObjectModel, name: string, data: Identifier | Identifier[] | null, faults: Faults): Link[] {
  const path = ['data', 'relationships', name]
  const field = object.fields.get(name)
  if (field?.relationship === undefined) {
    const allowed = [...object.fields.values()].filter(({ relationship }) => relationship !== undefined).map((one) => one.name)
    faults.add(path, `${object.name} has no relationship "${name}".${suggestion(name, allowed)}`)
    return []
  }
  const { entity } = field.relationship
  const identifiers = data === null ? [] : [data].flat()
  if (!isToMany(field) && Array.isArray(data)) faults.add([...path, 'data'], 'Must be one record or null, since this is a to-one relationship.')
  identifiers.forEach(({ type }, index) => {
    if (type !== entity) faults.add([...path, 'data', ...(Array.isArray(data) ? [index] : []), 'type'], `Must be "${entity}".`)
  })
  return [{ field, ids: [...new Set(identifiers.map(({ id }) => id))] }]
}

async function link(ctx: LinkContext, object: ObjectModel, field: Field, row: RecordRow, ids: readonly string[]): Promise<void> {
  const target = await requireRelated(ctx, field, ids)
  if (field.relationship?.kind === 'one-to-many') await takeOver(ctx, target, field, row.id, ids)
  else await insertLinks(ctx, object, field, row.id, ids)
}

/** The object at the other end; 404 `related_not_found` for records of it that do not exist or may not be seen. */
async function requireRelated(ctx: LinkContext, field: Field, ids: readonly string[]): Promise<Target> {
  const entity = field.relationship?.entity as string
  const target = await findObject(ctx, entity)
  const visible = await listReferable(ctx.tx, ctx.workspace.workspaceId, target.object.key, ids.filter(isId), target.asker)
  const missing = ids.filter((id) => !visible.has(id))
  if (missing.length > 0) throw ctx.fail('related_not_found', { detail: `${missing.length} of the ${entity} records do not exist.`, meta: { ids: missing } })
  return target
}

/** One-to-many: the other records' own reference is set to this one. */
async function takeOver(ctx: LinkContext, target: Target, field: Field, id: string, ids: readonly string[]): Promise<void> {
  const reference = target.object.fields.get(field.relationship?.field ?? '')
  if (reference === undefined) return
  const rows = await lockTargets({ ...ctx, ifMatch: undefined }, target, ids)
  await applyUpdates(ctx, target.object, rows.map((row) => ({ row, values: new Map([[reference, id]]), strategies: new Map(), path: [] })))
}

async function insertLinks(ctx: LinkContext, object: ObjectModel, field: Field, id: string, ids: readonly string[]): Promise<void> {
  const { relationship, end } = linkOf(object, field)
  const rows = ids.map((other) => ({
    workspace_id: ctx.workspace.workspaceId,
    relationship,
    from_id: end === 'from_id' ? id : other,
    to_id: end === 'from_id' ? other : id,
  }))
  await ctx.tx.insert('link', rows)
  await ctx.emit([{ type: 'relationship.set', object: object.name, recordId: id, payload: { relationship: field.name, ids } }])
}
