import type { z } from 'zod'
import {
  queryFields,
  type FreeField,
  type IndexedField,
  type LeafField,
  type QueryField,
  type ScalarKind,
} from '@kontor/contract'
import { defined, isList, isRecord } from '../lib/guards.ts'
import { Failure, failure } from '../kernel/errors.ts'
import { parameterNames, unknownParameter } from '../kernel/parse/parse.ts'

type Decoded = Record<string, unknown>

/** Turns the text after `?` into the typed object that an endpoint's query schema checks. Unknown names are 400. */
export type QueryDecoder = (search: string) => Decoded

/** Names that would reach the prototype of an object. */
const forbidden = new Set(['__proto__', 'constructor', 'prototype'])

export function compileQueryDecoder(query: z.ZodObject | undefined): QueryDecoder {
  const fields = query === undefined ? [] : queryFields(query)
  const leaves = new Map(fields.filter(isLeaf).map((field) => [field.name, field]))
  const open = fields.filter((field) => !isLeaf(field))
  const allowed = parameterNames(query)
  return (search) => {
    const decoded: Decoded = {}
    if (search === '') return decoded
    const unknown: string[] = []
    for (const [name, value] of pairsOf(search)) {
      const leaf = leaves.get(name) ?? listField(leaves, name)
      if (leaf !== undefined) setLeaf(decoded, leaf, name, value)
      else if (!open.some((field) => setOpen(decoded, field, name, value))) unknown.push(name)
    }
    if (unknown.length > 0) throw unknownParameters(unknown, allowed)
    return decoded
  }
}

const isLeaf = (field: QueryField): field is LeafField => field.kind !== 'free' && field.kind !== 'indexed'

/** A comma list may also come as `name[]`. */
function listField(leaves: ReadonlyMap<string, LeafField>, name: string): LeafField | undefined {
  const field = name.endsWith('[]') ? leaves.get(name.slice(0, -2)) : undefined
  return field?.kind === 'list' ? field : undefined
}

function* pairsOf(search: string): Generator<[string, string]> {
  for (const pair of search.split('&')) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    const name = at === -1 ? pair : pair.slice(0, at)
    const decoded = decode(name, name)
    yield [decoded, decode(at === -1 ? '' : pair.slice(at + 1), decoded)]
  }
}

function decode(text: string, parameter: string): string {
  try {
    return text.includes('%') || text.includes('+') ? decodeURIComponent(text.replaceAll('+', ' ')) : text
  } catch {
    throw failure('invalid_parameter', `"${text}" is not percent-encoded UTF-8; a percent sign itself is %25.`, {
      source: { parameter },
    })
  }
}

function setLeaf(decoded: Decoded, field: LeafField, name: string, value: string): void {
  const key = defined(field.path.at(-1))
  const parent = field.path.slice(0, -1).reduce((inner, part) => membersOf(inner, part, {}), decoded)
  if (field.kind === 'list')
    parent[key] = [...itemsOf(parent[key]), ...splitList(value).map((item) => typed(field.item, item))]
  else if (key in parent) throw twice(name)
  else parent[key] = typed(field.kind, value)
}

/** The members under a name, which are made where there are none yet. */
function membersOf(parent: Decoded, name: string, made: Decoded): Decoded {
  const members = parent[name]
  return isRecord(members) ? members : (parent[name] = made)
}

const itemsOf = (value: unknown): readonly unknown[] => (isList(value) ? value : [])

const splitList = (value: string): string[] => (value === '' ? [] : value.split(','))

/** Converts a value to its type; one that does not look like it stays text, which the schema then refuses. */
function typed(kind: ScalarKind, value: string): unknown {
  if (kind === 'number') return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value
  if (kind === 'boolean') return value === 'true' ? true : value === 'false' ? false : value
  return value
}

function setOpen(decoded: Decoded, field: QueryField, name: string, value: string): boolean {
  if (field.kind === 'free' && field.isBare === true) return setByOperator(decoded, field, name, value)
  const isItem = name.endsWith('[]') && field.kind === 'free' && (field.takesMany === true || field.value === 'list')
  const keys = isItem ? name.slice(0, -2) : name
  const parts = keys.startsWith(`${field.name}[`) ? bracketed(keys.slice(field.name.length)) : undefined
  if (parts === undefined || parts.some((part) => forbidden.has(part))) return false
  if (field.kind === 'indexed') return setIndexed(decoded, field, parts, name, value)
  return field.kind === 'free' && setFree(decoded, field, parts, { name, value, isItem })
}

