import { defaultSettings, type ListQuery } from '@kontor/contract'
import { Failure } from '../../../kernel/errors.ts'
import { fromStored, resolveBy, rewriteFilter, nameNow, objectNow, type SchemaChange } from '../../filters/index.ts'
import { findColumn, type ObjectModel } from '../../objects/index.ts'
import { serverContext } from '../../schemas/index.ts'
import { compileSql } from '../sql/compile.ts'
import { SqlRefusal } from '../../sql-grammar/index.ts'
import type { Models, Use } from '../sql/tables.ts'

/** Returns whether a query fits does not depend on when its days begin. */
const timeZone = defaultSettings.time_zone

const noCaller = { actor: { kind: 'user', userId: '', scopes: [] }, role: 'admin' } as const

/**
 * The locations at which the SQL of a list names fields: undefined for a query that does not fit the schemas, none for
 * a query without SQL.
 */
async function usesIn(query: ListQuery, object: ObjectModel, models: Models): Promise<readonly Use[] | undefined> {
  try {
    if ('sql' in query) return (await compileSql(query.sql, object, models, { strict: false, timeZone })).uses
    // No data is read: the schemas are given, and time does not matter.
    const schemas = new Map([...models].map(([name, { schema }]) => [name, schema]))
    resolveBy(
      {
        ...serverContext(
          {} as Parameters<typeof serverContext>[0],
          '',
          { epoch: 0, settings: {}, schemas },
          noCaller,
          0,
        ),
        timeZone,
      },
      schemas,
      object,
      fromStored(query.filter),
      () => ({}),
    )
    return []
  } catch (error) {
    if (error instanceof SqlRefusal || error instanceof Failure) return undefined
    throw error
  }
}

/** Tells whether a query may read records of other objects. */
const looksBeyond = (query: ListQuery): boolean =>
  'sql' in query ? /\bjoin\b/i.test(query.sql) : /"field":"[^"]*\./.test(JSON.stringify(query.filter))

export type Adapted = {
  readonly query: ListQuery
  /** True if it fits the previous and the new schemas. */
  readonly fitted: boolean
  readonly fits: boolean
  /** True if the change may concern records that the query reads. */
  readonly concerned: boolean
}

/** Adapts the query of a list to a schema change: it follows the names of its fields. */
export async function adapt(change: SchemaChange, object: ObjectModel, query: ListQuery): Promise<Adapted> {
  const uses = await usesIn(query, object, change.before)
  // The conditions of a tree follow their fields each by itself, though another of them may not fit.
  const adapted =
    'filter' in query
      ? { ...query, filter: rewriteFilter(change, object, query.filter) }
      : { ...query, sql: rewriteSql(change, query.sql, uses ?? []) }
  const now = [...change.after.values()].find(({ key }) => key === object.key)
  const fits = now !== undefined && (await usesIn(adapted, now, change.after)) !== undefined
  return {
    query: adapted,
    fitted: uses !== undefined,
    fits,
    concerned: uses === undefined || !fits || change.opens || change.changed.has(object.name) || looksBeyond(query),
  }
}

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
function rewriteSql(change: SchemaChange, sql: string, uses: readonly Use[]): string {
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
