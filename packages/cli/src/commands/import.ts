import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { parse, resolve } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { bulkItemsMax, itemSeparator } from '@kontor/contract'
import { connect, withConnection, type ConnectionOptions } from '../connection.ts'
import { CommandFailed, exitCodeOf, explain, Interrupted, UsageError } from '../errors.ts'
import { importHelp } from '../import/help.ts'
import { parseMapOption } from '../import/mapping.ts'
import { createProgress, type Progress } from '../import/progress.ts'
import { runImport, type ImportEnd } from '../import/run.ts'
import { count, print, printData, say } from '../output.ts'

type Options = ConnectionOptions & {
  readonly map?: readonly string[]
  readonly matchOn?: string
  readonly clearEmpty?: true
  readonly dryRun?: true
  readonly rejects?: string
  readonly separator: string
  readonly delimiter: string
  readonly chunk: number
  readonly retryFor: number
  readonly resume?: string
  readonly strict?: true
  readonly json?: true
  readonly startedIn?: string
}

export const importCommand = (): Command =>
  withConnection(new Command('import'))
    .description('Import the rows of a CSV file as records of an object.')
    .argument('<object>', 'name of the object, for example person')
    .argument('<file>', 'CSV file in UTF-8, its first line naming the columns')
    .option('--map <column=field>', 'which column goes to which field; may come often', (text, before?: string[]) => [
      ...(before ?? []),
      text,
    ])
    .option('--match-on <field>', 'unique field; a record that has its value already is updated instead of made twice')
    .option('--clear-empty', 'an empty cell empties what it is mapped to; otherwise it changes nothing')
    .option('--dry-run', 'check every row and write nothing')
    .option('--rejects <file>', 'where the rejected rows go; by default beside the input, as NAME.rejects.csv')
    .option(
      '--separator <text>',
      'what stands between the items of one cell, in fields that hold several; empty: nothing',
      itemSeparator,
    )
    .option('--delimiter <character>', 'what stands between the cells; \\t is a tab', ',')
    .option('--chunk <rows>', `rows in one request, at most ${bulkItemsMax}`, chunkRows, 500)
    .option('--retry-for <seconds>', 'how long to wait for a server that is away or busy', seconds, 60)
    .option('--resume <run>', 'go on with an import that was cut off; rows that it wrote are not written twice')
    .option('--strict', 'exit with 1 when a row was rejected, not only when all were')
    .option('--json', 'print the summary as {data: {…, rejected_rows, reasons}} as JSON')
    .addOption(
      new Option('--started-in <folder>', 'folder of relative paths, beside the current one')
        .env('INIT_CWD')
        .hideHelp(),
    )
    .addHelpText('after', importHelp)
    .action(runCommand)

function chunkRows(text: string): number {
  const rows = Number(text)
  if (!Number.isInteger(rows) || rows < 1 || rows > bulkItemsMax)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${bulkItemsMax}.`)
  return rows
}

function seconds(text: string): number {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new InvalidArgumentError('It must be a number of seconds.')
  return Number(text)
}

async function runCommand(object: string, given: string, options: Options): Promise<void> {
  const path = findFile(given, options.startedIn)
  const { dir, name, base } = parse(path)
  const rejects = options.rejects ?? resolve(dir, `${name}.rejects.csv`)
  if (resolve(rejects) === resolve(path))
    throw new UsageError('The rejected rows cannot go into the file that is read.')
  if (options.map === undefined)
    throw new UsageError("Map columns to fields, for example: --map 'Name=name'. You can repeat the option.")
  const maps = options.map.map(parseMapOption)
  const connected = connect(options)
  const run = options.resume ?? randomBytes(6).toString('hex')
  const dryRun = options.dryRun === true
  const file = { path, delimiter: options.delimiter === '\\t' ? '\t' : options.delimiter }
  const { separator, matchOn, chunk, retryFor, clearEmpty = false } = options
  const progress = createProgress(base)
  const interrupt = watchInterrupt(progress)
  const how = { separator, matchOn, clearEmpty, dryRun, run, chunkRows: chunk, retryMs: retryFor * 1000 }
  const end = await runImport({ object, file, rejects, maps, ...how }, connected, progress, interrupt.signal)
  interrupt.release()
  report(end, { object, file: path, run, dryRun, json: options.json === true })
  if (end.stoppedBy === undefined) failForRejected(end, options.strict === true)
  else throw stopped(end.stoppedBy, end, dryRun ? undefined : run)
}

/** `npm run` works in the folder of the package; relative paths are meant from where it was called. */
function findFile(given: string, startedIn: string | undefined): string {
  if (existsSync(given) || startedIn === undefined) return given
  const there = resolve(startedIn, given)
  return existsSync(there) ? there : given
}

/** The first Ctrl-C lets the request under way end; the second one does not wait. */
function watchInterrupt(progress: Progress) {
  const controller = new AbortController()
  const onSignal = (): void => {
    progress.note('stopping after the rows under way; Ctrl-C again stops at once')
    controller.abort()
  }
  process.once('SIGINT', onSignal)
  process.once('SIGTERM', onSignal)
  return { signal: controller.signal, release: () => process.off('SIGINT', onSignal).off('SIGTERM', onSignal) }
}

type Report = {
  readonly object: string
  readonly file: string
  readonly run: string
  readonly dryRun: boolean
  readonly json: boolean
}

function report(
  { counts, rows, rejectsFile, reasons, unused, stoppedBy }: ImportEnd,
  { object, file, run, dryRun, json }: Report,
): void {
  if (json)
    return printData({
      object,
      file,
      run,
      dry_run: dryRun,
      complete: stoppedBy === undefined,
      rows,
      ...counts,
      rejects_file: rejectsFile,
      rejected_rows: reasons.first,
      reasons: reasons.counts(),
    })
  if (unused.length > 0) say(`Columns that were not imported: ${unused.join(', ')}`)
  const { created, updated, unchanged, rejected } = counts
  print(
    `${dryRun ? 'Nothing was written; this would be: ' : ''}${count(rows, 'row')}: ${created} created, ` +
      `${updated} updated, ${unchanged} unchanged, ${rejected} rejected.`,
  )
  if (rejectsFile === null) return
  for (const line of reasons.inWords()) print(line)
  print(`All rejected rows and their reasons: ${rejectsFile}`)
}

function failForRejected({ counts, rows }: ImportEnd, strict: boolean): void {
  if (counts.rejected > 0 && (strict || counts.rejected === rows)) {
    throw new CommandFailed(
      counts.rejected === rows
        ? 'Every row was rejected.'
        : `${count(counts.rejected, 'row')} ${counts.rejected === 1 ? 'was' : 'were'} rejected.`,
    )
  }
}

function stopped(cause: unknown, { counts, rows }: ImportEnd, run: string | undefined): CommandFailed {
  const done = counts.created + counts.updated + counts.unchanged
  const resume = run === undefined ? '' : `\nTo go on within a day, run the same command with: --resume ${run}`
  const message = `${explain(cause)}\nStopped after ${done} of ${count(rows, 'row')}.${resume}`
  return exitCodeOf(cause) === 130 ? new Interrupted(message, { cause }) : new CommandFailed(message, { cause })
}
