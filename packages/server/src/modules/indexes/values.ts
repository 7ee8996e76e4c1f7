import { createHash } from 'node:crypto'
import { visiblePart } from '@kontor/contract'
import { isString, memberOf } from '../../lib/guards.ts'
import { fold } from '../../db/fold.ts'
import type { Field, RecordData } from '../fields/index.ts'

/** Most characters of a text in an index row; equality beyond it is checked against the document. */
export const textValueMax = 128

/** Unique keys above this length are stored as their beginning and a hash. */
const uniqueValueMax = 200

/** Cuts a text by code points, as both databases do. */
export const truncate = (text: string): string =>
  text.length <= textValueMax
    ? text
    : Array.from(text.slice(0, textValueMax * 2))
        .slice(0, textValueMax)
        .join('')

/** The compared part of a stored value; undefined if there is none. */
export const valueAt = ({ key, type }: Field, data: RecordData): unknown =>
  type.path.reduce<unknown>(memberOf, data[key] ?? undefined)

/** The texts of a field in the text index: none if the record has no value, one for each item of a collection. */
export function indexTexts(field: Field, data: RecordData): string[] {
  if (field.type.comparedAs === 'nothing') return data[field.key] === undefined ? [] : ['']
  return [...new Set(textsAt(field, data).map((text) => truncate(field.type.exact === true ? text : fold(text))))]
}

function textsAt(field: Field, data: RecordData): string[] {
  const value = valueAt(field, data)
  return Array.isArray(value) ? itemTexts(field, value, 1) : typeof value === 'string' ? [value] : []
}

/** The texts of items: the items themselves, or for objects the first of their compared members, up to a number. */
export function itemTexts(
  { type: { itemMembers } }: Pick<Field, 'type'>,
  items: readonly unknown[],
  membersMax = Infinity,
): string[] {
  if (itemMembers === undefined) return items.filter(isString)
  return items.flatMap((item) =>
    typeof item === 'string'
      ? [item]
      : itemMembers
          .slice(0, membersMax)
          .map((member) => memberOf(item, member))
          .filter(isString),
  )
}

/** The unique keys of a field's values: for each item of a collection its text, and its form where it has another. */
export function uniqueValues(field: Field, data: RecordData): string[] {
  const value = valueAt(field, data)
  const values = Array.isArray(value)
    ? value.filter(isString)
    : typeof value === 'string' || typeof value === 'number'
      ? [String(value)]
      : []
  const { uniqueForm } = field.type
  const forms = uniqueForm === undefined ? [] : values.map(uniqueForm).filter(isString)
  return [...new Set([...values, ...forms].map(uniqueValue))]
}

/** The unique key of a value, which stands for all that look the same at their ends. */
export function uniqueValue(text: string): string {
  const folded = visiblePart(fold(text))
  return folded.length <= uniqueValueMax
    ? folded
    : `${folded.slice(0, textValueMax)}#${createHash('sha256').update(folded).digest('hex')}`
}
