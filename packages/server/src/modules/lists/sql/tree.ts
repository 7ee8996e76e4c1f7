import type { Principal } from '../../access/index.ts'
import type { Column, ObjectModel } from '../../objects/index.ts'
import type { Condition, RelationshipStep, ResolvedFilter } from '../../filters/index.ts'

/** A relationship step without a principal. */
export type UncheckedStep = Omit<RelationshipStep, 'principal'>

export type Leaf = Omit<Condition, 'steps'> & { readonly steps: readonly UncheckedStep[] }

/** A filter that is independent of the principal. */
export type Tree =
  | { readonly and: readonly Tree[] }
  | { readonly or: readonly Tree[] }
  | { readonly not: Tree }
  | { readonly exists: readonly UncheckedStep[]; readonly where: Tree | undefined }
  | Leaf

/** The rights of a reader: the principal for an object, and the visible part of a column. */
export type ReaderRights = {
  readonly principalOf: (object: ObjectModel) => Principal<'read'>
  readonly asSeen: (column: Column) => Column
}

/** Binds a filter to a reader: its steps lead to records that the reader may see. */
export function bind(tree: Tree, reader: ReaderRights): ResolvedFilter {
  const all = (parts: readonly Tree[]) => parts.map((part) => bind(part, reader))
  const walk = (steps: readonly UncheckedStep[]): RelationshipStep[] =>
    steps.map((step) => ({ ...step, principal: reader.principalOf(step.target) }))
  if ('and' in tree) return { and: all(tree.and) }
  if ('or' in tree) return { or: all(tree.or) }
  if ('not' in tree) return { not: bind(tree.not, reader) }
  if ('exists' in tree) return { exists: walk(tree.exists), where: tree.where && bind(tree.where, reader) }
  return { ...tree, steps: walk(tree.steps), column: reader.asSeen(tree.column) }
}

/** The conjunction of conditions; a single one is not wrapped. */
export const allOf = (parts: readonly Tree[]): Tree | undefined => (parts.length <= 1 ? parts[0] : { and: parts })
