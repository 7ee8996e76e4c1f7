import { defaultSettings, type ListQuery } from '@kontor/contract'
import { Failure } from '../../../kernel/errors.ts'
import { fromStored, resolveBy, rewriteFilter, type SchemaChange } from '../../filters/index.ts'
import type { ObjectModel } from '../../objects/index.ts'
import { serverContext } from '../../schemas/index.ts'
import { compileSql } from '../sql/compile.ts'
import { SqlRefusal } from '../../sql-grammar/index.ts'
import type { Models, Use } from '../sql/tables.ts'
import { rewriteSql } from './rewrite-sql.ts'

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
