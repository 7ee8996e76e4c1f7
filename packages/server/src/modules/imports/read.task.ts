import { MappingFault } from '@kontor/contract/cells'
import type { ReadingRequest, ReadingResult } from './read-in-pool.ts'
import { readBeginning } from './reading/beginning.ts'
import { FileFault } from './reading/file-fault.ts'
import { mapRows } from './reading/map-rows.ts'
import { previewFile } from './reading/preview.ts'
import { readRows } from './reading/rows.ts'
import { unpackSheet } from './reading/xlsx/unpack.ts'

/** Reads a part of a file, in a process of the pool. */
export async function run(request: ReadingRequest): Promise<ReadingResult> {
  try {
    return await read(request)
  } catch (error) {
    if (error instanceof FileFault) return { fault: error.message }
    if (error instanceof MappingFault) return { mappingFaults: error.faults }
    throw error
  }
}

async function read(request: ReadingRequest): Promise<ReadingResult> {
  if ('trial' in request) return { preview: await previewFile(request.beginning, request.trial) }
  if ('beginning' in request) return { shape: (await readBeginning(request.beginning)).shape }
  if ('workbook' in request) return { unpacked: await unpackSheet(Buffer.from(request.workbook), request.sheet) }
  const { window, mapping } = request
  const rows = await readRows(window)
  const last = rows.at(-1)
  const place = { rows: rows.length, bytes: last?.end ?? 0, line: last?.line ?? window.line }
  return { ...place, mapped: mapping === undefined ? [] : mapRows(rows, window.shape.header, mapping) }
}
