import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import type { Field, RecordData } from '../../fields/index.ts'
import type { ObjectModel } from '../../objects/index.ts'
import { hiddenReferencesOf } from '../../query/index.ts'
import type { Values } from './parse-attributes.ts'

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