/** The keys of `[a][b]`; undefined where the brackets do not match. */
function bracketed(text: string): string[] | undefined {
  return /^(\[[^[\]]+\]){1,2}$/.test(text) ? text.slice(1, -1).split('][') : undefined
}

/**
 * A parameter whose keys are open, with the way that its value came: as an item of a list where its name ends in `[]`.
 */
type Sent = { readonly name: string; readonly value: string; readonly isItem: boolean }

/**
 * `filter[field]=value` or `filter[field][Operator]=value`; both together are two conditions on one field, and then the
 * bare one stands under the empty operator. `fields[object]=a,b` is a list.
 */
function setFree(decoded: Decoded, field: FreeField, [key = '', operator]: string[], sent: Sent): boolean {
  // Without inherited members: `fields[toString]` is a name like any other.
  const members = membersOf(decoded, defined(field.path[0]), { __proto__: null })
  if (field.value === 'list') {
    if (operator !== undefined) return false
    members[key] = [...itemsOf(members[key]), ...splitList(sent.value)]
    return true
  }
  addCondition(members, key, operator, sent, field.takesMany === true)
  return true
}

/** `filter[name]=value` or `filter[name][Operator]=value` of one member whose operators are open. */
function setByOperator(decoded: Decoded, { path, name: own }: FreeField, name: string, value: string): boolean {
  const [operator, ...more] = name === own ? [undefined] : (bracketed(name.slice(own.length)) ?? [])
  const isOperator = name.startsWith(`${own}[`) && operator !== undefined && !forbidden.has(operator)
  if (more.length > 0 || !(name === own || isOperator)) return false
  const members = path.slice(0, -1).reduce((inner, part) => membersOf(inner, part, {}), decoded)
  addCondition(members, defined(path.at(-1)), operator, { name, value, isItem: false }, false)
  return true
}

function addCondition(
  members: Decoded,
  key: string,
  operator: string | undefined,
  { name, value, isItem }: Sent,
  takesMany: boolean,
): void {
  const before = members[key]
  const byOperator: Decoded | undefined = isRecord(before) ? before : undefined
  const isBare = operator === undefined && byOperator === undefined
  const known = isBare ? before : byOperator && own(byOperator, operator ?? '')
  if (known !== undefined && !takesMany) throw twice(name)
  const added = known === undefined && !isItem ? value : [...(isList(known) ? known : [known ?? []].flat()), value]
  if (isBare) members[key] = added
  else members[key] = { ...(byOperator ?? (before !== undefined && { '': before })), [operator ?? '']: added }
}

const own = (members: Decoded, name: string): unknown => (Object.hasOwn(members, name) ? members[name] : undefined)

function setIndexed(
  decoded: Decoded,
  { path, fields, itemsMax }: IndexedField,
  [index = '', key = '']: string[],
  name: string,
  value: string,
): boolean {
  const field = fields.find((one) => one.name === key)
  if (field === undefined || !/^\d{1,3}$/.test(index) || Number(index) >= itemsMax) return false
  const last = defined(path.at(-1))
  const given = decoded[last]
  if (given !== undefined && !Array.isArray(given))
    throw failure('invalid_parameter', `Send ${last}[…] either with or without positions.`, {
      source: { parameter: name },
    })
  const items: unknown[] = (decoded[last] = given ?? [])
  const known = items[Number(index)]
  const item: Decoded = isRecord(known) ? known : (items[Number(index)] = {})
  if (key in item) throw twice(name)
  item[key] = typed(field.kind === 'list' ? field.item : field.kind, value)
  return true
}

const twice = (name: string): Failure =>
  failure('invalid_parameter', `"${name}" is sent twice.`, { source: { parameter: name } })

function unknownParameters(names: readonly string[], allowed: readonly string[]): Failure {
  const faults = names.slice(0, 20).map((name) => unknownParameter(name.slice(0, 100), allowed))
  return new Failure(faults)
}
