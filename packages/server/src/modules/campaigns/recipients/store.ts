import type { Knex } from 'knex'
import { rowsByKeys } from '../../../db/expressions.ts'
import { inReadingOrder, sliceInOrder, type Slice } from '../../../db/in-order.ts'
import type { Sql } from '../../../db/sql.ts'
import type { ReadTx } from '../../../db/tx.ts'
import type { Order } from '../../../kernel/requested-order.ts'
import { seesAll, whereVisible, type Principal } from '../../access/index.ts'
import { addUp, type RecipientTotals } from '../enrolments/totals.ts'
import { progressOf, type Delivery, type Standing } from '../enrolments/delivery.ts'
import { recipientColumns, type RecipientRow } from '../enrolments/store.ts'
import type { PeopleWithText } from './search.ts'
import { readTotal } from '../../../db/rows.ts'

/** Which recipients of a campaign are asked for. */
export type SoughtRecipients = {
  readonly workspaceId: string
  readonly workflowId: string
  readonly principal: Principal<'read'>
  readonly delivery: Delivery | undefined
  /** Values of `engagement`; any where it is undefined. */
  readonly engagement: readonly number[] | undefined
  /** Those in whom a text occurs; all where it is undefined. */
  readonly people: PeopleWithText | undefined
  /** Look for the text in one recipient after the other: cheaper where it occurs in most of them. */
  readonly isOneByOne: boolean
}

function sought(sql: Sql, asked: SoughtRecipients): Knex.QueryBuilder {
  const { workspaceId, workflowId, principal, delivery, engagement, people } = asked
  const rows = rowsOf(sql, asked).where({
    'c.workspace_id': workspaceId,
    'c.workflow_id': workflowId,
    'c.hidden': false,
  })
  if (delivery !== undefined) rows.where('c.delivery', delivery)
  // The literal is what the partial index asks for.
  if (engagement !== undefined) rows.where(sql`c.engagement > 0`).whereIn('c.engagement', [...engagement])
  // The caller sees all people in whom they find a text.
  if (people !== undefined || seesAll(principal)) return rows
  const joined = rows.join('record as r', (on) => on.on('r.workspace_id', 'c.workspace_id').on('r.id', 'c.person_id'))
  return whereVisible(sql, joined.where('r.workspace_id', workspaceId), 'r', principal)
}

/**
 * Recipients `c`; those in whom a text occurs are found by it, or looked at one by one. Either way one is looked up for
 * the other by its key: a campaign that has just begun is not in the planner's statistics.
 */
function rowsOf(sql: Sql, { workspaceId, workflowId, people, isOneByOne }: SoughtRecipients): Knex.QueryBuilder {
  const { knex } = sql
  if (people === undefined) return knex('campaign_recipient as c')
  if (isOneByOne) return knex('campaign_recipient as c').whereExists(people.one(sql, sql`c.person_id`).select('r.id'))
  const on = sql`c.workspace_id = ${workspaceId} and c.workflow_id = ${workflowId} and c.person_id = s.id`
  return knex.queryBuilder().from(sql.dialect.lookUp(people.found(sql).select('r.id'), 'campaign_recipient', 'c', on))
}

export type RecipientOrder = Order<
  | 'created_at'
  | 'updated_at'
  | 'started_at'
  | 'ended_at'
  | 'resume_at'
  | 'run_status'
  | 'last_opened_at'
  | 'last_clicked_at'
  | 'last_replied_at'
>

/** The order of recipients, which have an alias: a status is sorted by the name that a row shows it by. */
const orderOf = ({ column, descending }: RecipientOrder, alias: string): Parameters<typeof sliceInOrder>[2] => ({
  column: `${alias}.${column}`,
  descending,
  isText: false,
  isAlwaysSet: column === 'created_at',
  ...(column === 'run_status' && {
    shown: (sql, stored) => sql`case ${stored} when 'suppressed' then 'skipped' else ${stored} end`,
  }),
})

/** Rows of a light page: a hundred, and the one behind them. */
const lightRowsMax = 101

/** Returns whether an index has all that are asked for, in their order. */
const isInOrder = ({ principal, engagement, people }: SoughtRecipients, { column }: RecipientOrder): boolean =>
  column === 'created_at' && engagement === undefined && people === undefined && seesAll(principal)

const skipsRows = ({ offset, beyond }: Slice): boolean => beyond === undefined && offset > 0

/**
 * A page of the recipients of a campaign. Their keys come first: an index alone finds them. One that reads no rows but
 * its own is not offloaded on SQLite.
 */
export const listRecipients = (
  tx: ReadTx,
  asked: SoughtRecipients,
  order: RecipientOrder,
  slice: Slice,
): Promise<RecipientRow[]> =>
  tx.query(
    (sql) => {
      const keys = sliceInOrder(
        sql,
        sought(sql, asked).select('c.person_id'),
        orderOf(order, 'c'),
        'c.person_id',
        slice,
      )
      const on = sql`p.workspace_id = ${asked.workspaceId} and p.workflow_id = ${asked.workflowId}
        and p.person_id = s.person_id`
      const rows = rowsByKeys(sql, keys, { table: 'campaign_recipient', columns: recipientColumns, on })
      return inReadingOrder(sql, rows, orderOf(order, 'p'), 'p.person_id', slice)
    },
    { heavy: skipsRows(slice) || slice.rows > lightRowsMax || !isInOrder(asked, order) },
  )

/** Counts recipients by progress, one by one. */
export async function countTotals(tx: ReadTx, asked: SoughtRecipients): Promise<RecipientTotals> {
  const standings = await tx.query<Standing & { total: number }>(
    (sql) => {
      const sent = sql`case when c.last_sent_at is null then null else 0 end as last_sent_at`
      const each = sought(sql, asked).select('c.delivery', 'c.run_status', sent).as('s')
      const kinds = ['delivery', 'run_status', 'last_sent_at']
      return sql.knex.from(each).select(kinds).count('* as total').groupBy(kinds)
    },
    { heavy: true },
  )
  return addUp(standings.map((standing) => ({ ...standing, progress: progressOf(standing) })))
}

/** Counts recipients; with a maximum, none beyond it. */
export const countRecipients = (tx: ReadTx, asked: SoughtRecipients, most?: number): Promise<number> =>
  readTotal(tx, (sql) => {
    const rows = sought(sql, asked)
    return most === undefined
      ? rows.count('* as total')
      : sql.knex.count('* as total').from(rows.select('c.person_id').limit(most).as('f'))
  })
