import { actorId, chainOf } from '../../kernel/actor.ts'
import { dayMs } from '../../kernel/clock.ts'
import type { ImportBody, ImportPreviewBody } from '@kontor/contract'
import { MappingFault } from '@kontor/contract/cells'
import { enqueueNew } from '../../engine/store.ts'
import type { WorkspaceReadContext, WriteContext } from '../../kernel/implement.ts'
import { insertTask } from '../async-tasks/index.ts'
import { arrivalFailure, finishUpload, keepUntil, takeOver, type Arrival, type FileStorage } from '../files/index.ts'
import { ownerOf } from '../identity/acting/index.ts'
import { findObject } from '../objects/index.ts'
import { findTarget } from '../records/index.ts'
import { workspaceSchemas } from '../schemas/index.ts'
import { importJobType } from './job-type.ts'
import { documentsOf, rowMapping } from './mapping.ts'
import { findShapeInPool } from './read-in-pool.ts'
import type { FileShape } from './reading/shape.ts'
import { insertImport, type ImportOptions, type ImportRow } from './store.ts'
import { readBytes, type WindowServices } from './window.ts'

/** How long a file can be imported again. */
const fileKeptMs = 7 * dayMs

export type UploadContext = WorkspaceReadContext<'payload_too_large'>

/** An upload that has arrived, and what is known of it before anything is written. */
export type OpenedFile = {
  readonly arrival: Extract<Arrival, object>
  readonly shape: FileShape
  readonly options: ImportOptions
}

/** Opens an uploaded file, and checks that the mapping fits it. */
export async function openUpload(
  ctx: UploadContext,
  { storage, pool }: WindowServices,
  body: ImportBody,
): Promise<OpenedFile> {
  const { object, upload_id: _id, format, delimiter, encoding, ...options } = body
  const { workspaceId } = ctx.workspace
  const { arrival, ...beginning } = await readUpload(ctx, storage, body)
  const found = await findShapeInPool(pool, workspaceId, { beginning: { ...beginning, format, delimiter, encoding } })
  if ('fault' in found) throw unreadable(ctx, found.fault)
  const { shape } = found
  const documents = documentsOf(await workspaceSchemas(ctx))
  await fitting(ctx, async () => rowMapping(documents, { object, shape, options }))
  return { arrival, shape, options }
}

/** Options of cells, which only CSV has, with the values that change nothing. */
const cellDefaults = {
  create_missing: false,
  clear_empty: false,
  dates: 'ymd',
  decimal: '.',
  separator: ';',
  delimiter: undefined,
} as const

const cellOptions = ['create_missing', 'clear_empty', 'dates', 'decimal', 'separator', 'delimiter'] as const

/** Refuses options of cells for a file that has none: it would be read as if they had not been sent. */
function refuseCellOptions(ctx: UploadContext, { format, ...options }: Options): void {
  const sent = cellOptions.find((name) => options[name] !== undefined && options[name] !== cellDefaults[name])
  if (format === 'csv' || sent === undefined) return
  throw ctx.fail('invalid_body', { detail: `${sent} is for CSV files only.`, source: { pointer: `/${sent}` } })
}

type Options = Pick<ImportPreviewBody, 'format' | (typeof cellOptions)[number]>

/** Reads the beginning of an upload of the caller, for an object that they may see. */
export async function readUpload(
  ctx: UploadContext,
  storage: FileStorage,
  { object, upload_id: id, ...options }: Options & Pick<ImportPreviewBody, 'object' | 'upload_id'>,
) {
  refuseCellOptions(ctx, options)
  await findObject(ctx, object, 'read')
  const arrival = await takeOver(ctx, storage, { id, subjectId: actorId(ctx.actor) })
  if (typeof arrival === 'string') throw notArrived(ctx, arrival, storage.bytesMax)
  const { workspaceId } = ctx.workspace
  const { bytes, isLast } = await readBytes(storage, { workspaceId, id, fileBytes: arrival.bytes }, 0)
  return { arrival, bytes, isWhole: isLast }
}

/** The failure of a file that cannot be read. */
export const unreadable = (ctx: UploadContext, detail: string) =>
  ctx.fail('invalid_body', { detail, source: { pointer: uploadPointer } })

/** Does what needs a mapping that fits; one that does not is at fault. */
export async function fitting<T>(ctx: UploadContext, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof MappingFault)) throw error
    throw ctx.fail('invalid_body', { detail: error.faults.join(' '), source: { pointer: '/mapping' } })
  }
}

const uploadPointer = '/upload_id'

const notArrived = (ctx: UploadContext, arrival: Extract<Arrival, string>, bytesMax: number) =>
  arrivalFailure(ctx, arrival, bytesMax, uploadPointer) ??
  ctx.fail('invalid_body', {
    detail: 'There is no upload of yours with this id; request one by POST …/imports/uploads.',
    source: { pointer: uploadPointer },
  })

/** Starts the import of an opened file. */
export async function startImport(
  ctx: WriteContext,
  { object, upload_id: fileId }: ImportBody,
  { arrival, shape, options }: OpenedFile,
  silent: boolean,
): Promise<ImportRow> {
  await findTarget(ctx, object, 'create')
  const { workspaceId } = ctx.workspace
  const file = await finishUpload(ctx, { id: fileId, key: undefined }, arrival)
  if (file === undefined)
    throw ctx.fail('invalid_body', {
      detail: 'The upload is gone: request another by POST …/imports/uploads.',
      source: { pointer: uploadPointer },
    })
  await keepUntil(ctx.tx, file, ctx.clockNow + fileKeptMs)
  const id = ctx.newId()
  const row: ImportRow = {
    id,
    object,
    file_id: file.id,
    file_name: file.name,
    file_bytes: arrival.bytes,
    shape,
    options,
    actor: ownerOf(ctx.actor, ctx.workspace.role),
    silent,
    state: 'queued',
    position: shape.start,
    line: shape.line,
    rows_total: null,
    rows_done: 0,
    created: 0,
    updated: 0,
    unchanged: 0,
    rejected: 0,
    error: null,
    created_at: ctx.now,
    created_by: actorId(ctx.actor),
    started_at: null,
    ended_at: null,
  }
  await insertImport(ctx.tx, workspaceId, row)
  const task = { id, user_id: row.created_by, type: 'import', metadata: { entity: object } } as const
  await insertTask(ctx.tx, workspaceId, { ...task, now: ctx.clockNow })
  const counting = { position: shape.start, line: shape.line, rows: 0 }
  const job = {
    workspaceId,
    kind: importJobType,
    payload: { import_id: id, counting, chain: chainOf(ctx.actor) },
    now: ctx.clockNow,
    key: id,
  }
  await enqueueNew(ctx.tx, [job])
  return row
}
