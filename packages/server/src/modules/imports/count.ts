import type { JobContext, JobOutcome } from '../../engine/types.ts'
import { updateTask } from '../async-tasks/index.ts'
import type { ImportPayload } from './job-type.ts'
import { lockImport, updateImport, type ImportRow } from './store.ts'
import { readWindow, type WindowServices } from './window.ts'
import { ImportStopped } from './write.ts'

type Counting = ImportPayload & { readonly counting: NonNullable<ImportPayload['counting']> }

/** Counts the rows of one window: nothing is written of a file that is broken further down. */
export async function countRows(
  services: WindowServices,
  { workspaceId, clock, conclude }: JobContext,
  row: ImportRow,
  { counting, ...payload }: Counting,
): Promise<JobOutcome<ImportPayload>> {
  const window = await readWindow(services, workspaceId, { row, at: counting, mapping: undefined })
  const rows = counting.rows + window.rows
  const next = { position: counting.position + window.bytes, line: window.line, rows }
  return conclude(async (tx): Promise<JobOutcome<ImportPayload>> => {
    const now = clock.now()
    const locked = await lockImport(tx, workspaceId, row.id)
    if (locked === undefined || (locked.state !== 'queued' && locked.state !== 'running')) throw new ImportStopped()
    const started_at = locked.started_at ?? now
    const total = window.isLast ? rows : null
    await updateImport(tx, workspaceId, row.id, { state: 'running', started_at, rows_total: total })
    await updateTask(tx, workspaceId, row.id, now, { started_at, total })
    return { state: 'again', inMs: 0, payload: { ...payload, counting: window.isLast ? null : next } }
  })
}
