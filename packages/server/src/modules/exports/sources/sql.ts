import { exportedSqlRowsMax } from '@kontor/contract'
import { RowsTooLarge, StatementTimeout } from '../../../db/errors.ts'
import { TableFault } from '../table.ts'
import { answerSql } from '../../sql/index.ts'
import { requiredOf, type OpenTable } from './source.ts'

/** Opens the result of a SELECT over the records that the creator may see, up to a number of rows. */
export const openSql: OpenTable = async (ctx, _indexes, body, wanted) => {
  const limit = wanted === 'all' ? exportedSqlRowsMax : 1
  const { data, meta } = await answerSql(ctx, { sql: requiredOf(ctx, body, 'sql'), limit, explain: false }).catch(
    (error: unknown) => {
      // The rows of one statement are read at once, so that the heap bounds them.
      if (error instanceof RowsTooLarge)
        throw new TableFault('The result is too large: select fewer columns, add a condition, or a LIMIT.')
      // A request that is checked gets the error of a read.
      if (error instanceof StatementTimeout && wanted === 'all')
        throw new TableFault('The SELECT took too long: add a condition, or join fewer records.', 'timeout')
      throw error
    },
  )
  if (wanted === 'all' && meta.truncated)
    throw new TableFault(`The result has more than ${exportedSqlRowsMax} rows: add a condition, or a LIMIT.`)
  const rows = data.map((cells) => ({
    cells,
    members: Object.fromEntries(meta.columns.map(({ name }, at) => [name, cells[at]])),
  }))
  return { columns: meta.columns, rows: onePortion(rows) }
}

async function* onePortion<T>(rows: T): AsyncGenerator<T> {
  yield rows
}
