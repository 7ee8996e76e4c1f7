import type { Tx } from '../../../db/tx.ts'
import { recipientColumns, type RecipientRow } from '../enrolments/store.ts'
import type { Counted } from '../enrolments/totals.ts'
import { rowsOf } from '../../../db/rows.ts'

/** Hides the rows of some people or shows them again; returns those that it changed. */
export const setHidden = (
  tx: Tx,
  workspaceId: string,
  personIds: readonly string[],
  hidden: boolean,
): Promise<Counted[]> =>
  tx.query(({ knex, dialect }) =>
    knex('campaign_recipient')
      .update({ hidden })
      .where({ workspace_id: workspaceId, hidden: !hidden })
      .where(dialect.oneOf('person_id', personIds))
      .returning(['workflow_id', 'delivery', 'run_status', 'last_sent_at', 'hidden']),
  )

/** All rows of some people. */
const recipients = rowsOf<RecipientRow>('campaign_recipient', recipientColumns)

/** All rows of some people. */
export const listRowsOf = recipients.listAmong(['workspace_id'], 'person_id', 'workflow_id', 'run_id')

export const deleteRow = (
  tx: Tx,
  workspaceId: string,
  { workflow_id, person_id }: Pick<RecipientRow, 'workflow_id' | 'person_id'>,
): Promise<void> => tx.deleteByKey('campaign_recipient', [{ workspace_id: workspaceId, workflow_id, person_id }])

export const insertRow = (tx: Tx, workspaceId: string, row: RecipientRow): Promise<void> =>
  tx.insert('campaign_recipient', [{ workspace_id: workspaceId, ...row }])
