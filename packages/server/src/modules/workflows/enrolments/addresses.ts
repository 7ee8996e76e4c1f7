import type { Sending } from '@kontor/contract'
import type { RowOf } from '../../../db/columns.ts'
import { param, statement } from '../../../db/statement.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import type { RecipientRow } from './store.ts'

/** What a sequence has as a campaign. */
export type CampaignRow = Omit<RowOf<'campaign'>, 'workspace_id'> & { readonly sending: Sending }

/** What a sequence is that was made as a workflow. */
export const plainCampaign = (workflowId: string): CampaignRow => ({
  workflow_id: workflowId,
  sending: { daily_cap: null, per_domain_per_minute: null, window: null },
  ends_on_reply: true,
  enrolment_task_id: null,
})

type OfCampaign = { readonly workspace_id: string; readonly workflow_id: string }

const held = statement<OfCampaign, { workflow_id: string }>(({ knex, dialect }) =>
  dialect.locked(
    knex('campaign')
      .select('workflow_id')
      .where({ workspace_id: param('workspace_id'), workflow_id: param('workflow_id') }),
    'change',
  ),
)

/** Lets one transaction at a time take places or addresses in a campaign: two would not see what the other takes. */
export async function holdCampaign(tx: Tx, key: OfCampaign): Promise<void> {
  if ((await tx.first(held, key)) !== undefined) return
  const row = { workspace_id: key.workspace_id, ...plainCampaign(key.workflow_id) }
  if ((await tx.insertNew('campaign', [row], ['workflow_id'])).length === 0) await tx.first(held, key)
}

/** Who has an address in a sequence. */
type Holder = { readonly address: string; readonly person_id: string }

/**
 * The people of a sequence who have some addresses, so that no one else is written to at them: those who are under way,
 * and those who have had a letter. Addresses are looked up one by one, as people are (`among` in `store.ts`).
 */
export const listHolders = (
  tx: ReadTx,
  workspaceId: string,
  workflowId: string,
  addresses: readonly string[],
): Promise<Holder[]> =>
  tx.query((sql) => {
    const { knex, dialect } = sql
    const letters = knex('email as e')
      .select('e.id')
      .where({ 'e.workspace_id': workspaceId, 'e.run_id': knex.ref('c.run_id') })
      .whereIn('e.email_state', ['sending', 'sent', 'kept'])
    return knex
      .select('c.address', 'c.person_id')
      .from(
        dialect.lookUp(
          dialect.idTable(addresses.toSorted(), 'text'),
          'campaign_recipient',
          'c',
          sql`c.workspace_id = ${workspaceId} and c.workflow_id = ${workflowId} and c.address = s.id`,
        ),
      )
      .whereNot('c.run_status', 'suppressed')
      .where((holds) => void holds.whereNot('c.delivery', 'failed').orWhereExists(letters))
  })

const ofRun = statement<
  { workspace_id: string; run_id: string },
  Pick<RecipientRow, 'workflow_id' | 'person_id' | 'address'>
>(({ knex }) =>
  knex('campaign_recipient')
    .select('workflow_id', 'person_id', 'address')
    .where({ workspace_id: param('workspace_id'), run_id: param('run_id') }),
)

/** The person whom a run enrols, and their address; undefined of any other run. */
export const findEnrolled = (tx: ReadTx, workspaceId: string, runId: string) =>
  tx.first(ofRun, { workspace_id: workspaceId, run_id: runId })
