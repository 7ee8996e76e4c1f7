import { bulkItemsMax, schemas } from '@kontor/contract'
import type { Connected } from '../connection.ts'
import { Interrupted } from '../errors.ts'
import { readRows, survey, type CsvFile } from './csv.ts'
import { Delivery, type Counts, type ReadyRow, type Rejection } from './delivery.ts'
import { compileMapping, type Mapping, type MappingOptions } from './mapping.ts'
import { persist } from './persist.ts'
import type { Progress } from './progress.ts'
import { Reasons } from './reasons.ts'
import { RejectsFile } from './rejects.ts'

export type ImportOptions = MappingOptions & {
  readonly object: string
  readonly file: CsvFile
  readonly rejects: string
  readonly dryRun: boolean
  readonly run: string
  readonly chunkRows: number
  readonly retryMs: number
}

export type ImportEnd = {
  readonly counts: Counts
  /** Rows in the file. */
  readonly rows: number
  readonly rejectsFile: string | null
  readonly reasons: Reasons
  /** Columns that no mapping takes. */
  readonly unused: readonly string[]
  /** What kept the import from its end. */
  readonly stoppedBy?: unknown
}

/** Half of what the API takes in one body, since texts grow when they are spelled as JSON. */
const chunkBytesMax = 8 * 1024 * 1024

/** Imports a file. Throws for whatever is wrong before the first row is sent; what happens later is in the result. */
export async function runImport(
  options: ImportOptions,
  { rest, workspace }: Connected,
  progress: Progress,
  interrupted: AbortSignal,
): Promise<ImportEnd> {
  const { header, rows } = await survey(options.file)
  const onWait = (error: Error): void => progress.note(`waiting: ${error.message}`)
  const onResume = (): void => progress.note('the server is back')
  const persistence = { forMs: options.retryMs, signal: interrupted, onWait, onResume }
  const { object } = options
  const { data } = (await persist(() => rest.call(schemas.get, { workspace, object }), persistence)).body
  const mapping = compileMapping(options, header, data.attributes)
  const counts: Counts = { created: 0, updated: 0, unchanged: 0, rejected: 0 }
  const rejects = new RejectsFile(options.rejects, header, options.file.delimiter)
  const reasons = new Reasons()
  let rejections: Rejection[] = []
  const delivery = new Delivery({
    ...options,
    rest,
    workspace,
    counts,
    // An empty cell among others takes away what it once held, and nothing says what that was.
    replaced: options.clearEmpty ? mapping.gathered : [],
    persistence,
    reject: (rejection) => rejections.push(rejection),
  })
  const end = () => ({
    counts,
    rows,
    rejectsFile: rejects.isMade ? rejects.path : null,
    reasons,
    unused: mapping.unused,
  })
  progress.start(rows)
  try {
    for await (const chunk of chunksOf(options, mapping)) {
      if (interrupted.aborted) throw new Interrupted('Interrupted.')
      rejections = [...chunk.rejections]
      counts.rejected += rejections.length
      try {
        await delivery.send(chunk.ready)
      } finally {
        reasons.add(rejections)
        await rejects.write(rejections)
      }
      progress.update(
        Object.values(counts).reduce((sum, one) => sum + one),
        counts,
      )
    }
    return end()
  } catch (error) {
    return { ...end(), stoppedBy: error }
  } finally {
    progress.stop()
    await rejects.close()
  }
}

type Chunk = { readonly ready: ReadyRow[]; readonly rejections: Rejection[] }

/** The rows in batches of one request each, with those that are faulty in themselves apart. */
async function* chunksOf({ file, chunkRows }: ImportOptions, mapping: Mapping): AsyncGenerator<Chunk, void, undefined> {
  let chunk: Chunk = { ready: [], rejections: [] }
  let bytes = 0
  let isHeader = true
  for await (const { line, cells } of readRows(file)) {
    if (isHeader) {
      isHeader = false
      continue
    }
    const mapped = mapping.map(cells)
    if ('faults' in mapped) chunk.rejections.push({ line, cells, reason: mapped.faults.join(' ') })
    else chunk.ready.push({ line, cells, attributes: mapped.attributes })
    bytes += cells.reduce((sum, cell) => sum + cell.length, 0)
    if (chunk.ready.length + chunk.rejections.length < Math.min(chunkRows, bulkItemsMax) && bytes < chunkBytesMax)
      continue
    yield chunk
    chunk = { ready: [], rejections: [] }
    bytes = 0
  }
  if (chunk.ready.length + chunk.rejections.length > 0) yield chunk
}
