import type { Statement } from './listening.ts'

/**
 * The reads of the large tables by a statement, from little to much: `found`, the rows of given keys and values;
 * `order`, rows in the order of an index until there are enough; `index`, all rows that an index has of one field;
 * `records`, all records of an object, or of a partition that is hardly larger; `everything`, an index table from end
 * to end.
 */
const reads = ['found', 'order', 'index', 'records', 'everything'] as const

export type Reads = (typeof reads)[number]

export const readsMore = (one: Reads, other: Reads): boolean => reads.indexOf(one) > reads.indexOf(other)

/**
 * One access to a table: the columns that its index is given values for; none for a scan. An alias may stand for
 * several tables.
 */
type Access = { readonly tables: readonly string[]; readonly columns: readonly string[] }

/** By table, columns of which one must be given, or a whole index or all records are read. */
const narrowing: Readonly<Record<string, readonly string[]>> = {
  record: ['id', 'created_at', 'updated_at', 'deleted_at'],
  field_text: ['text_value', 'record_id'],
  field_number: ['number_value', 'record_id'],
  field_gram: ['grams', 'record_id', 'id', 'rowid'],
  search_document: ['grams', 'record_id', 'id', 'rowid'],
  unique_key: ['key_value', 'record_id'],
  link: ['from_id', 'to_id', 'hidden_by'],
  activity: ['record_id'],
  comment: ['record_id', 'id'],
}

const tableNames = Object.keys(narrowing).join('|')

/** The reads of a statement, by the costliest access of its plan. */
export function readsOf(statement: Statement, plan: readonly string[]): Reads {
  const { text } = statement
  const accesses = text.includes('$1') ? postgresAccesses(plan) : sqliteAccesses(text, plan)
  const found = accesses.map((access) => readsOfAccess(access, endsEarly(text, plan), isOfEmpty(statement)))
  return found.toSorted((a, b) => (readsMore(a, b) ? -1 : 1))[0] ?? 'found'
}

function readsOfAccess({ tables, columns }: Access, isEndingEarly: boolean, isOfEmptyValues: boolean): Reads {
  const isOfRecords = tables.includes('record')
  if (columns.length === 0) return isOfRecords ? 'records' : 'everything'
  const isNarrow = columns.some(
    (column) => tables.some((table) => narrowing[table]?.includes(column)) || (isOfEmptyValues && column === 'is_null'),
  )
  if (isNarrow) return 'found'
  return isEndingEarly ? 'order' : isOfRecords ? 'records' : 'index'
}

/** Returns whether only the rows of empty values of a field's index are read. */
function isOfEmpty({ text, values }: Statement): boolean {
  const asked = [...text.matchAll(/is_null[`"] = (\?|\$\d+)/g)].map((match) => {
    const [, parameter = ''] = match
    return parameter === '?'
      ? values[text.slice(0, match.index).split('?').length - 1]
      : values[Number(parameter.slice(1)) - 1]
  })
  return asked.length > 0 && asked.every((value) => value === 1)
}

/** A limit and no sort before it. */
const endsEarly = (text: string, plan: readonly string[]): boolean =>
  /\blimit\b/i.test(text) &&
  !plan.some((line) =>
    /USE TEMP B-TREE FOR (ORDER BY|GROUP BY|DISTINCT)|^\s*(->)? *(Sort(?! Key)|HashAggregate|Unique)\b/.test(line),
  )

/**
 * `SEARCH r USING INDEX record_live (workspace_id=? AND object=?)`; what is no table of ours is a part of the query.
 */
function sqliteAccesses(text: string, plan: readonly string[]): Access[] {
  const named = [...text.matchAll(new RegExp(`\\b(${tableNames})\\b[\`"]?(?: as [\`"]?(\\w+))?`, 'g'))].map(
    ([, table = '', alias = table]) => ({ alias, table }),
  )
  const parts = new Set(plan.map((line) => /^\s*(?:CO-ROUTINE|MATERIALIZE) (\w+)/.exec(line)?.[1]))
  return plan.flatMap((line): Access[] => {
    const [, kind, alias, given = ''] = /^\s*(SCAN|SEARCH) (\w+)(?:[A-Z ]* USING [^(]* \((.*)\))?/.exec(line) ?? []
    const tables = named.filter((one) => one.alias === alias).map(({ table }) => table)
    if (tables.length === 0 || (kind === 'SCAN' && parts.has(alias))) return []
    return [{ tables, columns: [...wordsOf(given), ...ofPart(line)] }]
  })
}

/** An index of a few rows by its own condition, which its entries need not be given. */
const ofPart = (line: string): readonly string[] =>
  /search_document_(\w+_)?unindexed|search_document_(p\d+_)?workspace_id_object_idx/.test(line) ? ['grams'] : []

const wordsOf = (condition: string): string[] => [...condition.matchAll(/\w+/g)].map(([word]) => word)

/**
 * `Index Scan using record_pkey on record r`, and `Index Cond: ((workspace_id = ?) AND (id = ?))` in one of the lines
 * below it.
 */
function postgresAccesses(plan: readonly string[]): Access[] {
  return plan.flatMap((line, index): Access[] => {
    const [, kind, name = ''] =
      /(Seq Scan|Index Scan|Index Only Scan|Bitmap Index Scan)(?: Backward)?(?: using \w+)? on (\w+)/.exec(line) ?? []
    const table = kind === 'Bitmap Index Scan' ? tableOfIndex(name) : name
    if (kind === undefined || !(table in narrowing)) return []
    const rest = plan.slice(index + 1)
    const end = rest.findIndex((next) => /^\s*->/.test(next))
    const condition = rest.slice(0, end < 0 ? rest.length : end).find((next) => next.includes('Index Cond:')) ?? ''
    return [{ tables: [table], columns: kind === 'Seq Scan' ? [] : [...wordsOf(condition), ...ofPart(line)] }]
  })
}

/** Indexes are named after their table; that of another table may begin alike. */
const tableOfIndex = (name: string): string =>
  [...Object.keys(narrowing), 'record_count']
    .filter((table) => name.startsWith(`${table}_`))
    .toSorted((a, b) => b.length - a.length)[0] ?? ''
