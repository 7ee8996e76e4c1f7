import { lister, rowsOf } from '../../../db/rows.ts'
import type { Tx } from '../../../db/tx.ts'
import { recipientColumns, type RecipientRow } from '../enrolments/store.ts'

/** The campaigns in which a person is under way. */
export const listActiveOfPerson = lister<
  [workspaceId: string, personId: string],
  Pick<RecipientRow, 'workflow_id' | 'person_id' | 'run_id'>
>(({ knex }, workspaceId, personId) =>
  knex('campaign_recipient')
    .select('workflow_id', 'person_id', 'run_id')
    .where({ workspace_id: workspaceId, person_id: personId, delivery: 'active' })
    .orderBy('run_id'),
)

const recipients = rowsOf<RecipientRow>('campaign_recipient', recipientColumns)

/** A person of a campaign. */
export const findRecipient = recipients.findByKey('workspace_id', 'workflow_id', 'person_id')

/** A person of a campaign, locked until the transaction ends. */
export const lockRecipient = recipients.lockByKey('change', 'workspace_id', 'workflow_id', 'person_id')

type Key = Pick<RecipientRow, 'workflow_id' | 'person_id'> & { readonly workspace_id: string }

/** Fixes where a campaign writes to a person. */
export const fixAddress = (tx: Tx, key: Key, address: string): Promise<void> =>
  tx.updateByKey('campaign_recipient', ['workspace_id', 'workflow_id', 'person_id'], [{ ...key, address }])
