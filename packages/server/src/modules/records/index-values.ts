import { createHash } from 'node:crypto'
import { fold } from '../../db/fold.ts'
import type { Field } from './fields/field-type.ts'
import type { RecordData } from './store.ts'

/** Index rows keep this many characters; equality beyond it is checked against the document. */
export const textValueMax = 128

/** Unique keys above this length are kept as their beginning and a hash. */
const uniqueValueMax = 200

/** Cut by code points, as both databases do. */
const cut = (text: string): string => (text.length <= textValueMax ? text : Array.from(text.slice(0, textValueMax * 2)).slice(0, textValueMax).join(''))

const at = (value: unknown, path: readonly string[]): unknown => path.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value)

/** What the text index holds of a field; null where the record has no value. */
export function indexText(field: Field, data: RecordData): string | null {
  const text = at(data[field.key] ?? undefined, field.type.path)
  return typeof text === 'string' ? cut(field.type.exact === true ? text : fold(text)) : null
}

/** The values that a unique field claims: one for each item of a collection. */
export function uniqueValues(field: Field, data: RecordData): string[] {
  const value = at(data[field.key] ?? undefined, field.type.path)
  const values = Array.isArray(value) ? (value as string[]) : typeof value === 'string' || typeof value === 'number' ? [String(value)] : []
  return [...new Set(values.map(uniqueValue))]
}

function uniqueValue(text: string): string {
  const folded = fold(text)
  return folded.length <= uniqueValueMax ? folded : `${folded.slice(0, textValueMax)}#${createHash('sha256').update(folded).digest('hex')}`
}
