import type { Verification } from '../../../../kernel/verification.ts'

const portionCampaigns = 20

type Counted = { readonly workflow_id: string; readonly day: string; readonly taken: number }

/**
 * Verifies that the days of campaigns count every e-mail that has a place on them. They may count more: places of runs
 * that are gone stay counted.
 */
export const campaignDayVerification: Verification = {
  name: 'Days of campaigns',
  async verify(tx, { workspaceId, after }) {
    const campaigns = await tx.query<{ workflow_id: string }>(({ knex }) => {
      const some = knex('campaign').select('workflow_id').where('workspace_id', workspaceId)
      if (after !== undefined) some.where('workflow_id', '>', after)
      return some.orderBy('workflow_id').limit(portionCampaigns)
    })
    const ids = campaigns.map(({ workflow_id }) => workflow_id)
    const counted = await tx.query<Counted>(({ knex, dialect }) =>
      knex('campaign_day')
        .select('workflow_id', 'day', 'taken')
        .where('workspace_id', workspaceId)
        .where(dialect.oneOf('workflow_id', ids)),
    )
    const placed = await tx.query<Counted>(({ knex, dialect }) =>
      knex('campaign_place as p')
        .join('campaign_recipient as r', (on) => on.on('r.workspace_id', 'p.workspace_id').on('r.run_id', 'p.run_id'))
        .select('r.workflow_id', 'p.day')
        .count('* as taken')
        .where('p.workspace_id', workspaceId)
        .where(dialect.oneOf('r.workflow_id', ids))
        .groupBy('r.workflow_id', 'p.day'),
    )
    const takenOn = new Map(counted.map(({ workflow_id, day, taken }) => [`${workflow_id} ${day}`, taken]))
    const few = placed.flatMap(({ workflow_id, day, taken }) => {
      const known = takenOn.get(`${workflow_id} ${day}`)
      return known === undefined || known >= taken ? [] : [{ workflow_id, day, taken, known }]
    })
    return {
      checked: counted.length,
      discrepancies: few.map(({ workflow_id, day, taken, known }) => ({
        detail: `campaign ${workflow_id} counts ${known} e-mails on ${day}, but ${taken} are scheduled`,
        repair: async (write) =>
          void (await write.change(({ knex }) =>
            knex('campaign_day')
              .where({ workspace_id: workspaceId, workflow_id, day })
              .increment('taken', taken - known),
          )),
      })),
      next: campaigns.length < portionCampaigns ? undefined : ids.at(-1),
    }
  },
}
