import type { CampaignTotal } from '@kontor/contract'
import type { ReadTx } from '../../../db/tx.ts'
import { whereVisible, type Principal } from '../../access/index.ts'

/** Times of letters are counted together by quarters of an hour: in every time zone a day begins with one. */
export const quarterMs = 900_000

type Noted = { readonly at: string; readonly times: string }

/** The columns of letters by which it is known what happened with them, and how often. */
const columns: Readonly<Record<CampaignTotal['kind'], Noted>> = {
  sent: { at: 'sent_at', times: '1' },
  opened: { at: 'opened_at', times: 'opens' },
  clicked: { at: 'clicked_at', times: 'clicks' },
  replied: { at: 'replied_at', times: '1' },
  bounced: { at: 'bounced_at', times: '1' },
  unsubscribed: { at: 'unsubscribed_at', times: '1' },
}

type OfCampaign = {
  readonly workspaceId: string
  readonly workflowId: string
  readonly principal: Principal<'read'>
}

/** Counts what happened with the letters of a campaign to people whom a caller sees, by quarters of hours. */
export const countSeenLetters = (
  tx: ReadTx,
  { workspaceId, workflowId, principal }: OfCampaign,
  kind: CampaignTotal['kind'],
): Promise<{ readonly quarter: number; readonly total: number }[]> =>
  tx.query(
    (sql) => {
      const { at, times } = columns[kind]
      const [time, count] = [sql.ref(`e.${at}`), times === '1' ? sql`1` : sql.ref(`e.${times}`)]
      const letters = sql
        .knex('email as e')
        .join('record as r', (on) => on.on('r.workspace_id', 'e.workspace_id').on('r.id', 'e.person_id'))
        .select(sql`${time} / 900000 as quarter`, sql`${count} as times`)
        .where({ 'e.workspace_id': workspaceId, 'r.workspace_id': workspaceId, 'e.workflow_id': workflowId })
        .whereNull('r.deleted_at')
        .whereNotNull(`e.${at}`)
      const seen = whereVisible(sql, letters, 'r', principal).as('s')
      return sql.knex
        .from(seen)
        .select('quarter', sql`cast(sum(times) as bigint) as total`)
        .groupBy('quarter')
    },
    { heavy: true },
  )
