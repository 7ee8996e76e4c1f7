import { multiValued, operators, type Filter, type FilterValue, type Operator } from '@kontor/contract'
import { defined, isNameIn, isOneOf, keysOf } from '../../lib/guards.ts'
import type { Field } from '../fields/index.ts'
import { relationshipFields, type Column, type ObjectModel } from '../objects/index.ts'
import { listed } from './listed.ts'
import { optionsWith } from './resolve-filter.ts'

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

const objectNow = ({ after }: Pick<SchemaChange, 'after'>, { key }: ObjectModel): ObjectModel | undefined =>
  [...after.values()].find((one) => one.key === key)

/**
 * The name by which to ask for a previous field now. That of a removed one stays, so that it is reported as unknown; if
 * it stands for another field now, it becomes one that no field can have.
 */
export function nameNow(change: Pick<SchemaChange, 'after'>, object: ObjectModel, field: Field): string {
  const now = objectNow(change, object)
  const kept = [...(now?.fields.values() ?? [])].find(({ key }) => key === field.key)
  return kept?.name ?? (now?.fields.has(field.name) === true ? removedName(field.name) : field.name)
}

const removedName = (name: string): string => `${name} (removed)`

type Path = { readonly names: readonly string[]; readonly object: ObjectModel; readonly field: Field | undefined }

/** Tells whether a path begins with the name of the object that it starts from. */
const isLed = (base: ObjectModel | undefined, names: readonly string[]): boolean =>
  base !== undefined && names.length > 1 && names[0] === base.name && !base.fields.has(base.name)

/** A path with the new names. */
function pathNow(change: SchemaChange, base: ObjectModel, path: string): Path {
  const names = path.split('.')
  const lead = isLed(base, names) ? [defined(names.shift())] : []
  let object = base
  let field: Field | undefined
  const now = names.map((name, index) => {
    // A part of a value follows a field that is no relationship.
    if (index > 0 && field?.relationship === undefined) return name
    if (field?.relationship !== undefined) object = change.before.get(field.relationship.entity) ?? object
    field = object.fields.get(name) ?? relationshipFields(object).find((one) => one.name === name)
    return field === undefined ? name : nameNow(change, object, field)
  })
  const target = objectNow(change, base)
  // A field may have got the name of its object, or a field with that name may be gone.
  if (lead.length > 0 && !isLed(target, [...lead, ...now])) return { names: now, object, field }
  if (lead.length === 0 && isLed(target, now))
    return { names: [removedName(base.name), ...now.slice(1)], object, field }
  return { names: [...lead, ...now], object, field }
}

/** Filters that hold for no record, and for each; single conditions, since a filter has a greatest depth. */
const never: Filter = { field: '_id', op: 'One of', value: [] }
const always: Filter = { field: '_id', op: 'Is not empty' }

const denials: ReadonlySet<Operator> = new Set<Operator>(['Is not', 'Does not contain', 'Not one of'])

/** Rewrites a filter for the new schemas: renamed, and without removed options. */
export function rewriteFilter(change: SchemaChange, base: ObjectModel, filter: Filter): Filter {
  if ('and' in filter) return { and: filter.and.map((part) => rewriteFilter(change, base, part)) }
  if ('or' in filter) return { or: filter.or.map((part) => rewriteFilter(change, base, part)) }
  if ('not' in filter) return { not: rewriteFilter(change, base, filter.not) }
  const { names, object, field } = pathNow(change, base, filter.field)
  const renamed = { ...filter, field: names.join('.') }
  const gone = (field && change.clearing.get(object.key)?.[field.key]) ?? []
  return field === undefined || gone.length === 0 ? renamed : withoutOptions(renamed, field, gone)
}

type Leaf = Extract<Filter, { readonly field: string }>

/** A condition without removed options, and without what is a part of removed options alone. */
function withoutOptions(leaf: Leaf, field: Field, gone: readonly string[]): Filter {
  const { value } = leaf
  if (value === undefined || value === null) return leaf
  const op = isNameIn(operators, leaf.op)
    ? leaf.op
    : keysOf(operators).find((name) => isOneOf<string>(operators[name], leaf.op))
  const column: Column = { kind: 'field', name: field.name, field }
  const values = [value].flat().flatMap((one) => (op && multiValued.has(op) ? listed(column, one) : [one]))
  const left = new Set([...(field.options ?? [])].filter((option) => !gone.includes(option)))
  const isLeft = (one: FilterValue): boolean =>
    op === 'Contains' || op === 'Does not contain'
      ? optionsWith(left, String(one)).length > 0
      : !gone.includes(String(one))
  const kept = values.filter(isLeft)
  if (kept.length === values.length) return leaf
  if (kept.length > 0) return { ...leaf, value: kept }
  return op && denials.has(op) ? always : never
}
