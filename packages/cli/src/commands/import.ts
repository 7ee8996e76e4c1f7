import { parse, resolve } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { importEncodings, importFormats, itemSeparator, type ImportFormat } from '@kontor/contract'
import { connect, withConnection, type ConnectionOptions } from '../connection.ts'
import { CommandFailed, exitCodeOf, explain, Interrupted, UsageError } from '../errors.ts'
import { importHelp } from '../import/help.ts'
import type { ImportRequest } from '../import/destination.ts'
import { formatOf, rejectsEnding } from '../import/format.ts'
import { type Notation, dateOrders } from '@kontor/contract/cells'
import { parseMapOption } from '../import/map-option.ts'
import { createProgress, type Progress } from '../import/progress.ts'
import { isAdded } from '../import/rejects.ts'
import { runImport, type ImportEnd } from '../import/run.ts'
import { count, print, printData, say } from '../output.ts'
import { pathToRead, pathToWrite, startedInOption, type StartedIn } from '../started-in.ts'

type Options = ConnectionOptions &
  StartedIn & {
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
    readonly delimiter?: string
    readonly format?: ImportFormat
    readonly encoding?: (typeof importEncodings)[number]
    readonly sheet?: string
    readonly retryFor: number
    readonly resume?: string
    readonly strict?: true
    readonly json?: true
  }

export const importCommand = (): Command =>
  withConnection(new Command('import'))
    .description('Import the rows of a file as records of an object: CSV, XLSX, NDJSON or vCard.')
    .argument('<object>', 'name of the object, for example person; omitted with --links')
    .argument('[file]', 'the file; the first line of a table names the columns')
    .option('--map <column=field>', 'map a column to a field; repeatable', (text, before?: string[]) => [
      ...(before ?? []),
      text,
    ])
    .option('--match-on <field>', 'unique field; a row updates the record that already has its value')
    .option('--clear-empty', 'an empty cell clears its field; by default it changes nothing')
    .option('--create-missing', 'create linked records that do not exist, once for each value')
    .option(
      '--links <object.relationship>',
      'import links between records instead of records, for example person.deals',
      parseLinks,
    )
    .option(
      '--country <code>',
      'country of phone numbers without a country code, such as CH; by default that of the workspace',
    )
    .option('--dry-run', 'check every row and write nothing')
    .option('--rejects <file>', 'file for the rejected rows; by default NAME.rejects.csv beside the input')
    .option(
      '--separator <text>',
      'text between the items of one cell, in fields with several items; empty: each cell is one item',
      itemSeparator,
    )
    .addOption(
      new Option('--dates <order>', 'order of day, month and year in dates such as 31.12.2026')
        .choices(dateOrders)
        .default('ymd'),
    )
    .addOption(
      new Option('--decimal <character>', 'character before the decimals of numbers').choices(['.', ',']).default('.'),
    )
    .option('--delimiter <character>', 'character between the cells, \\t for a tab; by default found in the first line')
    .addOption(
      new Option('--format <format>', 'format of the file; by default that of its ending').choices(importFormats),
    )
    .addOption(
      new Option('--encoding <encoding>', 'encoding of a text; by default found in the file').choices(importEncodings),
    )
    .option('--sheet <name>', 'sheet of a workbook; by default the first that is not hidden')
    .addOption(new Option('--chunk <rows>', 'has no effect: the server divides the file').hideHelp())
    .option('--retry-for <seconds>', 'time to wait for a server that is unreachable or busy', seconds, 60)
    .option('--resume <id>', 'continue an interrupted import; rows that it wrote are not written again')
    .option('--strict', 'exit with 1 if any row was rejected, not only if all were')
    .option('--json', 'print the summary as {data: {…, rejected_rows, reasons}} as JSON')
    .addOption(startedInOption())
    .addHelpText('after', importHelp)
    .action(runCommand)

function parseLinks(text: string): { object: string; relationship: string } {
  const [object = '', relationship = '', ...rest] = text.split('.')
  if (object === '' || relationship === '' || rest.length > 0)
    throw new InvalidArgumentError('Write the object and the relationship: person.deals.')
  return { object, relationship }
}

function seconds(text: string): number {
  if (!/^\d+(\.\d+)?$/.test(text)) throw new InvalidArgumentError('It must be a number of seconds.')
  return Number(text)
}

async function runCommand(first: string, second: string | undefined, options: Options): Promise<void> {
  const { links, resume, dryRun = false, json = false } = options
  const { object, given } = argumentsOf(first, second, links)
  const path = pathToRead(given, options)
  const { dir, name, base } = parse(path)
  const format = options.format ?? formatOf(path)
  const rejects =
    options.rejects === undefined
      ? resolve(dir, `${name}${rejectsEnding(format)}`)
      : pathToWrite(options.rejects, options)
  if (resolve(rejects) === resolve(path))
    throw new UsageError('The rejected rows cannot go into the file that is read.')
  const connected = connect(options)
  const progress = createProgress(base)
  const interrupt = watchInterrupt(progress)
  const body = requestOf(object, format, options)
  const file = { path, name: base, rejects, retryMs: options.retryFor * 1000, resume, body }
  const end = await runImport(file, connected, progress, interrupt.signal).finally(interrupt.release)
  report(end, {
    object,
    links,
    file: path,
    dryRun,
    json,
    mayCreate: options.createMissing !== true && format !== 'ndjson',
  })
  if (end.stoppedBy === undefined) failForRejected(end, options.strict === true)
  else throw stopped(end.stoppedBy, end, dryRun)
}

