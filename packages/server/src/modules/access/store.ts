import type { Knex } from 'knex'
import { param, statement } from '../../db/statement.ts'
import type { ReadTx, Sql } from '../../db/tx.ts'
import { atLeast, levelOf, levelOnAll, type Asker, type Level } from './rules.ts'

/** Whether everything of the object is visible, so that no row need be looked at. */
export const seesAll = (asker: Asker): boolean => atLeast(levelOnAll(asker), 'view')

/**
 * The one predicate of reading: narrows a query over `record`, or over a table with the same columns `workspace_id`, `id`,
 * `owner_id` and `visibility`, under the given alias, to what the caller may see. Every read and every count passes through here.
 */
export function whereVisible<Q extends Knex.QueryBuilder>(sql: Sql, query: Q, alias: string, asker: Asker): Q {
  const { userId } = asker
  const { knex } = sql
  if (seesAll(asker)) return query
  return query.where((either) => {
    either.where(`${alias}.visibility`, '>', 0)
    if (userId === null) return
    const granted = knex('access_grant as g').select('g.record_id').where({ 'g.workspace_id': knex.ref(`${alias}.workspace_id`), 'g.record_id': knex.ref(`${alias}.id`), 'g.grantee_id': userId })
    either.orWhere(`${alias}.owner_id`, userId).orWhere(sql.dialect.isThere(knex, granted))
  }) as Q
}

/** Which records of an object, and who asks. */
type Asked = { readonly workspaceId: string; readonly object: string; readonly asker: Asker }

/** Rows `record_id` of what the caller alone may see of an object: what they own and have not made public, and what they were granted, each once. */
export function privateRows({ knex }: Pick<Sql, 'knex'>, { workspaceId, object, asker: { userId } }: Asked): Knex.QueryBuilder {
  const owned = knex('record').select('id as record_id').where({ workspace_id: workspaceId, owner_id: userId, object, visibility: 0 }).whereNull('deleted_at')
  const granted = knex('access_grant').select('record_id').where({ workspace_id: workspaceId, grantee_id: userId, object })
  return granted.union(owned)
}

/** How many these are, counted up to a number. */
export async function countPrivate(tx: ReadTx, asked: Asked, rowsMax: number): Promise<number> {
  if (asked.asker.userId === null) return 0
  const [row] = await tx.query<{ total: number }>((sql) => sql.knex.count('* as total').from(privateRows(sql, asked).limit(rowsMax).as('c')), { heavy: true })
  return row?.total ?? 0
}

const anyOwned = statement<{ workspace_id: string; owner_id: string; object: string }, { id: string }>(({ knex }) =>
  knex('record').select('id').where({ workspace_id: param('workspace_id'), owner_id: param('owner_id'), object: param('object'), visibility: 0 }).whereNull('deleted_at').limit(1),
)

/** Whether the caller owns anything of an object that is not public. */
export const ownsAny = async (tx: ReadTx, { workspaceId, object, asker: { userId } }: Asked): Promise<boolean> =>
  userId !== null && (await tx.first(anyOwned, { workspace_id: workspaceId, owner_id: userId, object })) !== undefined

/** Rows `record_id` of what is shared with the workspace. */
export const publicRows = ({ knex }: Pick<Sql, 'knex'>, { workspaceId, object }: Asked): Knex.QueryBuilder =>
  knex('record').select('id as record_id').where({ workspace_id: workspaceId, object }).where('visibility', '>', 0).whereNull('deleted_at')

/**
 * Narrows a query over the rows `s` of an ordered index, which carry the `visibility` of their records, to what the caller may
 * see. Who owns what does not stand there: each row costs a look at its record, which whoever owns nothing is spared.
 */
export function whereVisibleRow<Q extends Knex.QueryBuilder>(sql: Sql, query: Q, { workspaceId, asker: { userId } }: Asked, owns: boolean): Q {
  const { knex } = sql
  return query.where((either) => {
    either.where('s.visibility', '>', 0)
    if (userId === null) return
    const own = { 'o.workspace_id': workspaceId, 'o.id': knex.ref('s.record_id'), 'o.owner_id': userId }
    const granted = { 'g.workspace_id': workspaceId, 'g.record_id': knex.ref('s.record_id'), 'g.grantee_id': userId }
    either.orWhere(sql.dialect.isThere(knex, knex('access_grant as g').select('g.record_id').where(granted)))
    if (owns) either.orWhere(sql.dialect.isThere(knex, knex('record as o').select('o.id').where(own)))
  }) as Q
}

const grantedTo = statement<{ workspace_id: string; grantee_id: string; ids: unknown }, { record_id: string; level: number }>(({ knex, dialect }) =>
  knex('access_grant')
    .select('record_id', 'level')
    .where({ workspace_id: param('workspace_id'), grantee_id: param('grantee_id') })
    .where(dialect.oneOfGiven(knex, 'record_id', param('ids'))),
)

/** The levels that are granted to a user on some records, by their ids. */
export async function listGranted(tx: ReadTx, workspaceId: string, userId: string, ids: readonly string[]): Promise<Map<string, Level>> {
  const rows = await tx.all(grantedTo, { workspace_id: workspaceId, grantee_id: userId, ids: tx.dialect.list(ids) })
  return new Map(rows.map(({ record_id, level }) => [record_id, levelOf(level)]))
}
