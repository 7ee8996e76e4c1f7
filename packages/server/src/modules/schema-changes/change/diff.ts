import { isDeepStrictEqual } from 'node:util'
import type { Change } from '@kontor/contract'
import type { SchemaDocument, SchemaKeys } from '../../schemas/index.ts'

type State = { readonly document: SchemaDocument; readonly keys: SchemaKeys }

/**
 * Compares two versions of an object: one change for each field, which its key identifies even under a new name, and
 * one with the empty path for the document itself, since its keywords have names that a field may have too. Without an
 * earlier version, everything is new.
 */
export function diffSchemas(before: State | undefined, after: State): Change[] {
  const names = new Map(Object.entries(before?.keys.fields ?? {}).map(([name, { key }]) => [key, name]))
  const kept: string[] = []
  const changes = Object.entries(after.document.properties).flatMap(([name, val]): Change[] => {
    const old = names.get(after.keys.fields[name]?.key ?? '')
    if (old === undefined) return [{ op: 'add', path: [name], val, oldVal: null }]
    kept.push(old)
    const oldVal = before?.document.properties[old]
    if (old === name) return isDeepStrictEqual(val, oldVal) ? [] : [{ op: 'update', path: [name], val, oldVal }]
    return [{ op: 'update', path: [old], val: { ...val, xSvcPrevName: old }, oldVal }]
  })
  const dropped = Object.entries(before?.document.properties ?? {}).flatMap(([name, oldVal]): Change[] =>
    kept.includes(name) ? [] : [{ op: 'delete', path: [name], val: null, oldVal }],
  )
  return [...changes, ...dropped, ...(before === undefined ? [] : diffDocuments(before.document, after.document, kept))]
}

/** The members that name the document rather than the object, and the fields themselves. */
const apart = new Set(['$schema', '$id', 'title', 'properties'])

/**
 * The keywords that differ, and the order of the fields if the remaining ones changed places; `kept` lists them in
 * their current order.
 */
function diffDocuments(before: SchemaDocument, after: SchemaDocument, kept: readonly string[]): Change[] {
  const old: Readonly<Record<string, unknown>> = { ...before }
  const now: Readonly<Record<string, unknown>> = { ...after }
  const keywords = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (keyword) => !apart.has(keyword) && !isDeepStrictEqual(old[keyword], now[keyword]),
  )
  const orders = [before, after].map(({ properties }) => Object.keys(properties))
  const isReordered = !isDeepStrictEqual(
    orders[0]?.filter((name) => kept.includes(name)),
    kept,
  )
  if (keywords.length === 0 && !isReordered) return []
  const [oldVal, val] = [old, now].map((document, index) => ({
    ...Object.fromEntries(keywords.map((keyword) => [keyword, document[keyword] ?? null])),
    ...(isReordered && { order: orders[index] }),
  }))
  return [{ op: 'update', path: [], val, oldVal }]
}