/** The request of the server that the options make. */
function requestOf(object: string, format: ImportFormat, options: Options): Omit<ImportRequest, 'upload_id'> {
  const { map, links, matchOn, country, clearEmpty, createMissing, dryRun, delimiter, encoding, sheet } = options
  const isTable = format === 'csv' || format === 'xlsx'
  return {
    object,
    format,
    ...(links !== undefined && { relationship: links.relationship }),
    ...(map !== undefined && { mapping: map.map(parseMapOption) }),
    ...(matchOn !== undefined && { match_on: matchOn }),
    ...(country !== undefined && { default_country: country }),
    ...(clearEmpty && { clear_empty: true }),
    ...(createMissing && { create_missing: true }),
    ...(dryRun && { dry_run: true }),
    ...(isTable && { separator: options.separator, dates: options.dates, decimal: options.decimal }),
    ...(delimiter !== undefined && { delimiter: delimiter === '\\t' ? '\t' : delimiter }),
    ...(encoding !== undefined && { encoding }),
    ...(sheet !== undefined && { sheet }),
  }
}

/** With `--links` the object is named by that option, and the file is the only argument. */
function argumentsOf(first: string, second: string | undefined, links: Options['links']) {
  if (links === undefined && second === undefined)
    throw new UsageError(`Name the object and the file: kontor import OBJECT ${first}`)
  if (links !== undefined && second !== undefined)
    throw new UsageError(`--links names the object; write only the file: kontor import --links … ${second}`)
  return links === undefined ? { object: first, given: second ?? '' } : { object: links.object, given: first }
}

/** The first Ctrl-C lets the request under way end; the second one does not wait. */
function watchInterrupt(progress: Progress) {
  const controller = new AbortController()
  const onSignal = (): void => {
    progress.note('stopping after the rows under way; Ctrl-C again does not wait')
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
  readonly dryRun: boolean
  readonly json: boolean
  /** True if the option to create linked records would help. */
  readonly mayCreate: boolean
}

/** Counts of rows by outcome; those of links are linked. */
const countsOf = ({ state: { created, updated, unchanged, rejected } }: ImportEnd, links: Options['links']) =>
  links === undefined ? { created, updated, unchanged, rejected } : { linked: created, rejected }

function report(end: ImportEnd, { object, links, file, dryRun, json, mayCreate }: Report): void {
  const { state, rejectsFile, reasons, unused, wholeNames, stoppedBy, wasComplete } = end
  const { rows_total, created_linked } = state
  const counts = countsOf(end, links)
  if (wasComplete) say('This import was complete already, so nothing was read. To import the file, omit --resume.')
  if (json)
    return printData({
      object,
      ...(links !== undefined && { relationship: links.relationship }),
      file,
      run: state._id,
      dry_run: dryRun,
      complete: stoppedBy === undefined,
      rows: rows_total,
      ...counts,
      ...(Object.keys(created_linked).length > 0 && { created_linked }),
      rejects_file: rejectsFile,
      rejected_rows: reasons.first,
      reasons: reasons.counts(),
    })
  const left = unused.filter((column) => !isAdded(column))
  if (left.length > 0) say(`Columns that were not imported: ${left.join(', ')}`)
  for (const field of wholeNames)
    say(`"${field}" gets a full name only; for greetings, map columns to ${field}.first_name and ${field}.last_name.`)
  const outcome = Object.entries(counts).map(([what, number]) => `${number} ${what}`)
  print(
    `${dryRun ? 'Nothing was written; this would be: ' : ''}${count(rows_total ?? 0, 'row')}: ${outcome.join(', ')}.`,
  )
  for (const [entity, number] of Object.entries(created_linked))
    print(`Created because they were missing: ${count(number, `${entity} record`)}.`)
  if (rejectsFile !== null) {
    for (const line of reasons.inWords()) print(line)
    if (reasons.isAnyMissing && mayCreate) print('To create the linked records that are missing, add --create-missing.')
    print(`All rejected rows and their reasons: ${rejectsFile}`)
  }
  if (!dryRun && links === undefined && state.created + state.updated > 0)
    say(`To undo this import: kontor call imports.revert id=${state._id}`)
}

function failForRejected({ state: { rejected, rows_total } }: ImportEnd, strict: boolean): void {
  if (rejected === 0 || (!strict && rejected !== rows_total)) return
  throw new CommandFailed(
    rejected === rows_total
      ? 'Every row was rejected.'
      : `${count(rejected, 'row')} ${rejected === 1 ? 'was' : 'were'} rejected.`,
  )
}

function stopped(cause: unknown, { state }: ImportEnd, dryRun: boolean): CommandFailed {
  const { _id: id, rows_done, rejected, rows_total, ended_at } = state
  const total = rows_total === null ? 'the rows' : count(rows_total, 'row')
  const goesOn = ended_at === null ? '\nThe server continues the import.' : ''
  const resume = dryRun ? '' : `\nTo continue within a week, run the same command with: --resume ${id}`
  const message = `${explain(cause)}\nStopped after ${rows_done - rejected} of ${total}.${goesOn}${resume}`
  return exitCodeOf(cause) === 130 ? new Interrupted(message, { cause }) : new CommandFailed(message, { cause })
}
