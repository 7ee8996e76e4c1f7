import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { principalOf, seesAll, type Principal } from '../../access/index.ts'
import { workspaceSchemas, type WorkspaceSchemas } from '../../schemas/index.ts'
import type { Field } from '../fields/field-type.ts'
import { compileObject, type ObjectModel } from '../object.ts'
import { listVisibleIds } from '../recovery/store.ts'
import type { RecordData } from '../store.ts'
import type { Values } from '../write/parse-attributes.ts'

/** Ids of records that the caller may not see. */
export type HiddenReferences = ReadonlySet<string>

const nothing: HiddenReferences = new Set()

/** The object that a reference leads to, and the principal for its records. */
export type ReferenceGuard = { readonly entity: ObjectModel; readonly principal: Principal }

/** The guard of a reference field, if the caller may not see every record that it leads to. */
export function guardOf(
  ctx: WorkspaceReadContext,
  schemas: WorkspaceSchemas,
  { relationship }: Field,
): ReferenceGuard | undefined {
  const schema = relationship && schemas.get(relationship.entity)
  if (schema === undefined) return undefined
  const principal = principalOf(ctx, schema, 'name')
  return seesAll(principal) ? undefined : { entity: compileObject(schema), principal }
}

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
  let unseen: Set<string> | undefined
  for (const [field, { entity, principal }] of await guardsOf(ctx, object)) {
    const ids = [...new Set(rows.map(({ data }) => data[field.key]).filter((id) => typeof id === 'string'))]
    if (ids.length === 0) continue
    const visible = await listVisibleIds(ctx.tx, ctx.workspace.workspaceId, entity.key, ids, principal)
    unseen ??= new Set()
    for (const id of ids) if (!visible.has(id)) unseen.add(id)
  }
  return unseen ?? nothing
}

type Change = { readonly row: { readonly data: RecordData }; readonly values: Values }

/** Drops changes that would clear references which are already empty to the caller because their records are hidden. */
export async function keepHidden<C extends Change>(
  ctx: WorkspaceReadContext,
  object: ObjectModel,
  changes: readonly C[],
): Promise<readonly C[]> {
  const emptying = changes.filter(({ values }) => object.references.some((field) => values.get(field) === null))
  const unseen =
    emptying.length === 0
      ? nothing
      : await hiddenReferencesOf(
          ctx,
          object,
          emptying.map(({ row }) => row),
        )
  if (unseen.size === 0) return changes
  const keeps = ({ row }: C, field: Field, value: unknown): boolean =>
    value === null && field.relationship !== undefined && unseen.has(row.data[field.key] as string)
  return changes.map((change) => ({
    ...change,
    values: new Map([...change.values].filter(([field, value]) => !keeps(change, field, value))),
  }))
}
