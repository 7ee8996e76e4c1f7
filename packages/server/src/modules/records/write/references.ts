import { defined } from '../../../lib/guards.ts'
import type { WriteContext, WorkspaceReadContext } from '../../../kernel/implement.ts'
import { findObject, type ObjectModel } from '../../objects/index.ts'
import { listReferable } from '../store.ts'
import type { Faults } from './faults.ts'
import type { Values } from './parse-attributes.ts'
import type { Field, RecordData } from '../../fields/index.ts'
import { hiddenReferencesOf } from '../../query/index.ts'

type Reference = { readonly id: string; readonly path: readonly (string | number)[] }

/** Checks that the records which values refer to exist and are visible to the caller; one query for each object. */
export async function checkReferences(
  ctx: WriteContext,
  object: ObjectModel,
  writes: readonly { readonly values: Values; readonly path: readonly (string | number)[] }[],
  faults: Faults,
) {
  const byEntity = new Map<string, Reference[]>()
  for (const field of object.references) {
    for (const { values, path } of writes) {
      const id = values.get(field)
      if (typeof id !== 'string') continue
      const entity = defined(field.relationship).entity
      const list = byEntity.get(entity) ?? []
      list.push({ id, path: [...path, field.name] })
      byEntity.set(entity, list)
    }
  }
  await Promise.all([...byEntity].map(([entity, references]) => checkEntity(ctx, entity, references, faults)))
}

async function checkEntity(
  ctx: WriteContext,
  entity: string,
  references: readonly Reference[],
  faults: Faults,
): Promise<void> {
  const { object, principal } = await findObject(ctx, entity, 'refer')
  const ids = [...new Set(references.map(({ id }) => id))]
  const found = await listReferable(ctx.tx, ctx.workspace.workspaceId, object.key, ids, principal)
  for (const { id, path } of references)
    if (!found.has(id)) faults.add(path, `There is no ${entity} with the id ${id}.`)
}

type Change = { readonly row: { readonly data: RecordData }; readonly values: Values }

/** Drops changes that would clear references which are already empty to the caller because their records are hidden. */
export async function keepHidden<C extends Change>(
  ctx: WorkspaceReadContext,
  object: ObjectModel,
  changes: readonly C[],
): Promise<readonly C[]> {
  const emptying = changes.filter(({ values }) => object.references.some((field) => values.get(field) === null))
  if (emptying.length === 0) return changes
  const unseen = await hiddenReferencesOf(
    ctx,
    object,
    emptying.map(({ row }) => row),
  )
  if (unseen.size === 0) return changes
  const keeps = ({ row }: C, field: Field, value: unknown): boolean =>
    value === null && field.relationship !== undefined && unseen.has(row.data[field.key])
  return changes.map((change) => ({
    ...change,
    values: new Map([...change.values].filter(([field, value]) => !keeps(change, field, value))),
  }))
}
