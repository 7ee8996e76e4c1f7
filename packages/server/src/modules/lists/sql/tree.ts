import type { Principal } from '../../access/index.ts'
import type { Column, Condition, RelationshipStep, ObjectModel, ResolvedFilter } from '../../records/index.ts'

/** A step along a relationship, before it is known who takes it. */
export type UncheckedStep = Omit<RelationshipStep, 'principal'>

export type Leaf = Omit<Condition, 'steps'> & { readonly steps: readonly UncheckedStep[] }

/** A filter that is the same for whoever asks. */
export type Tree =
  | { readonly and: readonly Tree[] }
  | { readonly or: readonly Tree[] }
  | { readonly not: Tree }
  | { readonly some: readonly UncheckedStep[]; readonly that: Tree | undefined }
  | Leaf

/** Who asks: for records of an object, and what they see of a column. */
export type ReaderRights = {
  readonly principalOf: (object: ObjectModel) => Principal<'read'>
  readonly asSeen: (column: Column) => Column
}

/** The filter of somebody: their steps lead to records that they may see. */
export function bind(tree: Tree, reader: ReaderRights): ResolvedFilter {
  const all = (parts: readonly Tree[]) => parts.map((part) => bind(part, reader))
  const walk = (steps: readonly UncheckedStep[]): RelationshipStep[] =>
    steps.map((step) => ({ ...step, principal: reader.principalOf(step.entity) }))
  if ('and' in tree) return { and: all(tree.and) }
  if ('or' in tree) return { or: all(tree.or) }
  if ('not' in tree) return { not: bind(tree.not, reader) }
  if ('some' in tree) return { some: walk(tree.some), that: tree.that && bind(tree.that, reader) }
  return { ...tree, steps: walk(tree.steps), column: reader.asSeen(tree.column) }
}

/** Several conditions that hold together, without a wrapping for one. */
export const allOf = (parts: readonly Tree[]): Tree | undefined => (parts.length <= 1 ? parts[0] : { and: parts })
