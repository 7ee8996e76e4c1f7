import type { Knex } from 'knex'
import { atLeast, levelOnAll, type Asker } from './rules.ts'

/** Whether every record of the object is visible, so that no row need be looked at. */
export const seesAll = (asker: Asker): boolean => atLeast(levelOnAll(asker), 'view')

/**
 * The one predicate of reading: narrows a query over `record` (under the given alias) to what the caller may see.
 * Every read and every count of records passes through here.
 */
export function whereVisible<Q extends Knex.QueryBuilder>(query: Q, alias: string, asker: Asker): Q {
  if (seesAll(asker)) return query
  return query.where((either) => {
    either.where(`${alias}.visibility`, '>', 0)
    if (asker.userId !== null) either.orWhere(`${alias}.owner_id`, asker.userId)
  }) as Q
}
