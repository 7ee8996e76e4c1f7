import { FairTurns } from '../../lib/fair-turns.ts'
import { invariant } from '../../lib/guards.ts'
import { PoolBusy } from '../../pool/index.ts'
import type { JobContext, JobOutcome } from '../../engine/types.ts'
import { updateTask } from '../async-tasks/index.ts'
import type { FileStorage } from '../files/index.ts'
import type { ImportPayload } from './job-type.ts'
import { unpackInPool, workbookBytesMax } from './read-in-pool.ts'
import { importRows, type ImportRow } from './store.ts'
import { isOpen } from './ends.ts'
import { readBytes, WindowFault, type FilePlace, type WindowServices } from './window.ts'
import { ImportStopped } from './write.ts'

const busy = (message: string) => new PoolBusy(message)

/** A workbook is in memory as a whole: two at once, each up to `workbookBytesMax`. */
const turns = new FairTurns({
  atOnceMax: 2,
  waitingMax: 100,
  waitMsMax: 30_000,
  mayJoin: () => true,
  refusals: { crowded: busy, late: busy },
})

/** Does work with all bytes of a workbook, when its turn comes; undefined where there are too many. */
export const withWorkbook = async <T>(
  storage: FileStorage,
  place: FilePlace,
  work: (bytes: Buffer) => Promise<T>,
): Promise<T | undefined> =>
  place.fileBytes > workbookBytesMax
    ? undefined
    : turns.run(place.workspaceId, async () => work((await readBytes(storage, place, 0, workbookBytesMax)).bytes))

/**
 * Unpacks the sheet of a workbook into a file of its own, which is then read window by window. Doing it again writes
 * the same file.
 */
export async function unpackWorkbook(
  { storage, pool }: WindowServices,
  { workspaceId, clock, conclude }: JobContext,
  row: ImportRow,
  payload: ImportPayload,
): Promise<JobOutcome<ImportPayload>> {
  const { sheet, upload } = row.shape
  invariant(sheet !== undefined && upload !== undefined, 'a workbook has a sheet and an upload')
  const place = { workspaceId, id: upload.id, fileBytes: upload.bytes }
  const read = await withWorkbook(storage, place, (workbook) =>
    unpackInPool(pool, workspaceId, { workbook, sheet: sheet.sheet }),
  )
  if (read === undefined || 'fault' in read) throw new WindowFault(read?.fault ?? 'The workbook is too large.')
  const { bytes, rows } = read.unpacked
  await storage.put({ workspaceId, id: row.file_id }, bytes)
  return conclude(async (tx): Promise<JobOutcome<ImportPayload>> => {
    const now = clock.now()
    const locked = await importRows.lock(tx, workspaceId, row.id)
    if (locked === undefined || !isOpen(locked)) throw new ImportStopped()
    const started_at = locked.started_at ?? now
    const changes = { state: 'running', started_at, file_bytes: bytes.length, rows_total: rows } as const
    await importRows.update(tx, workspaceId, row.id, changes)
    await updateTask(tx, workspaceId, row.id, now, { started_at, total: rows })
    return { state: 'again', inMs: 0, payload: { ...payload, counting: null } }
  })
}
