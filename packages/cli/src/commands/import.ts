import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { parse, resolve } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { bulkItemsMax, itemSeparator } from '@kontor/contract'
import { connect, withConnection, type ConnectionOptions } from '../connection.ts'
import { CommandFailed, exitCodeOf, explain, Interrupted, UsageError } from '../errors.ts'
import { importHelp } from '../import/help.ts'
import type { Destination } from '../import/importer.ts'
import { linksImporter } from '../import/links.ts'
import { type Notation, dateOrders } from '@kontor/contract/cells'
import { parseMapOption } from '../import/map-option.ts'
import { createProgress, type Progress } from '../import/progress.ts'
import { recordsImporter } from '../import/records.ts'
import { isAdded } from '../import/rejects.ts'
import { runImport, type ImportEnd } from '../import/run.ts'
import { count, print, printData, say } from '../output.ts'

type Options = ConnectionOptions & {
  readonly map?: readonly string[]
  readonly matchOn?: string
  readonly country?: string
  readonly clearEmpty?: true
  readonly createMissing?: true
  readonly links?: { readonly object: string; readonly relationship: string }
  readonly dryRun?: true
  readonly rejects?: string
  readonly separator: string
  readonly dates: NonNullable<Notation['dates']>
  readonly decimal: NonNullable<Notation['decimal']>
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
    .argument('<object>', 'name of the object, for example person; omitted with --links')
    .argument('[file]', 'CSV file in UTF-8, its first line naming the columns')
    .option('--map <column=field>', 'maps a column to a field; repeatable', (text, before?: string[]) => [
      ...(before ?? []),
      text,
    ])
    .option('--match-on <field>', 'unique field; a record that has its value already is updated instead of made twice')
    .option('--clear-empty', 'an empty cell empties what it is mapped to; otherwise it changes nothing')
    .option('--create-missing', 'create linked records whose value is not found; once for each value')
    .option(
      '--links <object.relationship>',
      'import links between records instead of records, for example person.deals',
      parseLinks,
    )
    .option('--country <code>', "country of phone numbers that name none, such as CH; by default the workspace's")
    .option('--dry-run', 'check every row and write nothing')
    .option('--rejects <file>', 'where the rejected rows go; by default beside the input, as NAME.rejects.csv')
    .option(
      '--separator <text>',
      'what stands between the items of one cell, in fields with several items; empty: nothing',
      itemSeparator,
    )
    .addOption(
      new Option('--dates <order>', 'order of day, month and year in dates such as 31.12.2026')
        .choices(dateOrders)
        .default('ymd'),
    )
    .addOption(
      new Option('--decimal <character>', 'what is before the decimals of numbers').choices(['.', ',']).default('.'),
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

function parseLinks(text: string): { object: string; relationship: string } {
  const [object = '', relationship = '', ...rest] = text.split('.')
  if (object === '' || relationship === '' || rest.length > 0)
    throw new InvalidArgumentError('Write the object and the relationship: person.deals.')
  return { object, relationship }
}

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

async function runCommand(first: string, second: string | undefined, options: Options): Promise<void> {
  const { links } = options
  const { object, given } = argumentsOf(first, second, links)
  const path = findFile(given, options.startedIn)
  const { dir, name, base } = parse(path)
  const rejects =
    options.rejects === undefined
      ? resolve(dir, `${name}.rejects.csv`)
      : resolve(options.startedIn ?? '', options.rejects)
  if (resolve(rejects) === resolve(path))
    throw new UsageError('The rejected rows cannot go into the file that is read.')
  const connected = connect(options)
  const run = options.resume ?? randomBytes(6).toString('hex')
  const {
    separator,
    dates,
    decimal,
    matchOn,
    clearEmpty = false,
    createMissing = false,
    country,
    dryRun = false,
  } = options
  const notation = { separator, dates, decimal }
  const how = { maps: (options.map ?? []).map(parseMapOption), notation, createMissing, country, dryRun }
  const prepare = (header: readonly string[], destination: Destination) =>
    links === undefined
      ? recordsImporter({ ...how, object, matchOn, clearEmpty, run }, header, destination)
      : linksImporter({ ...how, ...links }, header, destination)
  const progress = createProgress(base)
  const interrupt = watchInterrupt(progress)
  const file = { path, delimiter: options.delimiter === '\\t' ? '\t' : options.delimiter }
  const sending = { file, rejects, chunkRows: options.chunk, retryMs: options.retryFor * 1000 }
  const end = await runImport(sending, connected, prepare, progress, interrupt.signal)
  interrupt.release()
  report(end, { object, links, file: path, run, dryRun, json: options.json === true })
  if (end.stoppedBy === undefined) failForRejected(end, options.strict === true)
  else throw stopped(end.stoppedBy, end, dryRun ? undefined : run)
}

/** With `--links` the object is named by that option, and the file is the only argument. */
function argumentsOf(first: string, second: string | undefined, links: Options['links']) {
  if (links === undefined && second === undefined)
    throw new UsageError(`Name the object and the file: kontor import OBJECT ${first}`)
  if (links !== undefined && second !== undefined)
    throw new UsageError(`--links names the object; write only the file: kontor import --links … ${second}`)
  return links === undefined ? { object: first, given: second ?? '' } : { object: links.object, given: first }
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
  readonly links: Options['links']
  readonly file: string
  readonly run: string
  readonly dryRun: boolean
  readonly json: boolean
}

function report(
  { counts, createdLinked, rows, rejectsFile, reasons, unused, stoppedBy }: ImportEnd,
  { object, links, file, run, dryRun, json }: Report,
): void {
  if (json)
    return printData({
      object,
      ...(links !== undefined && { relationship: links.relationship }),
      file,
      run,
      dry_run: dryRun,
      complete: stoppedBy === undefined,
      rows,
      ...counts,
      ...(createdLinked.size > 0 && { created_linked: Object.fromEntries(createdLinked) }),
      rejects_file: rejectsFile,
      rejected_rows: reasons.first,
      reasons: reasons.counts(),
    })
  const left = unused.filter((column) => !isAdded(column))
  if (left.length > 0) say(`Columns that were not imported: ${left.join(', ')}`)
  const outcome = Object.entries(counts).map(([what, number]) => `${number} ${what}`)
  print(`${dryRun ? 'Nothing was written; this would be: ' : ''}${count(rows, 'row')}: ${outcome.join(', ')}.`)
  for (const [entity, number] of createdLinked)
    print(`Created because they were missing: ${count(number, `${entity} record`)}.`)
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
  const done = Object.values(counts).reduce((sum, number) => sum + number) - counts.rejected
  const resume = run === undefined ? '' : `\nTo go on within a day, run the same command with: --resume ${run}`
  const message = `${explain(cause)}\nStopped after ${done} of ${count(rows, 'row')}.${resume}`
  return exitCodeOf(cause) === 130 ? new Interrupted(message, { cause }) : new CommandFailed(message, { cause })
}
