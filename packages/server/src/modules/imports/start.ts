import { actorId, chainOf } from '../../kernel/actor.ts'
import { dayMs } from '../../kernel/clock.ts'
import type { ImportBody, ImportFormat, ImportPreviewBody } from '@kontor/contract'
import { MappingFault } from '@kontor/contract/cells'
import { enqueueNew } from '../../engine/store.ts'
import type { WorkspaceReadContext, WriteContext } from '../../kernel/implement.ts'
import { insertTask } from '../async-tasks/index.ts'
import { arrivalFailure, beginUpload, finishUpload, keepUntil, takeOver, type Arrival } from '../files/index.ts'
import { ownerOf } from '../identity/acting/index.ts'
import { isOneOf, keysOf } from '../../lib/guards.ts'
import { findObject } from '../objects/index.ts'
import { findTarget } from '../records/index.ts'
import { workspaceSchemas } from '../schemas/index.ts'
import { importJobType } from './job-type.ts'
import { documentsOf, rowMapping } from './mapping.ts'
import { findShapeInPool } from './read-in-pool.ts'
import type { FileBeginning, FileShape } from './reading/shape.ts'
import { importRows, type ImportOptions, type ImportRow } from './store.ts'
import { readBytes, type WindowServices } from './window.ts'
import { withWorkbook } from './workbook.ts'

/** The time for which a file can be imported again. */
const fileKeptMs = 7 * dayMs

export type UploadContext = WorkspaceReadContext<'payload_too_large'>

/** An upload that has arrived, and what is known of it before anything is written. */
export type OpenedFile = {
  readonly arrival: Extract<Arrival, object>
  readonly shape: FileShape
  readonly options: ImportOptions
}

/** Opens an uploaded file, and checks that the mapping fits it. */
export async function openUpload(ctx: UploadContext, services: WindowServices, body: ImportBody): Promise<OpenedFile> {
  const { object, upload_id: _id, format: _format, delimiter: _delimiter, encoding: _encoding, ...options } = body
  const { workspaceId } = ctx.workspace
  const { arrival, found } = await readUpload(ctx, services, body, (beginning) =>
    findShapeInPool(services.pool, workspaceId, { beginning }),
  )
  const { shape } = found
  const documents = documentsOf(await workspaceSchemas(ctx))
  await fitting(ctx, async () => rowMapping(documents, { object, shape, options }))
  return { arrival, shape, options }
}

/** Options of cells, with the values that change nothing, and the formats that they are for. */
const cellOptions = {
  create_missing: { unset: false, formats: ['csv', 'xlsx', 'vcard'] },
  clear_empty: { unset: false, formats: ['csv', 'xlsx', 'vcard'] },
  dates: { unset: 'ymd', formats: ['csv', 'xlsx'] },
  decimal: { unset: '.', formats: ['csv', 'xlsx'] },
  separator: { unset: ';', formats: ['csv', 'xlsx'] },
  delimiter: { unset: undefined, formats: ['csv'] },
  encoding: { unset: undefined, formats: ['csv', 'ndjson', 'vcard'] },
  sheet: { unset: undefined, formats: ['xlsx'] },
  relationship: { unset: undefined, formats: ['csv', 'xlsx'] },
} as const satisfies Readonly<Record<string, { readonly unset: unknown; readonly formats: readonly ImportFormat[] }>>

/** Refuses options that a file, or an import of links, would ignore. */
function refuseIgnoredOptions(ctx: UploadContext, { format, match_on, ...options }: Options): void {
  const ofRecords = match_on !== undefined ? 'match_on' : options.clear_empty ? 'clear_empty' : undefined
  if (options.relationship !== undefined && ofRecords !== undefined)
    throw ctx.fail('invalid_body', {
      detail: `An import of links accepts no ${ofRecords}.`,
      source: { pointer: `/${ofRecords}` },
    })
  for (const name of keysOf(cellOptions)) {
    const { unset, formats } = cellOptions[name]
    if (options[name] === undefined || options[name] === unset || isOneOf(formats, format)) continue
    const detail = `${name} is for ${formats.map((one) => formatNames[one]).join(', ')} only.`
    throw ctx.fail('invalid_body', { detail, source: { pointer: `/${name}` } })
  }
}

