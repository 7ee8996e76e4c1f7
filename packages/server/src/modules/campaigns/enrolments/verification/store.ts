import type { Verification } from '../../../../kernel/verification.ts'
import { counterDiscrepancies, listTotalsOf } from '../../../counters/index.ts'
import type { Standing } from '../delivery.ts'
import { allRecipientCounters, recipientCountersOf } from '../totals.ts'

const portionCampaigns = 20

type Group = Standing & { readonly workflow_id: string; readonly total: number }

/** Verifies the counters of the recipients of campaigns: of all, and of those at each end. */
export const recipientCountVerification: Verification = {
  name: 'Recipient counts',
  isOfCounters: true,
  async verify(tx, { workspaceId, after, now }) {
    const campaigns = await tx.query<{ workflow_id: string }>(({ knex }) => {
      const some = knex('campaign').select('workflow_id').where('workspace_id', workspaceId)
      if (after !== undefined) some.where('workflow_id', '>', after)
      return some.orderBy('workflow_id').limit(portionCampaigns)
    })
    const ids = campaigns.map(({ workflow_id }) => workflow_id)
    const groups = await tx.query<Group>(
      (sql) => {
        const { knex, dialect } = sql
        const sent = sql`case when last_sent_at is null then null else 0 end as last_sent_at`
        const each = knex('campaign_recipient')
          .select('workflow_id', 'delivery', 'run_status', sent)
          .where({ workspace_id: workspaceId, hidden: false })
          .where(dialect.oneOf('workflow_id', ids))
          .as('r')
        const columns = ['workflow_id', 'delivery', 'run_status', 'last_sent_at']
        return knex.from(each).select(columns).count('* as total').groupBy(columns)
      },
      { heavy: 'scan' },
    )
    const actual = new Map(ids.flatMap(allRecipientCounters).map((name) => [name, 0]))
    for (const { total, ...standing } of groups)
      for (const name of recipientCountersOf({ ...standing, hidden: false }))
        actual.set(name, (actual.get(name) ?? 0) + total)
    const stored = await listTotalsOf(tx, workspaceId, [...actual.keys()])
    return {
      checked: ids.length,
      discrepancies: counterDiscrepancies(workspaceId, actual, stored, now),
      next: ids.length < portionCampaigns ? undefined : ids.at(-1),
    }
  },
}
