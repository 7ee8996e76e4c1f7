import { Command, InvalidArgumentError } from 'commander'
import { connect, withConnection, type ConnectionOptions } from '../connection.ts'
import { UsageError } from '../errors.ts'
import { examples } from '../help.ts'
import { listRecords, type Page } from '../records/list.ts'
import { parseFilters, parseSorts } from '../records/query.ts'
import { printPage, writeJson, writeLines } from '../records/write.ts'

type Options = ConnectionOptions & {
  readonly filter?: readonly string[]
  readonly sort?: readonly string[]
  readonly columns?: readonly string[]
  readonly limit: number
  readonly all?: true
  readonly json?: true
  readonly ndjson?: true
}

const gather = (text: string, before: string[] = []): string[] => [...before, text]

const help = `
Filters:
  --filter 'field=value'             equal, or for a field that holds several: one of its items
  --filter 'field[Operator]=value'   Contains, Starts with, Greater than, Is before, One of (with commas), …
  --filter 'field[Is empty]'         without a value
  All must hold. A wrong field or operator is answered with what is allowed.
${examples(
  ["kontor records list person --filter 'job_title=Senator' --sort name", 'a table'],
  ["kontor records list deal --filter 'amount[Greater than]=5000' --sort amount:desc --limit 10", 'the ten largest of them'],
  ["kontor records list company --all --ndjson | jq -r .attributes.name", 'every record, one JSON object a line'],
)}`

const list = (): Command =>
  withConnection(new Command('list'))
    .description('List the records of an object.')
    .argument('<object>', 'name of the object, for example person')
    .option('--filter <condition>', 'only records for which this holds; may come often', gather)
    .option('--sort <field:dir>', 'sort by a field, asc or desc; may come often', gather)
    .option('--columns <fields>', 'fields to show in the table, with commas', (text) => text.split(',').map((name) => name.trim()))
    .option('--limit <number>', 'records to show', limit, 50)
    .option('--all', 'every record, page by page')
    .option('--json', 'print {data, meta, links} as JSON, as the API answers')
    .option('--ndjson', 'print one record a line as JSON')
    .addHelpText('after', help)
    .action(async (object: string, options: Options) => {
      if (options.json && options.ndjson) throw new UsageError('Give --json or --ndjson, not both.')
      const query = { filter: parseFilters(options.filter), sortOrder: parseSorts(options.sort) }
      const pages = listRecords(connect(options), object, query, options.all ? Infinity : options.limit)
      await output(pages, options)
    })

function limit(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 on.')
  return Number(text)
}

async function output(pages: AsyncGenerator<Page>, { json, ndjson, columns }: Options): Promise<void> {
  if (ndjson) return writeLines(pages)
  return json ? writeJson(pages) : printPage(pages, columns)
}

export const recordsCommand = (): Command => new Command('records').description('Look at records.').addCommand(list())
