import type { TaskErrorCode } from '@kontor/contract'
import { MappingFault } from '@kontor/contract/cells'
import type { JobContext, JobKind, JobOutcome } from '../../engine/types.ts'
import type { Actor } from '../../kernel/actor.ts'
import { Failure } from '../../kernel/errors.ts'
import type { InProcessCall } from '../../kernel/invoke/in-process.ts'
import { PoolBusy, type Pool } from '../../pool/index.ts'
import type { FileStorage } from '../files/index.ts'
import { actingAs, actorOf, standingOf } from '../identity/acting/index.ts'
import { gatherRecordStatistics } from '../records/index.ts'
import type { SchemaSets } from '../schemas/index.ts'
import { findSlug } from '../workspaces/index.ts'
import { endImport, isOpen } from './ends.ts'
import { importJobType, type ImportPayload } from './job-type.ts'
import { LinkedRecords } from './linked.ts'
import { documentsOf, rowMapping } from './mapping.ts'
import type { RowMapping } from './rows-mapping.ts'
import { importRows, type ImportRow } from './store.ts'
import { ReadAhead } from './read-ahead.ts'
import type { ReadRow } from './reading/map-rows.ts'
import { readWindow, WindowFault, type WindowServices } from './window.ts'
import { unpackWorkbook } from './workbook.ts'
import { ImportStopped, writePortion, type Writing } from './write.ts'
import { updateTask } from '../async-tasks/index.ts'

export type ImportServices = {
  readonly storage: FileStorage
  readonly pool: Pool
  readonly schemaSets: SchemaSets
  readonly actAs: (actor: Actor, requestId: string) => InProcessCall
}

type Outcome = JobOutcome<ImportPayload>

/** The time for which an import that has found no place to work in is put off, at least. */
const putOffMs = 2000

/** Fewer rows change no plan. */
const sampledFrom = 1000

/** The time after which another process goes on with the import of one that died. */
const leaseMs = 10_000

/** Imports a file, window by window, as its creator. */
export const importJob = (given: ImportServices): JobKind<ImportPayload> => {
  const services = { ...given, ahead: new ReadAhead() }
  return {
    ...importJobType,
    leaseMs,
    keepsLease: true,
    onFailed: async (tx, { workspaceId, payload, now }) => {
      const error = 'The server could not continue the import; import the rest of the file again.'
      await endImport(tx, { workspaceId, now }, payload.import_id, { state: 'failed', code: 'internal', error })
    },
    async run(context, payload) {
      const { database, workspaceId } = context
      const row = await importRows.find(database.reader, workspaceId, payload.import_id)
      if (row === undefined || !isOpen(row)) return { state: 'done' }
      try {
        return await carryOn(services, context, row, payload)
      } catch (error) {
        // Only the next run knows whether it has ended: rows may come from one that was taken for dead.
        if (error instanceof ImportStopped) return { state: 'again', inMs: 0 }
        if (error instanceof PoolBusy) return { state: 'again', inMs: putOffMs, isPutOff: true }
        if (error instanceof MappingFault || error instanceof WindowFault)
          return fail(context, row, 'validation_failed', error.message)
        if (!(error instanceof Failure)) throw error
        const { retryAfterSeconds } = error
        if (retryAfterSeconds !== undefined)
          return { state: 'again', inMs: Math.max(putOffMs, retryAfterSeconds * 1000), isPutOff: true }
        if (error.status >= 500) throw error
        return fail(context, row, 'validation_failed', error.message)
      }
    },
  }
}

type Services = ImportServices & { readonly ahead: ReadAhead }

async function carryOn(
  services: Services,
  context: JobContext,
  row: ImportRow,
  payload: ImportPayload,
): Promise<Outcome> {
  const { database, workspaceId, clock } = context
  const { counting } = payload
  const standing = await standingOf(
    database.reader,
    { workspaceId, now: clock.now() },
    actingAs(row.actor, workspaceId),
  )
  const slug = await findSlug(database.reader, workspaceId)
  if ('stopped' in standing || slug === undefined)
    return fail(
      context,
      row,
      'cancelled',
      'The creator of the import may no longer change these records, or their key is no longer valid.',
    )
  if (counting !== null && row.shape.format === 'xlsx') return unpackWorkbook(services, context, row, payload)
  if (counting !== null) return countRows(services, context, row, { ...payload, counting })
  return writeWindow(services, context, { row, slug, payload })
}

type FilePosition = Pick<ImportRow, 'position' | 'line'>

type Step = { readonly row: ImportRow; readonly slug: string; readonly payload: ImportPayload }

