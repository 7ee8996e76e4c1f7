import { Command } from 'commander'
import { callInput, findOperation, operationTable } from '../call/operations.ts'
import { connect, withConnection, type ConnectionOptions } from '../connection.ts'
import { UsageError } from '../errors.ts'
import { examples } from '../help.ts'
import { readJsonOption } from '../json-option.ts'
import { print, printJson, printTable } from '../output.ts'
import { startedInOption, type StartedIn } from '../started-in.ts'

type Options = ConnectionOptions &
  StartedIn & {
    readonly data?: string
    readonly ifMatch?: string
    readonly idempotencyKey?: string
    readonly include?: true
  }

const help = `
Without an operation, lists all operations. Parameters have the names of the reference; the workspace comes from
--workspace. Prints the response as JSON, or as it is if it is CSV.
${examples(
  ['kontor call limits.get', 'an operation without parameters'],
  [
    "kontor call resources.list object=deal 'filter[stage]=Won' 'page[limit]=3'",
    'parameters of the path and the query',
  ],
  [`kontor call lists.create object=person --data '{"title":"Speakers","type":"static"}'`, 'a body'],
)}`

export const callCommand = (): Command =>
  withConnection(new Command('call'))
    .description('Call any operation of the API by its name, such as lists.create.')
    .argument('[operation]', 'name of the operation')
    .argument('[parameters...]', 'parameters of its path and query, as name=value')
    .option('--data <json>', 'body as JSON; @FILE reads a file, - reads stdin')
    .option('--if-match <etag>', 'fail unless the record still has this version (ETag)')
    .option('--idempotency-key <key>', 'change once, however often you send the same key')
    .option('--include', 'print status and headers before the response')
    .addOption(startedInOption())
    .addHelpText('after', help)
    .action(call)

async function call(
  name: string | undefined,
  parameters: readonly string[],
  { data, ifMatch, idempotencyKey, include, ...options }: Options,
): Promise<void> {
  if (name === undefined) return printTable(operationTable, ['operation', 'summary'], 'operation')
  const operation = findOperation(name)
  const { rest, workspace } = connect(options)
  const body = data === undefined ? undefined : await readJsonOption(data, options)
  if (data !== undefined && body === undefined) throw new UsageError('--data takes JSON.')
  const conditions = {
    ...(ifMatch !== undefined && { ifMatch }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  }
  const answer = await rest.call(operation, callInput(operation, parameters, { workspace, body }), conditions)
  if (include) print([answer.status, ...[...answer.headers].map(([key, value]) => `${key}: ${value}`), ''].join('\n'))
  if (typeof answer.body === 'string') process.stdout.write(answer.body)
  else if (answer.body !== undefined) printJson(answer.body)
}
