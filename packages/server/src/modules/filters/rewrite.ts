import { multiValued, operators, type Filter, type FilterValue, type Operator } from '@kontor/contract'
import { defined, isNameIn, isOneOf, keysOf } from '../../lib/guards.ts'
import type { Field } from '../fields/index.ts'
import { relationshipFields, type Column, type ObjectModel } from '../objects/index.ts'
import { listed } from './filter.ts'
import { optionsWith } from './resolve.ts'

/** A schema change, for code that names fields: objects by their previous names. */
export type SchemaChange = {
  readonly before: ReadonlyMap<string, ObjectModel>
  readonly after: ReadonlyMap<string, ObjectModel>
  /** The names of the objects that differ. */
  readonly changed: ReadonlySet<string>
  /** True if members may now see other records of some object. */
  readonly opens: boolean
  /** By the key of an object and of a field, the removed options. */
  readonly clearing: ReadonlyMap<string, Readonly<Record<string, readonly string[]>>>
}

/** Returns the present object for a previous one, under any name; undefined if it is gone. */
export const objectNow = ({ after }: Pick<SchemaChange, 'after'>, { key }: ObjectModel): ObjectModel | undefined =>
  [...after.values()].find((one) => one.key === key)

/**
 * The name by which to ask for a previous field now. That of a removed one stays, so that it is reported as unknown; if
 * it stands for another field now, it becomes one that no field can have.
 */
export function nameNow(change: Pick<SchemaChange, 'after'>, object: ObjectModel, field: Field): string {
  const kept = fieldNow(change, object, field)
  const isTaken = objectNow(change, object)?.fields.has(field.name) === true
  return kept?.name ?? (isTaken ? removedName(field.name) : field.name)
}

const fieldNow = (change: Pick<SchemaChange, 'after'>, object: ObjectModel, { key }: Field): Field | undefined =>
  [...(objectNow(change, object)?.fields.values() ?? [])].find((field) => field.key === key)

/** Tells whether a previous field is there no more, under any name. */
export const isRemoved = (change: Pick<SchemaChange, 'after'>, object: ObjectModel, field: Field): boolean =>
  fieldNow(change, object, field) === undefined

const removedName = (name: string): string => `${name} (removed)`

type Path = {
  readonly names: readonly string[]
  readonly object: ObjectModel
  readonly field: Field | undefined
  /** True if it leads along a field, or to one, that is removed. */
  readonly isCut: boolean
}

/** Tells whether a path begins with the name of the object that it starts from. */
const isLed = (base: ObjectModel | undefined, names: readonly string[]): boolean =>
  base !== undefined && names.length > 1 && names[0] === base.name && !base.fields.has(base.name)

/** A path with the new names. */
function pathNow(change: SchemaChange, base: ObjectModel, path: string): Path {
  const names = path.split('.')
  const lead = isLed(base, names) ? [defined(names.shift())] : []
  let object = base
  let field: Field | undefined
  let isCut = false
  const now = names.map((name, index) => {
    // A part of a value follows a field that is no relationship.
    if (index > 0 && field?.relationship === undefined) return name
    if (field?.relationship !== undefined) object = change.before.get(field.relationship.entity) ?? object
    field = object.fields.get(name) ?? relationshipFields(object).find((one) => one.name === name)
    isCut ||= field !== undefined && isRemoved(change, object, field)
    return field === undefined ? name : nameNow(change, object, field)
  })
  const target = objectNow(change, base)
  // A field may have got the name of its object, or a field with that name may be gone.
  if (lead.length > 0 && !isLed(target, [...lead, ...now])) return { names: now, object, field, isCut }
  if (lead.length === 0 && isLed(target, now))
    return { names: [removedName(base.name), ...now.slice(1)], object, field, isCut }
  return { names: [...lead, ...now], object, field, isCut }
}

/** A path by its new names, and whether something on it is removed. */
export function rewritePath(
  change: SchemaChange,
  base: ObjectModel,
  path: string,
): { readonly path: string; readonly isCut: boolean } {
  const { names, isCut } = pathNow(change, base, path)
  return { path: names.join('.'), isCut }
}

/** Filters that hold for no record, and for each; single conditions, since a filter has a greatest depth. */
const never: Filter = { field: '_id', op: 'One of', value: [] }
const always: Filter = { field: '_id', op: 'Is not empty' }

const denials: ReadonlySet<Operator> = new Set<Operator>(['Is not', 'Does not contain', 'Not one of'])

/** Returns whether a text may be a list with commas, as in filters that were stored long ago, or is one value. */
type Texts = 'listed' | 'whole'

/** Rewrites a filter for the new schemas: renamed, and without removed options. */
export function rewriteFilter(
  change: SchemaChange,
  base: ObjectModel,
  filter: Filter,
  texts: Texts = 'listed',
): Filter {
  const rewritten = (part: Filter): Filter => rewriteFilter(change, base, part, texts)
  if ('and' in filter) return { and: filter.and.map(rewritten) }
  if ('or' in filter) return { or: filter.or.map(rewritten) }
  if ('not' in filter) return { not: rewritten(filter.not) }
  const { names, object, field } = pathNow(change, base, filter.field)
  const renamed = { ...filter, field: names.join('.') }
  const gone = (field && change.clearing.get(object.key)?.[field.key]) ?? []
  return field === undefined || gone.length === 0 ? renamed : withoutOptions(renamed, { field, gone, texts })
}

type Leaf = Extract<Filter, { readonly field: string }>

type Removal = { readonly field: Field; readonly gone: readonly string[]; readonly texts: Texts }

/** A condition without removed options, and without what is a part of removed options alone. */
function withoutOptions(leaf: Leaf, { field, gone, texts }: Removal): Filter {
  const { value } = leaf
  if (value === undefined || value === null) return leaf
  const op = isNameIn(operators, leaf.op)
    ? leaf.op
    : keysOf(operators).find((name) => isOneOf<string>(operators[name], leaf.op))
  const column: Column = { kind: 'field', name: field.name, field }
  const isListed = texts === 'listed' && op !== undefined && multiValued.has(op)
  const values = [value].flat().flatMap((one) => (isListed ? listed(column, one) : [one]))
  const left = new Set([...(field.options ?? [])].filter((option) => !gone.includes(option)))
  const removed = new Set(gone)
  // A text that is part of no option, such as a variable, matches none of them.
  const isLeft = (one: FilterValue): boolean =>
    op === 'Contains' || op === 'Does not contain'
      ? optionsWith(left, String(one)).length > 0 || optionsWith(removed, String(one)).length === 0
      : !removed.has(String(one))
  const kept = values.filter(isLeft)
  if (kept.length === values.length) return leaf
  if (kept.length > 0) return { ...leaf, value: kept }
  return op && denials.has(op) ? always : never
}
