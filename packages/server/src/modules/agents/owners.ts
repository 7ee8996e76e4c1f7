import type { ReadTx } from '../../db/tx.ts'
import { findWorkflow } from '../definitions/index.ts'

/** Finds the person or the key that an agent or a workflow acts for; undefined of what is neither. */
export const findHolder = async (tx: ReadTx, workspaceId: string, id: string): Promise<string | undefined> =>
  (await findWorkflow(tx, workspaceId, id))?.row.actor.id
