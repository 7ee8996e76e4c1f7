import type { ReadTx } from '../../db/tx.ts'
import { findWorkflow } from '../workflows/index.ts'

/** The person or the key that an agent acts for; undefined of what is no agent. */
export async function findOwnerOfAgent(tx: ReadTx, workspaceId: string, id: string): Promise<string | undefined> {
  const found = await findWorkflow(tx, workspaceId, id)
  return found?.row.type === 'agent' ? found.row.owner_id : undefined
}
