import { findColumn } from '../../objects/index.ts'
import { nameNow, objectNow, type SchemaChange } from '../../filters/index.ts'
import type { Use } from '../sql/tables.ts'

/** A name in the SQL text, and the dot before the next one. */
const name = /\s*("(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_$]*)\s*\.?/uy

/** The span of the `index`th of the names at a byte; undefined if it is written too unusually to tell. */
function spanOf(sql: string, { at, index }: Use): readonly [number, number] | undefined {
  name.lastIndex = Buffer.from(sql).subarray(0, at).toString().length
  let match = name.exec(sql)
  for (let passed = 0; passed < index && match !== null; passed++) match = name.exec(sql)
  const word = match?.[1]
  if (match === null || word === undefined) return undefined
  const start = match.index + match[0].indexOf(word)
  return [start, start + word.length]
}

/** The table to name before a column that stands without one, where another table now has a column of that name. */
const tableBefore = (change: SchemaChange, { bare }: Use, column: string): string | undefined =>
  bare?.others.some((other) => {
    const now = objectNow(change, other)
    return now !== undefined && findColumn(now, column) !== undefined
  }) === true
    ? bare.table
    : undefined

const quoted = (word: string): string => `"${word.replaceAll('"', '""')}"`

/** Rewrites the SQL of a list with the new field names; what cannot be renamed stays, and is found not to fit. */
export function rewriteSql(change: SchemaChange, sql: string, uses: readonly Use[]): string {
  const renamed = uses.flatMap((use) => {
    const field = use.object.fields.get(use.name)
    const now = field && nameNow(change, use.object, field)
    if (now === undefined) return []
    const column = `${use.before}${now}${use.behind}`
    const table = tableBefore(change, use, column)
    const span = now === use.name && table === undefined ? undefined : spanOf(sql, use)
    return span === undefined
      ? []
      : [{ span, text: `${table === undefined ? '' : `${quoted(table)}.`}${quoted(column)}` }]
  })
  // From the end, so that earlier positions stay valid.
  const distinct = new Map(renamed.map((one) => [one.span[0], one]))
  return [...distinct.values()]
    .toSorted((a, b) => b.span[0] - a.span[0])
    .reduce((text, { span: [start, end], text: word }) => text.slice(0, start) + word + text.slice(end), sql)
}
