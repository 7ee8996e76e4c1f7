import { isDeepStrictEqual } from 'node:util'
import type { Change } from '@kontor/contract'
import type { SchemaDocument, SchemaKeys } from '../../schemas/index.ts'

type State = { readonly document: SchemaDocument; readonly keys: SchemaKeys }

/**
 * What differs between two states of an object: one change for each field, which the key knows again under a new name, and
 * one for each keyword of the object itself. Without a state before, everything is new.
 */
export function diffSchemas(before: State | undefined, after: State): Change[] {
  const names = new Map(Object.entries(before?.keys.fields ?? {}).map(([name, { key }]) => [key, name]))
  const kept = new Set<string>()
  const changes = Object.entries(after.document.properties).flatMap(([name, val]): Change[] => {
    const old = names.get(after.keys.fields[name]?.key ?? '')
    if (old === undefined) return [{ op: 'add', path: [name], val, oldVal: null }]
    kept.add(old)
    const oldVal = before?.document.properties[old]
    if (old === name) return isDeepStrictEqual(val, oldVal) ? [] : [{ op: 'update', path: [name], val, oldVal }]
    return [{ op: 'update', path: [old], val: { ...val, xSvcPrevName: old }, oldVal }]
  })
  const dropped = Object.entries(before?.document.properties ?? {}).flatMap(([name, oldVal]): Change[] => (kept.has(name) ? [] : [{ op: 'delete', path: [name], val: null, oldVal }]))
  return [...changes, ...dropped, ...(before === undefined ? [] : diffKeywords(before.document, after.document))]
}

/** What names the document rather than the object, and the fields themselves. */
const apart = new Set(['$schema', '$id', 'title', 'properties'])

function diffKeywords(before: SchemaDocument, after: SchemaDocument): Change[] {
  const [old, now] = [before, after] as unknown as [Record<string, unknown>, Record<string, unknown>]
  const keywords = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((keyword) => !apart.has(keyword))
  return keywords.flatMap((keyword): Change[] => {
    const [oldVal, val] = [old[keyword] ?? null, now[keyword] ?? null]
    if (isDeepStrictEqual(oldVal, val)) return []
    return [{ op: oldVal === null ? 'add' : val === null ? 'delete' : 'update', path: [keyword], val, oldVal }]
  })
}
