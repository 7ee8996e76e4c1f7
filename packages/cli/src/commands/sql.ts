import { Command } from 'commander'
import { sql } from '@kontor/contract'
import { connect, withConnection, type ConnectionOptions } from '../connection.ts'
import { UsageError } from '../errors.ts'
import { examples } from '../help.ts'
import { count, print, printJson, say } from '../output.ts'
import { parseLimit } from '../records/output.ts'
import { formatTable } from '../records/table.ts'

type Options = ConnectionOptions & {
  readonly limit: number
  readonly explain?: true
  readonly json?: true
  readonly csv?: true
}

const help = `
Objects are tables and fields are columns. Tables are joined along a relationship, from either end. Texts are compared
regardless of case; days and months are those of the time zone of the workspace.
${examples(
  ["kontor sql 'SELECT stage, count(*), sum(amount) FROM deal GROUP BY stage ORDER BY stage'", 'a pipeline'],
  [
    "kontor sql --csv 'SELECT person.name, company.name FROM person JOIN company ON person.company_id = company._id'",
    'people and their companies, for a spreadsheet',
  ],
)}`

export const sqlCommand = (): Command =>
  withConnection(new Command('sql'))
    .description('Run one SELECT over the records that you may read.')
    .argument('<query>', 'the SELECT')
    .option('--limit <number>', 'maximum number of rows', parseLimit, 1000)
    .option('--explain', 'also print the query plan of the database')
    .option('--csv', 'print CSV')
    .option('--json', 'print {data, meta} as JSON, as the API returns them')
    .addHelpText('after', help)
    .action(async (query: string, { limit, explain, json, csv, ...connection }: Options) => {
      if (csv && (json || explain)) throw new UsageError('Use --csv without --json and --explain.')
      const { rest, workspace } = connect(connection)
      if (csv) {
        const { body } = await rest.call(sql.exportCsv, { workspace, body: { sql: query, limit } })
        process.stdout.write(body)
        return
      }
      const { body } = await rest.call(sql.query, { workspace, body: { sql: query, limit, explain: explain === true } })
      if (json) return printJson(body)
      printRows(body)
      for (const step of body.meta.plan ?? []) print(step)
    })

type Answer = {
  readonly data: readonly (readonly unknown[])[]
  readonly meta: { readonly columns: readonly { readonly name: string }[]; readonly truncated: boolean }
}

function printRows({ data, meta }: Answer): void {
  const names = meta.columns.map(({ name }) => name)
  const width = process.stdout.isTTY ? process.stdout.columns : undefined
  const rows = data.map((row, at) => ({
    id: String(at),
    attributes: Object.fromEntries(names.map((name, column) => [name, row[column]])),
  }))
  if (rows.length > 0) process.stdout.write(formatTable(rows, names, { width, header: true, leading: [] }).text)
  say(`${count(rows.length, 'row')}${meta.truncated ? '; there are more, see --limit' : ''}.`)
}
