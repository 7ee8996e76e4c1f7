import type { z } from 'zod'
import type { JobKind } from '../../../engine/types.ts'
import { continueReverting } from '../../reverting/index.ts'
import { isCarriedOut, type WorkflowServices } from '../../runs/index.ts'
import { undoKind } from './service.ts'
import { findUndo, updateUndo } from './store.ts'

type Payload = z.infer<typeof undoKind.payload>

/** The time after which a run that was cancelled in the middle of a step is looked at again. */
const carriedOutMs = 200

/** Takes back what a run wrote, the last event first, as the person who asked for it. */
export const undoJob = (services: WorkflowServices): JobKind<Payload> => ({
  ...undoKind,
  async run(context, { run_id: runId, chain }) {
    const { database, workspaceId } = context
    const row = await findUndo(database.reader, workspaceId, runId)
    if (row === undefined || row.undo_state !== 'running') return { state: 'done' }
    if (row.undone_to === null && (await isCarriedOut(database.reader, workspaceId, runId)))
      return { state: 'again', inMs: carriedOutMs }
    return continueReverting(services, context, { runId, chain }, row, (tx, changes) =>
      updateUndo(tx, workspaceId, runId, changes),
    )
  },
})
