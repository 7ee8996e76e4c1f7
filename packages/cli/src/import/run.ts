import type { Connected } from '../connection.ts'
import { UsageError } from '../errors.ts'
import { Destination, type ImportRequest, type ImportState } from './destination.ts'
import { follow } from './follow.ts'
import type { Progress } from './progress.ts'
import { proposalInWords, wholeNamesIn } from './proposal.ts'
import { Reasons } from './reasons.ts'
import { downloadRejects } from './rejects.ts'
import { uploadFile } from './upload.ts'

export type ImportOptions = {
  readonly path: string
  readonly name: string
  /** Where the rejected rows go. */
  readonly rejects: string
  readonly retryMs: number
  /** The import that is to go on, instead of a new one. */
  readonly resume: string | undefined
  readonly body: Omit<ImportRequest, 'upload_id'>
}

export type ImportEnd = {
  readonly state: ImportState
  /** Columns that no mapping takes. */
  readonly unused: readonly string[]
  /** Fields with the name of a person that get a full name, and neither a first nor a last name. */
  readonly wholeNames: readonly string[]
  /** True if the import to resume was complete, so that nothing was imported now. */
  readonly wasComplete: boolean
  readonly rejectsFile: string | null
  readonly reasons: Reasons
  /** The failure that stopped the import. */
  readonly stoppedBy?: unknown
}

/** Has the server import a file. Throws for whatever is wrong before the first row is written. */
export async function runImport(
  options: ImportOptions,
  { rest, workspace }: Connected,
  progress: Progress,
  interrupted: AbortSignal,
): Promise<ImportEnd> {
  const onWait = (error: Error): void => progress.note(`waiting: ${error.message}`)
  const onResume = (): void => progress.note('the server is back')
  const persistence = { forMs: options.retryMs, signal: interrupted, onWait, onResume }
  const destination = new Destination(rest, workspace, persistence)
  const { first, unused, wholeNames } =
    options.resume === undefined
      ? await begin(destination, options)
      : { first: await destination.resume(options.resume), unused: [], wholeNames: [] }
  const wasComplete = options.resume !== undefined && first.state === 'completed'
  const followed = await follow(destination, first, progress, interrupted)
  const { rejected } = followed.state
  const begun = { ...followed, unused, wholeNames, wasComplete }
  if (rejected === 0) return { ...begun, rejectsFile: null, reasons: new Reasons() }
  // The rows that an interrupted command has rejected are still useful.
  const late = new Destination(rest, workspace, { ...persistence, signal: new AbortController().signal })
  const reasons = await downloadRejects(late, followed.state, options.rejects)
  return { ...begun, rejectsFile: options.rejects, reasons }
}

/** Uploads the file and starts its import; without a mapping, proposes one and imports nothing. */
async function begin(
  destination: Destination,
  { path, name, body }: ImportOptions,
): Promise<{ readonly first: ImportState } & Pick<ImportEnd, 'unused' | 'wholeNames'>> {
  const request = { ...body, upload_id: await uploadFile(destination, path, name) }
  const preview = await destination.preview(request)
  if (body.mapping === undefined && body.format !== 'ndjson')
    throw new UsageError(proposalInWords({ ...preview, writable: await destination.fieldsOf(body.object) }))
  const first = await destination.create(request)
  const unused = preview.columns.filter(({ fields }) => fields.length === 0).map((column) => column.name)
  if (body.mapping === undefined) return { first, unused: [], wholeNames: [] }
  return { first, unused, wholeNames: wholeNamesIn(preview) }
}
