import type { Readable } from 'node:stream'
import type { TaskErrorCode } from '@kontor/contract'
import type { JobContext, JobKind, JobOutcome } from '../../engine/types.ts'
import { Failure } from '../../kernel/errors.ts'
import { ArchiveWriter } from '../../lib/archive-writer.ts'
import { SchemaChanging, writeBundle } from '../bundles/index.ts'
import type { FileStorage } from '../files/index.ts'
import { actingAs, contextOf, type ActingContext } from '../identity/acting/index.ts'
import type { FieldIndexes } from '../indexes/index.ts'
import type { SchemaSets } from '../schemas/index.ts'
import { endExport, isOpen } from './ends.ts'
import { exportJobType, type ExportPayload } from './job-type.ts'
import { formats } from './formats/index.ts'
import { openTable } from './sources/index.ts'
import { findExport, listOpen, lockExport, updateExport, type ExportRow } from './store.ts'
import { TableFault } from './table.ts'
import { updateTask } from '../async-tasks/index.ts'

/** The export has been cancelled. */
class ExportStopped extends Error {
  override readonly name = 'ExportStopped'
}

/** Rows between two stored steps: some ten in a second. */
const storedEach = 2000

/** The progress of an export: stored now and then, which also shows whether it has been cancelled. */
class ExportProgress {
  readonly #context: JobContext
  readonly #id: string
  #done = 0
  #stored = 0

  constructor(context: JobContext, id: string) {
    this.#context = context
    this.#id = id
  }

  begin(): Promise<void> {
    return this.#store()
  }

  async add(steps: number): Promise<void> {
    this.#done += steps
    this.#context.signal.throwIfAborted()
    if (this.#done - this.#stored >= storedEach) await this.#store()
  }

  end(): Promise<void> {
    return this.#store()
  }

  /** Stores the steps; throws where the export has ended meanwhile. */
  #store(): Promise<void> {
    this.#stored = this.#done
    const { database, workspaceId, clock } = this.#context
    return database.write(async (tx) => {
      const row = await lockExport(tx, workspaceId, this.#id)
      if (row === undefined || !isOpen(row)) throw new ExportStopped('The export has ended')
      const now = clock.now()
      const started_at = row.started_at ?? now
      await updateExport(tx, workspaceId, this.#id, { state: 'running', started_at, rows_done: this.#done })
      await updateTask(tx, workspaceId, this.#id, now, { started_at, progress: this.#done })
    })
  }
}

export type ExportServices = {
  readonly storage: FileStorage
  readonly indexes: FieldIndexes
  readonly schemaSets: SchemaSets
}

/** The time for which an export that has to wait is put off. */
const putOffMs = 2000

/** The time for which an export is put off while an earlier one of its workspace goes on. */
const waitMs = 10_000

/** The time after which another process begins the export of one that died anew. */
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
  const readSchemas = () => services.schemaSets.readCurrent(database.reader, workspaceId)
  const at = { workspaceId, now: clock.now() }
  const ctx = await contextOf(database.reader, at, readSchemas, actingAs(row.actor, workspaceId))
  if ('stopped' in ctx || (row.kind === 'workspace' && ctx.workspace.role !== 'admin'))
    return fail(
      context,
      row,
      'cancelled',
      'The creator of the export may no longer read this, or their key is no longer valid.',
    )
  try {
    const progress = new ExportProgress(context, row.id)
    await progress.begin()
    const bytes = await writeFile(services, context, ctx, row, progress)
    await progress.end()
    return await conclude(context, row, { state: 'completed', bytes })
  } catch (error) {
    if (error instanceof TableFault) return fail(context, row, error.code, error.message)
    if (error instanceof Failure && error.status < 500 && error.status !== 429)
      return fail(context, row, 'validation_failed', error.message)
    throw error
  }
}

/** Writes the file while it is stored; returns its bytes. */
async function writeFile(
  { storage, indexes }: ExportServices,
  { database, workspaceId, clock }: JobContext,
  ctx: ActingContext,
  row: ExportRow,
  progress: ExportProgress,
): Promise<number> {
  const onProgress = (steps: number) => progress.add(steps)
  const file = { workspaceId, id: row.id }
  const table = await openTable(ctx, indexes, row.options, 'all')
  const store = (bytes: Readable) => storage.write(file, bytes)
  if (table !== undefined)
    return formats[row.options.format ?? 'csv']({ ...table, rows: counted(table.rows, onProgress) }, store)
  const archive = new ArchiveWriter()
  return archive.into(store, () =>
    writeBundle(archive, { database, storage, workspaceId, now: clock.now(), onProgress }),
  )
}

/** Rows that are counted as they are read. */
async function* counted<T>(
  portions: AsyncIterable<readonly T[]>,
  onProgress: (rows: number) => Promise<void>,
): AsyncGenerator<readonly T[]> {
  for await (const portion of portions) {
    await onProgress(portion.length)
    yield portion
  }
}

const fail = (context: JobContext, row: ExportRow, code: TaskErrorCode, error: string): Promise<Outcome> =>
  conclude(context, row, { state: 'failed', code, error })

const conclude = (context: JobContext, row: ExportRow, ending: Parameters<typeof endExport>[3]): Promise<Outcome> =>
  context.conclude(async (tx): Promise<Outcome> => {
    await endExport(tx, { workspaceId: context.workspaceId, now: context.clock.now() }, row.id, ending)
    return { state: 'done' }
  })
