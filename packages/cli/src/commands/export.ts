import { Command, Option } from 'commander'
import { exportFormats, type ExportBody, type ExportFormat } from '@kontor/contract'
import { connect, withConnection, type ConnectionOptions } from '../connection.ts'
import { UsageError } from '../errors.ts'
import { exportToFile } from '../exports/download.ts'
import { gather } from '../gather.ts'
import { examples, filterHelp } from '../help.ts'
import { count, print, printData } from '../output.ts'
import { parseFilterTree, parseSorts } from '../records/query.ts'
import { startedInOption, type StartedIn } from '../started-in.ts'

type Options = ConnectionOptions &
  StartedIn & {
    readonly list?: string
    readonly filter?: readonly string[]
    readonly sort?: readonly string[]
    readonly sql?: string
    readonly search?: string
    readonly fields?: string[]
    readonly format: ExportFormat
    readonly output?: string
    readonly json?: true
  }

export const exportCommand = (): Command =>
  withConnection(new Command('export'))
    .description('Save records as a file that the server writes: an object, a list, or the result of a SELECT.')
    .argument('[object]', 'an object such as person')
    .option('--list <id>', 'only the records of this list of the object')
    .option('--filter <condition>', 'only records that match; can be repeated', gather)
    .option('--search <words>', 'only records in which all words occur')
    .option('--sort <field:dir>', 'sort by a field, asc or desc; repeatable', gather)
    .option('--fields <fields>', 'only these fields, with commas', (text) => text.split(','))
    .option('--sql <select>', 'the rows of this SELECT, instead of an object')
    .addOption(new Option('--format <format>', 'format of the file').choices(exportFormats).default('csv'))
    .option('--output <file>', 'name of the file; by default that of the export')
    .addOption(startedInOption())
    .option('--json', 'print {data: {path, export}} as JSON')
    .addHelpText(
      'after',
      filterHelp +
        examples(
          ['kontor export person --format xlsx', 'all people that you may see, as a workbook'],
          ['kontor export company --fields name,domains --output companies.csv', 'two columns of them'],
          [
            "kontor export deal --filter 'stage=Won' --filter 'amount[Greater than]=5000' --sort amount:desc",
            'some of them',
          ],
          ["kontor export --sql 'SELECT stage, sum(amount) FROM deal GROUP BY stage' --format parquet", 'a result'],
        ),
    )
    .action(async (object: string | undefined, { json, ...options }: Options) => {
      const { path, attributes } = await exportToFile(connect(options), bodyOf(object, options), options)
      if (json) return printData({ path, export: attributes })
      print(`Saved ${path}: ${count(attributes.rows_done, 'row')}, ${count(attributes.size_bytes ?? 0, 'byte')}.`)
    })

function bodyOf(object: string | undefined, { sql, list, format, ...options }: Options): ExportBody {
  const { filter, search, sort, fields } = options
  if (sql !== undefined) {
    if ((object ?? list ?? filter ?? search ?? sort ?? fields) !== undefined)
      throw new UsageError('Give --sql without an object, a list or conditions: the SELECT names them.')
    return { kind: 'sql', sql, format }
  }
  if (object === undefined) throw new UsageError('Name an object, such as person, or give --sql.')
  return {
    kind: list === undefined ? 'records' : 'list',
    object,
    list,
    filter: parseFilterTree(filter),
    search,
    sort: parseSorts(sort),
    fields,
    format,
  }
}
