import { bulkItemsMax } from '@kontor/contract'
import type { Connected } from '../connection.ts'
import { Interrupted } from '../errors.ts'
import { readRows, survey, type CsvFile, type CsvRow } from './csv.ts'
import type { Destination, Importer, Rejection } from './importer.ts'
import type { Progress } from './progress.ts'
import { Reasons } from './reasons.ts'
import { RejectsFile } from './rejects.ts'

export type ImportOptions = {
  readonly file: CsvFile
  readonly rejects: string
  readonly chunkRows: number
  readonly retryMs: number
}

export type ImportEnd = Pick<Importer, 'createdLinked' | 'unused'> & {
  readonly counts: Readonly<Record<string, number>> & { readonly rejected: number }
  /** Rows in the file. */
  readonly rows: number
  readonly rejectsFile: string | null
  readonly reasons: Reasons
  /** The failure that stopped the import. */
  readonly stoppedBy?: unknown
}

/** Half of what the API takes in one body, since texts grow when they are spelled as JSON. */
const chunkBytesMax = 8 * 1024 * 1024

/**
 * Imports a file through the importer that `prepare` makes for its columns. Throws for whatever is wrong before the
 * first row is sent; what happens later is in the result.
 */
export async function runImport(
  options: ImportOptions,
  { rest, workspace }: Connected,
  prepare: (header: readonly string[], destination: Destination) => Promise<Importer>,
  progress: Progress,
  interrupted: AbortSignal,
): Promise<ImportEnd> {
  const { header, rows } = await survey(options.file)
  const onWait = (error: Error): void => progress.note(`waiting: ${error.message}`)
  const onResume = (): void => progress.note('the server is back')
  const persistence = { forMs: options.retryMs, signal: interrupted, onWait, onResume }
  const importer = await prepare(header, { rest, workspace, persistence })
  const rejects = new RejectsFile(options.rejects, header, options.file.delimiter)
  const reasons = new Reasons()
  let rejected = 0
  let done = 0
  const end = () => ({
    ...importer,
    counts: { ...importer.counts, rejected },
    rows,
    rejectsFile: rejects.isMade ? rejects.path : null,
    reasons,
  })
  progress.start(rows)
  try {
    for await (const chunk of chunksOf(options)) {
      if (interrupted.aborted) throw new Interrupted('Interrupted.')
      const rejections: Rejection[] = []
      try {
        await importer.send(chunk, (rejection) => rejections.push(rejection))
      } finally {
        rejected += rejections.length
        reasons.add(rejections)
        await rejects.write(rejections)
      }
      progress.update((done += chunk.length), rejected)
    }
    return end()
  } catch (error) {
    return { ...end(), stoppedBy: error }
  } finally {
    progress.stop()
    await rejects.close()
  }
}

/** The rows in batches of one request each. */
async function* chunksOf({ file, chunkRows }: ImportOptions): AsyncGenerator<CsvRow[], void, undefined> {
  let chunk: CsvRow[] = []
  let bytes = 0
  let isHeader = true
  for await (const row of readRows(file)) {
    if (isHeader) {
      isHeader = false
      continue
    }
    chunk.push(row)
    bytes += row.cells.reduce((sum, cell) => sum + cell.length, 0)
    if (chunk.length < Math.min(chunkRows, bulkItemsMax) && bytes < chunkBytesMax) continue
    yield chunk
    chunk = []
    bytes = 0
  }
  if (chunk.length > 0) yield chunk
}
