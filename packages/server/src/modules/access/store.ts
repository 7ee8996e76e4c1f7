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
export function whereVisible<Q extends Knex.QueryBuilder>({ knex }: Pick<Sql, 'knex'>, query: Q, alias: string, { userId, ...asker }: Asker): Q {
  if (seesAll({ userId, ...asker })) return query
  return query.where((either) => {
    either.where(`${alias}.visibility`, '>', 0)
    if (userId === null) return
    const granted = knex('access_grant as g').select('g.record_id').where({ 'g.workspace_id': knex.ref(`${alias}.workspace_id`), 'g.record_id': knex.ref(`${alias}.id`), 'g.grantee_id': userId })
    either.orWhere(`${alias}.owner_id`, userId).orWhereExists(granted)
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
