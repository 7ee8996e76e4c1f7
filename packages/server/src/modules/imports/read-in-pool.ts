import { MappingFault } from '@kontor/contract/cells'
import { defineTask, TaskFailure, type Pool } from '../../pool/index.ts'
import type { ReadRow } from './reading/map-rows.ts'
import type { RowMapping } from './rows-mapping.ts'
import type { FilePreview, TrialMapping } from './reading/preview.ts'
import type { FileWindow } from './reading/rows.ts'
import type { FileBeginning, FileShape } from './reading/shape.ts'
import type { UnpackedSheet } from './reading/xlsx/unpack.ts'

type ShapeRequest = { readonly beginning: FileBeginning }
type PreviewRequest = ShapeRequest & { readonly trial: TrialMapping }
type WindowRequest = { readonly window: FileWindow; readonly mapping: RowMapping | undefined }

type WorkbookRequest = { readonly workbook: Uint8Array; readonly sheet: string }

/**
 * A request for the shape of a file, for a preview of it, for the rows of a sheet, or for the rows of a window, which
 * are counted or mapped.
 */
export type ReadingRequest = ShapeRequest | PreviewRequest | WorkbookRequest | WindowRequest

/** The rows of a window: how many, and the bytes and lines before the end of the last. */
export type WindowRows = {
  readonly rows: number
  readonly bytes: number
  readonly line: number
  readonly mapped: readonly ReadRow[]
}

type Fault = { readonly fault: string }

/** The result; a fault of the file is for its sender. */
export type ReadingResult =
  | { readonly shape: FileShape }
  | { readonly preview: FilePreview }
  | { readonly mappingFaults: readonly string[] }
  | { readonly unpacked: UnpackedSheet }
  | WindowRows
  | Fault

/** Bytes of a workbook, which is read as a whole. */
export const workbookBytesMax = 32 << 20

const readTask = defineTask<ReadingRequest, ReadingResult>({
  name: 'import',
  module: new URL('read.task.ts', import.meta.url),
  limits: {
    // 2 MiB of short cells take under two seconds, and a sheet of 200,000 rows ten.
    cpuMs: 60_000,
    wallMs: 120_000,
    heapMiB: 256,
    // The largest workbook, and the schemas that its rows are read by.
    inputBytes: workbookBytesMax + (8 << 20),
    outputBytes: 64 << 20,
  },
})

/** Reads a part of a file in a process of the pool; one that takes too much is at fault. */
const read = (pool: Pool, workspaceId: string, request: ReadingRequest): Promise<ReadingResult> =>
  pool.run(workspaceId, readTask, request).catch((error: unknown) => {
    if (error instanceof TaskFailure) return { fault: error.message }
    throw error
  })

const unread: Fault = { fault: 'The file cannot be read.' }

/** Finds the shape of a file. */
export async function findShapeInPool(
  pool: Pool,
  workspaceId: string,
  request: ShapeRequest,
): Promise<{ readonly shape: FileShape } | Fault> {
  const found = await read(pool, workspaceId, request)
  return 'shape' in found || 'fault' in found ? found : unread
}

/** Reads the rows of a sheet. */
export async function unpackInPool(
  pool: Pool,
  workspaceId: string,
  request: WorkbookRequest,
): Promise<{ readonly unpacked: UnpackedSheet } | Fault> {
  const found = await read(pool, workspaceId, request)
  return 'unpacked' in found || 'fault' in found ? found : unread
}

/** Reads the first rows of a file with a mapping that is tried. Throws a MappingFault where it does not fit. */
export async function previewInPool(
  pool: Pool,
  workspaceId: string,
  request: PreviewRequest,
): Promise<{ readonly preview: FilePreview } | Fault> {
  const found = await read(pool, workspaceId, request)
  if ('mappingFaults' in found) throw new MappingFault(found.mappingFaults)
  return 'preview' in found || 'fault' in found ? found : unread
}

/** Reads the rows of a window. Throws a MappingFault where the mapping does not fit. */
export async function readWindowInPool(
  pool: Pool,
  workspaceId: string,
  request: WindowRequest,
): Promise<WindowRows | Fault> {
  const found = await read(pool, workspaceId, request)
  if ('mappingFaults' in found) throw new MappingFault(found.mappingFaults)
  return 'rows' in found || 'fault' in found ? found : unread
}
