import type { JobContext, JobKind, JobOutcome } from '../../engine/types.ts'
import { actingAs, standingOf } from '../identity/acting/index.ts'
import { ArchiveWriter, SchemaChanging, writeBundle } from '../bundles/index.ts'
import type { FileStorage } from '../files/index.ts'
import { endExport, isOpen } from './ends.ts'
import { exportJobType, type ExportPayload } from './job-type.ts'
import { ExportProgress, ExportStopped } from './progress.ts'
import { findExport, listOpen, type ExportRow } from './store.ts'

export type ExportServices = { readonly storage: FileStorage }

/** How long an export that has to wait is put off. */
const putOffMs = 2000

/** How long an export is put off while an earlier one of its workspace goes on. */
const waitMs = 10_000

/** How soon another process begins the export of one that died anew. */
const leaseMs = 10_000

/** Attempts, which take some minutes: each begins anew. */
const attemptsMax = 5

type Outcome = JobOutcome<ExportPayload>

/** Writes the file of an export. One that is interrupted begins again: its file is of one state of the database. */
export const exportJob = (services: ExportServices): JobKind<ExportPayload> => {
  // An export keeps a connection for as long as it takes: one process writes one at a time.
  let isBusy = false
  return {
    ...exportJobType,
    leaseMs,
    keepsLease: true,
    maxAttempts: attemptsMax,
    onFailed: async (tx, { workspaceId, payload, now }) => {
      const error = 'The server could not write the file; start the export again.'
      await endExport(tx, { workspaceId, now }, payload.export_id, { state: 'failed', code: 'internal', error })
    },
    async run(context, payload) {
      const { database, workspaceId } = context
      // One export of each workspace waits for the process, and its others wait for that one.
      const [next = payload.export_id] = await listOpen(database.reader, workspaceId, 1)
      if (next !== payload.export_id) return { state: 'again', inMs: waitMs, isPutOff: true }
      if (isBusy) return { state: 'again', inMs: putOffMs, isPutOff: true }
      isBusy = true
      try {
        return await runExport(services, context, payload)
      } catch (error) {
        if (error instanceof ExportStopped) return { state: 'done' }
        if (error instanceof SchemaChanging) return { state: 'again', inMs: putOffMs, isPutOff: true }
        throw error
      } finally {
        isBusy = false
      }
    },
  }
}

async function runExport(services: ExportServices, context: JobContext, payload: ExportPayload): Promise<Outcome> {
  const { database, workspaceId, clock } = context
  const row = await findExport(database.reader, workspaceId, payload.export_id)
  if (row === undefined || !isOpen(row)) return { state: 'done' }
  const acting = actingAs(row.actor, workspaceId)
  const standing = await standingOf(database.reader, { workspaceId, now: clock.now() }, acting)
  if ('stopped' in standing || standing.role !== 'admin')
    return conclude(context, row, {
      state: 'failed',
      code: 'cancelled',
      error: 'The creator of the export is no longer an admin, or their key is no longer valid.',
    })
  const bytes = await writeFile(services, context, row)
  return conclude(context, row, { state: 'completed', bytes })
}

/** Writes the archive while it is stored; returns its bytes. */
async function writeFile({ storage }: ExportServices, context: JobContext, row: ExportRow): Promise<number> {
  const { database, workspaceId, clock } = context
  const progress = new ExportProgress(context, row.id)
  await progress.begin()
  const archive = new ArchiveWriter()
  const onProgress = (steps: number) => progress.add(steps)
  const bytes = await archive.into(
    (output) => storage.write({ workspaceId, id: row.id }, output),
    () => writeBundle(archive, { database, storage, workspaceId, now: clock.now(), onProgress }),
  )
  await progress.end()
  return bytes
}

const conclude = (context: JobContext, row: ExportRow, ending: Parameters<typeof endExport>[3]): Promise<Outcome> =>
  context.conclude(async (tx): Promise<Outcome> => {
    await endExport(tx, { workspaceId: context.workspaceId, now: context.clock.now() }, row.id, ending)
    return { state: 'done' }
  })
