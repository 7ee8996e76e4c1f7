import type { Knex } from 'knex'
import type { TableName } from '../../db/columns.ts'
import type { Row } from '../../db/executor.ts'
import { workspacesOf } from '../../db/workspaces.ts'
import type { WorkspaceUpkeep } from '../each-workspace.ts'

type Expiry = {
  readonly key: readonly string[]
  /** Narrows a query over the table to the rows that have expired. */
  readonly expired: (rows: Knex.QueryBuilder, now: number) => Knex.QueryBuilder
  /** The column by which the oldest go first. */
  readonly oldestBy: string
  /** Rows deleted in one batch: a few milliseconds of the one writer of SQLite. */
  readonly batchMax: number
}

/** Deletes the expired rows of a table, in each workspace that has some. */
export const expiredRows = (table: TableName, { key, expired, oldestBy, batchMax }: Expiry): WorkspaceUpkeep => ({
  due: (tx, now) => workspacesOf(tx, ({ knex }) => expired(knex(table), now)),
  async batch(tx, workspaceId, now) {
    const rows = await tx.query<Row>(({ knex }) =>
      expired(knex(table), now)
        .where('workspace_id', workspaceId)
        .select(...key)
        .orderBy(oldestBy)
        .limit(batchMax),
    )
    await tx.deleteByKey(table, rows)
    return rows.length === batchMax
  },
})
