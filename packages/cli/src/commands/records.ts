import { Command } from 'commander'
import { connect, withConnection, type ConnectionOptions } from '../connection.ts'
import { gather } from '../gather.ts'
import { examples, filterHelp } from '../help.ts'
import { listRecords } from '../records/list.ts'
import { parseFilters, parseSorts } from '../records/query.ts'
import { output, parseLimit, type OutputOptions } from '../records/output.ts'
import { recordCommands } from './record.ts'
import { recoveryCommands } from './recovery.ts'

type Options = ConnectionOptions &
  OutputOptions & {
    readonly filter?: readonly string[]
    readonly search?: string
    readonly sort?: readonly string[]
    readonly limit: number
    readonly all?: true
  }

const help = `${filterHelp}${examples(
  ["kontor records list person --filter 'job_title=Senator' --sort name", 'a table'],
  [
    "kontor records list deal --filter 'amount[Greater than]=5000' --sort amount:desc --limit 10",
    'the ten largest deals',
  ],
  ['kontor records list company --all --ndjson | jq -r .attributes.name', 'every record, one JSON object in each line'],
)}`

const list = (): Command =>
  withConnection(new Command('list'))
    .description('List the records of an object.')
    .argument('<object>', 'name of the object, for example person')
    .option('--filter <condition>', 'only records that match; can be repeated', gather)
    .option('--search <words>', 'only records that contain all these words')
    .option('--sort <field:dir>', 'sort by a field, asc or desc; repeatable', gather)
    .option('--columns <fields>', 'fields to show in the table, separated by commas', (text) =>
      text.split(',').map((name) => name.trim()),
    )
    .option('--limit <number>', 'records to show', parseLimit, 50)
    .option('--all', 'every record, page by page')
    .option('--json', 'print {data, meta, links} as JSON, as the API returns them')
    .option('--ndjson', 'print one record in each line, as JSON')
    .addHelpText('after', help)
    .action(async (object: string, options: Options) => {
      const query = {
        filter: parseFilters(options.filter),
        search: options.search,
        sortOrder: parseSorts(options.sort),
      }
      const pages = listRecords(connect(options), object, query, options.all ? Infinity : options.limit)
      await output(pages, options)
    })

export const recordsCommand = (): Command =>
  [list(), ...recordCommands(), ...recoveryCommands()].reduce(
    (records, command) => records.addCommand(command),
    new Command('records').description('List, read, write, delete, restore and merge records.'),
  )
