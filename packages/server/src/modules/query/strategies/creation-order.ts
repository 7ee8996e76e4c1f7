import { numberOf } from '../../../lib/guards.ts'
import { limited, tupleAfter } from '../../../db/expressions.ts'
import { param, statement } from '../../../db/statement.ts'
import type { ReadTx } from '../../../db/tx.ts'
import { seesAll } from '../../access/index.ts'
import { recordColumns, type RecordRow } from '../../objects/index.ts'
import type { KeysetPosition } from '../cursor.ts'
import { isDescending, type ListQuery, type PageRow } from '../list-query.ts'
import { objectTotal } from '../totals/total.ts'
import { lightRowsMax } from './page-by-keys.ts'
import { explainScan } from './sequential-scan.ts'
import { sortedPage } from './sorted-lookup.ts'
import { planOf, type ListStrategy } from './strategy.ts'

/** Reads all records of an object, oldest first, as most lists do: prepared once, answered from one index. */
export const creationOrder: ListStrategy = {
  tryPlan: ({ query: { sort, filter, principal, idSet } }) =>
    idSet === undefined &&
    filter === undefined &&
    sort.length === 1 &&
    sort[0]?.column.name === '_created_at' &&
    !isDescending(sort) &&
    seesAll(principal)
      ? plan
      : undefined,
}

type CreationArgs = {
  readonly workspace_id: string
  readonly object: string
  readonly created_at: number
  readonly id: string
  readonly rows: number
}

/** Reads a page by creation. */
const pageByCreation = (direction: 'after' | 'before') =>
  statement<CreationArgs, RecordRow>((sql) => {
    const order = direction === 'after' ? 'asc' : 'desc'
    const query = sql
      .knex('record')
      .select(...recordColumns)
      .where({ workspace_id: param('workspace_id'), object: param('object') })
      .whereNull('deleted_at')
      .where(tupleAfter(sql, ['created_at', 'id'], [param('created_at'), param('id')], direction))
      .orderBy([
        { column: 'created_at', order },
        { column: 'id', order },
      ])
    return limited(sql, query, param('rows'))
  })

const creationStatements = { after: pageByCreation('after'), before: pageByCreation('before') }

/** Before every record. */
const beginning: KeysetPosition = { values: [-1], id: '00000000-0000-0000-0000-000000000000' }

async function readPage(tx: ReadTx, { workspaceId, object, limit, position }: ListQuery): Promise<PageRow[]> {
  const direction = position?.direction ?? 'after'
  const { values, id } = position?.at ?? beginning
  const args = {
    workspace_id: workspaceId,
    object: object.key,
    created_at: numberOf(values[0] ?? Number.MAX_SAFE_INTEGER),
    id,
    rows: limit + 1,
  }
  const rows = await tx.all(creationStatements[direction], args, { heavy: limit + 1 > lightRowsMax })
  return (direction === 'before' ? rows.toReversed() : rows).map(creationRow)
}

/** A row with the value that pages by creation are sorted by. */
export const creationRow = (row: RecordRow): PageRow => ({ ...row, sorted: [row.created_at] })

/** A page by offset is read by its keys. */
const byOffset = sortedPage(undefined, false)

const plan = planOf(
  {
    page: (tx, query) => (query.offset > 0 && query.position === undefined ? byOffset : readPage)(tx, query),
    explain: explainScan,
  },
  objectTotal,
)
