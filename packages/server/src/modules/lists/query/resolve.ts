import { defaultSettings, type ListQuery } from '@kontor/contract'
import { derived } from '../../../lib/caches.ts'
import { Failure } from '../../../kernel/errors.ts'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { principalOf } from '../../access/index.ts'
import { type SortKey } from '../../query/index.ts'
import { compileObject, objectAccess, type ObjectModel } from '../../objects/index.ts'
import { workspaceSchemas } from '../../schemas/index.ts'
import { findSettings } from '../../settings/index.ts'
import { refusalFault, SqlRefusal } from '../../sql-grammar/index.ts'
import type { FoundList } from '../find.ts'
import { compileSql, compileStored } from '../sql/compile.ts'
import { bind, type ReaderRights } from '../sql/tree.ts'
import { visibleColumn, fromStored, fromTree, resolveFilter, type ResolvedFilter } from '../../filters/index.ts'

export type QueryContext = WorkspaceReadContext<
  'unknown_field' | 'unknown_operator' | 'unknown_value' | 'unsupported_sql'
>

/** The resolved query of a dynamic list, as far as the principal may see what its conditions refer to. */
export type ResolvedQuery = {
  readonly filter: ResolvedFilter | undefined
  /** Undefined if the query has no order. */
  readonly sort: readonly SortKey[] | undefined
  /** Most records of the list, the first in its order. */
  readonly limit: number | undefined
}

/** Checks a query against the schemas; `pointer` is its location in the body. */
export async function resolveQuery(
  ctx: QueryContext,
  object: ObjectModel,
  query: ListQuery,
  pointer: string,
  stored = false,
): Promise<ResolvedQuery> {
  // The records of the object itself are read, whatever else the query refers to.
  objectAccess(ctx, object, 'read')
  if ('sql' in query) return resolveSql(ctx, object, query.sql, `${pointer}/sql`, stored)
  const given = stored ? fromStored(query.filter) : fromTree(query.filter, `${pointer}/filter`)
  const filter = await resolveFilter(ctx, object, given, () => ({ pointer: `${pointer}/filter` }))
  return { filter, sort: undefined, limit: undefined }
}

async function resolveSql(
  ctx: QueryContext,
  object: ObjectModel,
  sql: string,
  pointer: string,
  stored: boolean,
): Promise<ResolvedQuery> {
  const schemas = await workspaceSchemas(ctx)
  const models = modelsOf(schemas)
  const timeZone = await timeZoneFor(ctx, sql)
  try {
    const { filter, sort, limit } = stored
      ? await compileStored(sql, object, models, timeZone)
      : await compileSql(sql, object, models, { strict: true, timeZone })
    const reader: ReaderRights = {
      principalOf: ({ schema }) => principalOf(ctx, schema, 'read'),
      asSeen: (column) => visibleColumn(ctx, schemas, column),
    }
    return {
      limit,
      filter: filter && bind(filter, reader),
      sort: sort?.map((key) => ({ ...key, column: reader.asSeen(key.column) })),
    }
  } catch (error) {
    if (!(error instanceof SqlRefusal)) throw error
    throw ctx.fail('unsupported_sql', refusalFault(sql, error, pointer))
  }
}

/** The time zone of the workspace, where a constant may be a day or a local time; for any other it does not matter. */
const timeZoneFor = async ({ tx, workspace }: QueryContext, sql: string): Promise<string> =>
  (/\d{4}-\d{2}-\d{2}(T[\d:.]+)?'/.test(sql) ? await findSettings(tx, workspace.workspaceId) : defaultSettings)
    .time_zone

type Schemas = Awaited<ReturnType<typeof workspaceSchemas>>

/** One map for each set of schemas: compiled objects are cached with it. */
const modelsOf = derived(
  (schemas: Schemas): ReadonlyMap<string, ObjectModel> =>
    new Map([...schemas].map(([name, schema]) => [name, compileObject(schema)])),
)

/** Resolves a stored query; 409 if it no longer fits the schemas. */
export async function resolveStored(
  ctx: WorkspaceReadContext<'list_broken'>,
  { object, row }: Pick<FoundList, 'object' | 'row'>,
): Promise<ResolvedQuery> {
  try {
    if (row.query === null) return { filter: undefined, sort: undefined, limit: undefined }
    return await resolveQuery(ctx as unknown as QueryContext, object, row.query, '', true)
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'insufficient_scope') throw error
    throw ctx.fail('list_broken', {
      detail: `The query of the list "${row.title}" no longer fits the schemas: ${error.message}`,
    })
  }
}
