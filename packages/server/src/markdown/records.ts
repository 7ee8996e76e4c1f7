import type { Related, RecordResource } from '@kontor/contract'
import { cellReads, tableLines } from './table.ts'
import { namedText, titleOf, type NameOf } from './value.ts'

type Record_ = Pick<RecordResource, 'id' | 'type' | 'attributes' | 'relationships'>

/** Returns the names of the records that an answer contains, each beside what it was included for. */
export function namesOf(records: readonly Record_[], primaryOf: (type: string) => string | undefined): NameOf {
  const names = new Map<string, string>()
  for (const { relationships } of records)
    for (const related of Object.values(relationships)) collectNames(related, names, primaryOf)
  return (id) => names.get(id)
}

function collectNames(
  { data }: Related,
  names: Map<string, string>,
  primaryOf: (type: string) => string | undefined,
): void {
  for (const one of [data].flat()) {
    const title = titleOf(one?.attributes, one === null ? undefined : primaryOf(one.type))
    if (one !== null && title !== undefined) names.set(one.id, title)
  }
}

/** Returns the records of a relationship, as far as an answer contains them; undefined where it was not asked for. */
const linkedIds = (related: Related | undefined): readonly string[] | undefined =>
  related && [related.data].flat().flatMap((one) => one?.id ?? [])

/** Returns a field of a record as text: a value, or what the record is linked to. */
const fieldText = (
  { attributes, relationships }: Record_,
  field: string,
  nameOf: NameOf,
  charactersMax?: number,
): string => namedText(attributes[field] ?? linkedIds(relationships[field]), nameOf, charactersMax)

/** Writes records as the lines of a table, each with its id. */
export const recordLines = (records: readonly Record_[], columns: readonly string[], nameOf: NameOf): string[] =>
  tableLines(
    ['id', ...columns],
    records.map((record) => [record.id, ...columns.map((column) => fieldText(record, column, nameOf, cellReads))]),
  )

/** Writes one record, field by field; what is empty is left out. */
export const recordText = (record: Record_, fields: readonly string[], nameOf: NameOf): string =>
  fields
    .map((field) => [field, fieldText(record, field, nameOf)] as const)
    .filter(([, text]) => text !== '')
    .map(([field, text]) => `- ${field}: ${text.replaceAll('\n', '\n  ')}`)
    .join('\n')
