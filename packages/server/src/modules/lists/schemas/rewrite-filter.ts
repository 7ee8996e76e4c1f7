import type { Filter, FilterValue } from '@kontor/contract'
import { optionsWith, relationshipFields, type Field, type ObjectModel } from '../../records/index.ts'

/** What a change of schemas means for those who name fields: objects by their names before it. */
export type SchemaChange = {
  readonly before: ReadonlyMap<string, ObjectModel>
  readonly after: ReadonlyMap<string, ObjectModel>
  /** The names of those that differ. */
  readonly changed: ReadonlySet<string>
  /** Whether members may see other records of some object than before. */
  readonly opens: boolean
  /** By the key of an object and of a field, the options that are none any more. */
  readonly clearing: ReadonlyMap<string, Readonly<Record<string, readonly string[]>>>
}

/** The name that a field of before has now; undefined where it is gone. */
export const nameNow = (
  { after }: Pick<SchemaChange, 'after'>,
  object: ObjectModel,
  field: Field,
): string | undefined => {
  const now = [...after.values()].find(({ key }) => key === object.key)
  return now && [...now.fields.values()].find(({ key }) => key === field.key)?.name
}

type Path = { readonly names: readonly string[]; readonly object: ObjectModel; readonly field: Field | undefined }

/** A path with the names of now; names that are gone stay as they are, and are found to be so. */
function pathNow(change: SchemaChange, base: ObjectModel, path: string): Path {
  const names = path.split('.')
  const prefix =
    names.length > 1 && names[0] === base.name && !base.fields.has(base.name) ? [names.shift() as string] : []
  let object = base
  let field: Field | undefined
  const now = names.map((name, index) => {
    // Behind a field that is no relationship stands a part of its value.
    if (index > 0 && field?.relationship === undefined) return name
    if (field?.relationship !== undefined) object = change.before.get(field.relationship.entity) ?? object
    field = object.fields.get(name) ?? relationshipFields(object).find((one) => one.name === name)
    return field === undefined ? name : (nameNow(change, object, field) ?? name)
  })
  return { names: [...prefix, ...now], object, field }
}

/** Holds for no record. */
const never: Filter = { field: '_id', op: 'One of', value: [] }

const denials = new Set(['Is not', 'ne', 'Does not contain', 'ncontains', 'Not one of', 'nin'])

/** A filter as it reads by the schemas of now: renamed, and without the options that are none any more. */
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

/** They name a part of the options that they mean. */
const partOperators = new Set(['Contains', 'contains', 'Does not contain', 'ncontains'])

type Leaf = Extract<Filter, { readonly field: string }>

function withoutOptions(leaf: Leaf, isGone: (value: FilterValue) => boolean): Filter {
  const { value } = leaf
  if (value === undefined || value === null) return leaf
  const values: readonly FilterValue[] = Array.isArray(value)
    ? (value as readonly FilterValue[])
    : String(value).split(',')
  const kept = values.filter((one) => !isGone(one))
  if (kept.length === values.length) return leaf
  if (kept.length > 0) return { ...leaf, value: kept }
  return denials.has(leaf.op) ? { not: never } : never
}
