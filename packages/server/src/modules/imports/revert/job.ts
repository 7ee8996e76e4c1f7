import type { z } from 'zod'
import type { JobKind } from '../../../engine/types.ts'
import { continueReverting, type RevertServices } from '../../reverting/index.ts'
import { revertJobType } from './service.ts'
import { findRevert, updateRevert } from './store.ts'

type Payload = z.infer<typeof revertJobType.payload>

/** Reverts an import, the last change first, as the one who requested it. */
export const revertJob = (services: RevertServices): JobKind<Payload> => ({
  ...revertJobType,
  async run(context, { import_id: importId, chain }) {
    const { database, workspaceId } = context
    const row = await findRevert(database.reader, workspaceId, importId)
    if (row === undefined || row.undo_state !== 'running') return { state: 'done' }
    return continueReverting(services, context, { runId: importId, chain }, row, (tx, changes) =>
      updateRevert(tx, workspaceId, importId, changes),
    )
  },
})
