import { isLive, limited } from '../../../db/expressions.ts'
import { param, statement } from '../../../db/statement.ts'
import type { ReadTx } from '../../../db/tx.ts'
import { listLive, recordColumns, type RecordRow } from '../../objects/index.ts'
import { isDescending, isFirstByCreation, type ListQuery, type PageRow } from '../list-query.ts'
import { isExact } from '../totals/choose-total.ts'
import { knownTotal } from '../totals/total.ts'
import { creationRow } from './creation-order.ts'
import { planOf, sortColumns, type ListPlan, type ListStrategy } from './strategy.ts'

/** Reads the records of the list by their ids, which are few and in memory. */
export const idList: ListStrategy = {
  async tryPlan(planning) {
    const { query } = planning
    if (!isFirstByCreation(query)) return undefined
    const cheapest = await planning.cheapest()
    return cheapest?.ids !== undefined && isExact(cheapest, query)
      ? idListPlan(cheapest.ids, cheapest.path.label)
      : undefined
  },
}

const idListPlan = (ids: readonly string[], label: string): ListPlan =>
  planOf(
    {
      page: (tx, query) => readPage(tx, query, ids),
      explain: (query) => `Finds the records by ${label}, and sorts them by ${sortColumns(query)}.`,
    },
    knownTotal(ids.length),
  )

type FirstArgs = {
  readonly workspace_id: string
  readonly object: string
  readonly ids: unknown
  readonly rows: number
}

/** Reads the first of some records by creation, so that the documents of the others need not be read. */
const firstByCreation = (order: 'asc' | 'desc') =>
  statement<FirstArgs, RecordRow>((sql) =>
    limited(
      sql,
      sql
        .knex('record')
        .select(...recordColumns)
        .where({ workspace_id: param('workspace_id'), object: param('object') })
        .where(sql.dialect.oneOf('id', param('ids')))
        .where(isLive(sql, 'record'))
        .orderBy([
          { column: 'created_at', order },
          { column: 'id', order },
        ]),
      param('rows'),
    ),
  )

const firstStatements = { asc: firstByCreation('asc'), desc: firstByCreation('desc') }

/** Reads the first page of an id list by creation. If the page shows all records, sorting them here costs less. */
async function readPage(tx: ReadTx, query: ListQuery, ids: readonly string[]): Promise<PageRow[]> {
  if (ids.length === 0) return []
  const { workspaceId, object, sort, limit, offset } = query
  const shownMax = offset + limit + 1
  const rows =
    ids.length > shownMax
      ? await tx.all(firstStatements[isDescending(sort) ? 'desc' : 'asc'], {
          workspace_id: workspaceId,
          object: object.key,
          ids,
          rows: shownMax,
        })
      : await listLive(tx, workspaceId, object.key, ids)
  return inCreationOrder(rows, query).slice(offset, shownMax).map(creationRow)
}

/** Sorts the records of such a page. */
function inCreationOrder(rows: readonly RecordRow[], { sort }: ListQuery): RecordRow[] {
  const sign = isDescending(sort) ? -1 : 1
  return rows.toSorted((a, b) => sign * (a.created_at - b.created_at || (a.id < b.id ? -1 : 1)))
}
