import { param, statement } from '../../../db/statement.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import { recipientColumns, type RecipientRow } from '../enrolments/store.ts'

type ActiveKey = { readonly workspace_id: string; readonly person_id: string }

const activeOfPerson = statement<ActiveKey, Pick<RecipientRow, 'workflow_id' | 'person_id' | 'run_id'>>(({ knex }) =>
  knex('campaign_recipient')
    .select('workflow_id', 'person_id', 'run_id')
    .where({ workspace_id: param('workspace_id'), person_id: param('person_id'), delivery: 'active' })
    .orderBy('run_id'),
)

/** The campaigns in which a person is under way. */
export const listActiveOfPerson = (tx: ReadTx, workspaceId: string, personId: string) =>
  tx.all(activeOfPerson, { workspace_id: workspaceId, person_id: personId })

type Key = ActiveKey & { readonly workflow_id: string }

const one = (isLocked: boolean) =>
  statement<Key, RecipientRow>(({ knex, dialect }) => {
    const row = knex('campaign_recipient')
      .select(...recipientColumns)
      .where({
        workspace_id: param('workspace_id'),
        workflow_id: param('workflow_id'),
        person_id: param('person_id'),
      })
    return isLocked ? dialect.locked(row, 'change') : row
  })

const [found, locked] = [one(false), one(true)]

/** A person of a campaign. */
export const findRecipient = (tx: ReadTx, key: Key): Promise<RecipientRow | undefined> => tx.first(found, key)

/** A person of a campaign, locked until the transaction ends. */
export const lockRecipient = (tx: Tx, key: Key): Promise<RecipientRow | undefined> => tx.first(locked, key)

/** Fixes where a campaign writes to a person. */
export const fixAddress = (tx: Tx, key: Key, address: string): Promise<void> =>
  tx.updateByKey('campaign_recipient', ['workspace_id', 'workflow_id', 'person_id'], [{ ...key, address }])
