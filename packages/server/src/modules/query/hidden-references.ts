import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { principalOf, seesAll } from '../access/index.ts'
import { workspaceSchemas, type WorkspaceSchemas } from '../schemas/index.ts'
import type { Field, RecordData } from '../fields/index.ts'
import { compileObject, type ObjectModel, type ReferenceGuard, listVisibleIds } from '../objects/index.ts'

/** Ids of records that the caller may not see. */
export type HiddenReferences = ReadonlySet<unknown>

const none: HiddenReferences = new Set()

/** The guard of a reference field, if the caller may not see every record that it leads to. */
export function guardOf(
  ctx: WorkspaceReadContext,
  schemas: WorkspaceSchemas,
  { relationship }: Field,
): ReferenceGuard | undefined {
  const schema = relationship && schemas.get(relationship.entity)
  if (schema === undefined) return undefined
  const principal = principalOf(ctx, schema, 'name')
  return seesAll(principal) ? undefined : { target: compileObject(schema), principal }
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
