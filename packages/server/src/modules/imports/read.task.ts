import type { ReadingRequest, ReadingResult } from './read-in-pool.ts'
import { FileFault } from './reading/file-fault.ts'
import { mapRows } from './reading/map-rows.ts'
import { readRows } from './reading/rows.ts'
import { findShape } from './reading/shape.ts'

/** Reads a part of a file, in a process of the pool. */
export async function run(request: ReadingRequest): Promise<ReadingResult> {
  try {
    if ('beginning' in request) return { shape: await findShape(request.beginning) }
    const rows = await readRows(request.window)
    const last = rows.at(-1)
    const place = { rows: rows.length, bytes: last?.end ?? 0, line: last?.line ?? request.window.line }
    if (request.mapping === undefined) return { ...place, mapped: [] }
    return { ...place, mapped: mapRows(rows, request.window.shape.header, request.mapping) }
  } catch (error) {
    if (error instanceof FileFault) return { fault: error.message }
    throw error
  }
}