/** Writes the rows of one window. */
async function writeWindow(services: Services, context: JobContext, { row, slug, payload }: Step): Promise<Outcome> {
  const { database, workspaceId, clock, signal } = context
  const set = await services.schemaSets.readCurrent(database.reader, workspaceId)
  const mapping = rowMapping(documentsOf(set.schemas), row)
  const read = (at: FilePosition) => readWindow(services, workspaceId, { row, at, mapping })
  const { mapped, isLast } = (await services.ahead.take(row, set)) ?? (await read(row))
  const next = positionAfter(row, mapped)
  if (!isLast) services.ahead.begin({ id: row.id, ...next }, set, () => read(next))
  const { chain } = payload
  const actor = { ...actorOf(row.actor, workspaceId, undefined), importId: row.id, ...(chain && { chain }) }
  const call = services.actAs(actor, row.id)
  const writing = { database, workspaceId, slug, now: () => clock.now(), call, ...linkingOf(call, slug, row, mapping) }
  let from = row.position
  for (const rows of portionsOf(mapped)) {
    signal.throwIfAborted()
    const to = row.position + (rows.at(-1)?.end ?? 0)
    await writePortion(writing, row, { rows, from, to })
    from = to
  }
  if (!isLast) return context.conclude(async (): Promise<Outcome> => ({ state: 'again', inMs: 0, payload }))
  if (!row.options.dry_run && (row.rows_total ?? 0) >= sampledFrom) await gatherRecordStatistics(database, workspaceId)
  return context.conclude(async (tx): Promise<Outcome> => {
    await endImport(tx, { workspaceId, now: clock.now() }, row.id, { state: 'completed' })
    return { state: 'done' }
  })
}

/** The position after the rows of a window, as it is stored with the last of them. */
const positionAfter = ({ position, line }: FilePosition, rows: readonly ReadRow[]): FilePosition => {
  const last = rows.at(-1)
  return { position: position + (last?.end ?? 0), line: last?.line ?? line }
}

/** Returns the finder of the records that rows name by value, and how they are linked. */
function linkingOf(
  call: InProcessCall,
  workspace: string,
  { object, options, silent }: Pick<ImportRow, 'object' | 'options' | 'silent'>,
  { links }: Pick<RowMapping, 'links'>,
): Pick<Writing, 'linked' | 'links'> {
  const { create_missing: creates, dry_run: isDryRun, default_country: country } = options
  const linked =
    creates || links !== undefined
      ? new LinkedRecords(call, { workspace, isDryRun, silent, country, creates })
      : undefined
  if (links === undefined) return { linked, links }
  const { relationship, other } = links
  const target = { workspace, object, relationship, other: other.title, createMissing: creates, isDryRun, silent }
  return { linked, links: target }
}

const fail = (context: JobContext, row: ImportRow, code: TaskErrorCode, error: string): Promise<Outcome> =>
  context.conclude(async (tx): Promise<Outcome> => {
    const at = { workspaceId: context.workspaceId, now: context.clock.now() }
    await endImport(tx, at, row.id, { state: 'failed', code, error })
    return { state: 'done' }
  })

/** Rows in one transaction: enough to share its costs, few enough that others wait for milliseconds. */
const rowsMax = 500

/** Bytes of the rows of one transaction in the file. */
const bytesMax = 512 * 1024

/** Splits the rows of a window into those of one transaction each. */
function portionsOf(rows: readonly ReadRow[]): ReadRow[][] {
  const portions: ReadRow[][] = []
  let current: ReadRow[] = []
  let from = 0
  for (const row of rows) {
    current.push(row)
    if (current.length < rowsMax && row.end - from < bytesMax) continue
    portions.push(current)
    current = []
    from = row.end
  }
  return current.length === 0 ? portions : [...portions, current]
}

type Counting = ImportPayload & { readonly counting: NonNullable<ImportPayload['counting']> }

/** Counts the rows of one window: nothing is written of a file that is broken further down. */
async function countRows(
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
    const locked = await importRows.lock(tx, workspaceId, row.id)
    if (locked === undefined || (locked.state !== 'queued' && locked.state !== 'running')) throw new ImportStopped()
    const started_at = locked.started_at ?? now
    const total = window.isLast ? rows : null
    await importRows.update(tx, workspaceId, row.id, { state: 'running', started_at, rows_total: total })
    await updateTask(tx, workspaceId, row.id, now, { started_at, total })
    return { state: 'again', inMs: 0, payload: { ...payload, counting: window.isLast ? null : next } }
  })
}
