import { LRUCache } from 'lru-cache'
import { derived } from '../../../lib/caches.ts'
import type { ObjectModel } from '../../objects/index.ts'
import type { SortKey } from '../../query/index.ts'
import { Budget, only, parse } from '../../sql-grammar/index.ts'
import type { Reading } from './literals.ts'
import { limitOf, orderOf, checkSelectList } from './select-list.ts'
import { tablesOf, type Models, type Use } from './tables.ts'
import type { Tree } from './tree.ts'
import { filterOf } from './where.ts'

/** The compiled SQL of a list, independent of the principal. */
export type CompiledSql = {
  readonly filter: Tree | undefined
  readonly sort: readonly SortKey[] | undefined
  readonly limit: number | undefined
  readonly uses: readonly Use[]
}

/** The clauses that a SELECT may have: everything else is refused. */
const clauses = ['targetList', 'fromClause', 'whereClause', 'sortClause', 'limitCount', 'limitOption', 'op']

/**
 * Compiles the SQL of a list to a filter, an order and a limit; throws `SqlRefusal` for SQL that is not supported
 * (docs/decisions/0085).
 */
export async function compileSql(
  sql: string,
  object: ObjectModel,
  models: Models,
  reading: Reading,
): Promise<CompiledSql> {
  const select = await parse(sql)
  only(
    select['op'] === 'SETOP_NONE' ? { ...select, op: undefined } : { ...select, larg: select['larg'] ?? select },
    clauses.filter((name) => name !== 'op'),
    'A list',
  )
  only(
    {
      limitOption: ['LIMIT_OPTION_DEFAULT', 'LIMIT_OPTION_COUNT'].includes(String(select['limitOption']))
        ? undefined
        : select['limitCount'],
    },
    [],
    'LIMIT',
  )
  const tables = tablesOf(select['fromClause'], object, models)
  checkSelectList(select['targetList'], tables)
  return {
    filter: filterOf(select['whereClause'], { ...reading, tables, budget: new Budget() }),
    sort: orderOf(select['sortClause'], tables),
    limit: limitOf(select['limitCount']),
    uses: tables.uses,
  }
}

const rememberedMax = 200

const rememberedOf = derived((_models: Models) => new LRUCache<string, CompiledSql>({ max: rememberedMax }))

/** Compiles the SQL of a stored list, cached as long as the schemas are. */
export async function compileStored(
  sql: string,
  object: ObjectModel,
  models: Models,
  timeZone: string,
): Promise<CompiledSql> {
  const remembered = rememberedOf(models)
  const key = `${object.key} ${timeZone} ${sql}`
  const found = remembered.get(key) ?? (await compileSql(sql, object, models, { strict: false, timeZone }))
  remembered.set(key, found)
  return found
}
