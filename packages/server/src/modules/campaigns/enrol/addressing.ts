import type { Database, Tx } from '../../../db/tx.ts'
import { chooseAddress, findSuppressed, validAmong, type Addressing } from '../../emails/index.ts'
import { findEnrolled, holdCampaign, listHolders } from '../enrolments/store.ts'
import { fixAddress, lockRecipient } from '../engagement/store.ts'

/**
 * Says at which address a run writes to its person: that with which they were enrolled. A run that was begun by hand
 * has none, and takes it with its first letter; one of no campaign looks anew for each letter.
 */
export const campaignAddressing =
  (database: Database): Addressing =>
  async ({ workspaceId, runId, personId, addresses }) => {
    const { reader } = database
    const enrolled = await findEnrolled(reader, workspaceId, runId)
    if (enrolled !== undefined && enrolled.address !== null) return { address: enrolled.address }
    const of = { addresses: validAmong(addresses), people: [personId] }
    const choice = chooseAddress({ id: personId, addresses }, await findSuppressed(reader, workspaceId, of))
    if (enrolled === undefined || !('address' in choice)) return choice
    const { workflow_id, person_id } = enrolled
    const key = { workspace_id: workspaceId, workflow_id, person_id }
    return database.write((tx) => fix(tx, key, choice.address))
  }

type Key = Parameters<typeof lockRecipient>[1]

/** Fixes the address of a person in a campaign, unless another has it. Recipients are locked before their campaign. */
async function fix(tx: Tx, key: Key, address: string) {
  const { workspace_id: workspaceId, workflow_id: workflowId, person_id } = key
  const row = await lockRecipient(tx, key)
  if (row?.address != null) return { address: row.address }
  await holdCampaign(tx, key)
  const holders = await listHolders(tx, workspaceId, workflowId, [address])
  if (holders.some((one) => one.person_id !== person_id)) return { refusal: 'duplicate_address' as const }
  await fixAddress(tx, key, address)
  return { address }
}