const formatNames = { csv: 'CSV', ndjson: 'NDJSON', xlsx: 'XLSX', vcard: 'vCard' } as const

type Options = Pick<ImportPreviewBody, 'format' | 'match_on' | keyof typeof cellOptions>

type Upload = Options & Pick<ImportPreviewBody, 'object' | 'upload_id'>

/** Reads the beginning of an upload of the caller, or all of a workbook, for an object that they may see. */
export async function readUpload<T extends object>(
  ctx: UploadContext,
  { storage }: WindowServices,
  { object, upload_id: id, ...options }: Upload,
  read: (beginning: FileBeginning) => Promise<T | { readonly fault: string }>,
): Promise<{ readonly arrival: OpenedFile['arrival']; readonly found: T }> {
  refuseIgnoredOptions(ctx, options)
  await findObject(ctx, object, 'read')
  const arrival = await takeOver(ctx, storage, { id, subjectId: actorId(ctx.actor) })
  if (typeof arrival === 'string') throw notArrived(ctx, arrival, storage.bytesMax)
  const place = { workspaceId: ctx.workspace.workspaceId, id, fileBytes: arrival.bytes }
  const { format, delimiter, encoding, sheet } = options
  const said = { format, delimiter, encoding, sheet }
  const found =
    format === 'xlsx'
      ? ((await withWorkbook(storage, place, (bytes) => read({ bytes, isWhole: true, ...said }))) ?? tooLargeWorkbook)
      : await readBytes(storage, place, 0).then(({ bytes, isLast }) => read({ bytes, isWhole: isLast, ...said }))
  if ('fault' in found) throw unreadable(ctx, found.fault)
  return { arrival, found }
}

const tooLargeWorkbook = { fault: 'A workbook can have at most 32 MiB. Save the sheet as CSV and import that.' }

/** The failure of a file that cannot be read. */
const unreadable = (ctx: UploadContext, detail: string) =>
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
  { object, upload_id: fileId, relationship }: ImportBody,
  { arrival, shape, options }: OpenedFile,
  silent: boolean,
): Promise<ImportRow> {
  await findTarget(ctx, object, relationship === undefined ? 'create' : 'write')
  const { workspaceId } = ctx.workspace
  const file = await finishUpload(ctx, { id: fileId, key: undefined }, arrival)
  if (file === undefined)
    throw ctx.fail('invalid_body', {
      detail: 'The upload was deleted: request another by POST …/imports/uploads.',
      source: { pointer: uploadPointer },
    })
  await keepUntil(ctx.tx, file, ctx.clockNow + fileKeptMs)
  const id = ctx.newId()
  const source = { file_id: file.id, file_bytes: arrival.bytes, shape }
  const row: ImportRow = {
    id,
    object,
    ...(shape.format === 'xlsx' ? await keepSheet(ctx, source) : source),
    file_name: file.name,
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
    created_linked: {},
    error: null,
    created_at: ctx.now,
    created_by: actorId(ctx.actor),
    started_at: null,
    ended_at: null,
  }
  await importRows.insert(ctx.tx, workspaceId, row)
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

type Source = Pick<ImportRow, 'file_id' | 'file_bytes' | 'shape'>

/** Remembers the file that a sheet will be unpacked to, so that it is removed with the upload. */
async function keepSheet(ctx: WriteContext, { file_id, file_bytes, shape }: Source): Promise<Source> {
  const id = ctx.newId()
  await beginUpload(ctx, { id, subject_id: actorId(ctx.actor), name: 'sheet', upload_key: `imports/${id}` })
  await keepUntil(ctx.tx, { workspace_id: ctx.workspace.workspaceId, id }, ctx.clockNow + fileKeptMs)
  return { file_id: id, file_bytes: 0, shape: { ...shape, upload: { id: file_id, bytes: file_bytes } } }
}
