import { defineTask, TaskFailure, type Pool } from '../../pool/index.ts'
import type { ReadRow, RowMapping } from './reading/map-rows.ts'
import type { FileWindow } from './reading/rows.ts'
import type { FileBeginning, FileShape } from './reading/shape.ts'

/** A question about a file: its shape by its beginning, or the rows of a window, which are counted or mapped. */
export type ReadingRequest =
  | { readonly beginning: FileBeginning }
  | { readonly window: FileWindow; readonly mapping: RowMapping | undefined }

/** The rows of a window: how many, and the bytes and lines before the end of the last. */
export type WindowRows = {
  readonly rows: number
  readonly bytes: number
  readonly line: number
  readonly mapped: readonly ReadRow[]
}

/** The result; a fault of the file is for its sender. */
export type ReadingResult = { readonly shape: FileShape } | WindowRows | { readonly fault: string }

const readTask = defineTask<ReadingRequest, ReadingResult>({
  name: 'import',
  module: new URL('read.task.ts', import.meta.url),
  limits: {
    // 2 MiB of short cells take under two seconds.
    cpuMs: 15_000,
    wallMs: 60_000,
    heapMiB: 256,
    // The largest window, and the schemas that its rows are read by.
    inputBytes: 8 << 20,
    outputBytes: 64 << 20,
  },
})

/** Reads a part of a file in a process of the pool; one that takes too much is at fault. */
const read = (pool: Pool, workspaceId: string, request: ReadingRequest): Promise<ReadingResult> =>
  pool.run(workspaceId, readTask, request).catch((error: unknown) => {
    if (error instanceof TaskFailure) return { fault: error.message }
    throw error
  })

type Shaped = { readonly shape: FileShape } | { readonly fault: string }

export async function findShapeInPool(pool: Pool, workspaceId: string, beginning: FileBeginning): Promise<Shaped> {
  const found = await read(pool, workspaceId, { beginning })
  return 'rows' in found ? { fault: 'The file cannot be read.' } : found
}

export async function readWindowInPool(
  pool: Pool,
  workspaceId: string,
  request: Extract<ReadingRequest, { window: unknown }>,
): Promise<WindowRows | { readonly fault: string }> {
  const found = await read(pool, workspaceId, request)
  return 'shape' in found ? { fault: 'The file cannot be read.' } : found
}
