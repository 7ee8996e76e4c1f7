import type { Filter, FilterValue } from '@kontor/contract'
import { defined } from '../../../lib/guards.ts'
import { optionsWith } from '../../query/index.ts'
import { relationshipFields, type ObjectModel } from '../../objects/index.ts'
import type { Field } from '../../fields/index.ts'

/** A schema change, for code that names fields: objects by their previous names. */
export type SchemaChange = {
  readonly before: ReadonlyMap<string, ObjectModel>
  readonly after: ReadonlyMap<string, ObjectModel>
  /** The names of the objects that differ. */
  readonly changed: ReadonlySet<string>
  /** Whether members may now see other records of some object. */
  readonly opens: boolean
  /** By the key of an object and of a field, the removed options. */
  readonly clearing: ReadonlyMap<string, Readonly<Record<string, readonly string[]>>>
}

/** The new name of a previous field; undefined if it was removed. */
export const nameNow = (
  { after }: Pick<SchemaChange, 'after'>,
  object: ObjectModel,
  field: Field,
): string | undefined => {
  const now = [...after.values()].find(({ key }) => key === object.key)
  return now && [...now.fields.values()].find(({ key }) => key === field.key)?.name
}

type Path = { readonly names: readonly string[]; readonly object: ObjectModel; readonly field: Field | undefined }

/** A path with the new names; removed names stay, and are reported as unknown later. */
function pathNow(change: SchemaChange, base: ObjectModel, path: string): Path {
  const names = path.split('.')
  const prefix =
    names.length > 1 && names[0] === base.name && !base.fields.has(base.name) ? [defined(names.shift())] : []
  let object = base
  let field: Field | undefined
  const now = names.map((name, index) => {
    // A part of a value follows a field that is no relationship.
    if (index > 0 && field?.relationship === undefined) return name
    if (field?.relationship !== undefined) object = change.before.get(field.relationship.entity) ?? object
    field = object.fields.get(name) ?? relationshipFields(object).find((one) => one.name === name)
    return field === undefined ? name : (nameNow(change, object, field) ?? name)
  })
  return { names: [...prefix, ...now], object, field }
}

/** A filter that holds for no record. */
const never: Filter = { field: '_id', op: 'One of', value: [] }

const denials = new Set(['Is not', 'ne', 'Does not contain', 'ncontains', 'Not one of', 'nin'])

/** Rewrites a filter for the new schemas: renamed, and without removed options. */
export function rewriteFilter(change: SchemaChange, base: ObjectModel, filter: Filter): Filter {
  if ('and' in filter) return { and: filter.and.map((part) => rewriteFilter(change, base, part)) }
  if ('or' in filter) return { or: filter.or.map((part) => rewriteFilter(change, base, part)) }
  if ('not' in filter) return { not: rewriteFilter(change, base, filter.not) }
  const { names, object, field } = pathNow(change, base, filter.field)
  const gone = (field && change.clearing.get(object.key)?.[field.key]) ?? []
  const kept =
    partOperators.has(filter.op) && field?.options !== undefined
      ? new Set([...field.options].filter((option) => !gone.includes(option)))
      : undefined
  const isGone = (value: FilterValue): boolean =>
    kept === undefined ? gone.includes(String(value)) : optionsWith(kept, String(value)).length === 0
  return gone.length === 0
    ? { ...filter, field: names.join('.') }
    : withoutOptions({ ...filter, field: names.join('.') }, isGone)
}

/** Operators whose value is a part of an option. */
const partOperators = new Set(['Contains', 'contains', 'Does not contain', 'ncontains'])

type Leaf = Extract<Filter, { readonly field: string }>

function withoutOptions(leaf: Leaf, isGone: (value: FilterValue) => boolean): Filter {
  const { value } = leaf
  if (value === undefined || value === null) return leaf
  const values: readonly FilterValue[] = typeof value === 'object' ? value : String(value).split(',')
  const kept = values.filter((one) => !isGone(one))
  if (kept.length === values.length) return leaf
  if (kept.length > 0) return { ...leaf, value: kept }
  return denials.has(leaf.op) ? { not: never } : never
}
