import { Command } from 'commander'
import { records, type Output } from '@kontor/contract'
import { connect, withConnection, type ConnectionOptions } from '../connection.ts'
import { gather } from '../gather.ts'
import { examples } from '../help.ts'
import { count, print, printJson } from '../output.ts'
import { readAttributes, type AttributeOptions } from '../records/attributes.ts'
import { idArgument, idsArgument } from '../records/id-argument.ts'
import { formatRecord } from '../records/table.ts'
import { startedInOption } from '../started-in.ts'

const someId = '019b2f6e-7a00-7000-8000-000000000001'

const named = (name: string, description: string): Command =>
  withConnection(new Command(name))
    .description(description)
    .argument('<object>', 'name of the object, for example person')

const withAttributes = (command: Command): Command =>
  command
    .option(
      '--set <field=value>',
      'a value as in a CSV file: field=value or field.part=value; separate items with commas; repeatable',
      gather,
    )
    .option('--data <json>', 'attributes as JSON; @FILE reads a file, - reads stdin')
    .option('--dry-run', 'only check')
    .option('--json', 'print {data, meta} as JSON, as the API returns them')
    .addOption(startedInOption())

type WriteOptions = ConnectionOptions & AttributeOptions & { readonly dryRun?: true; readonly json?: true }

const dryRunNote = (dryRun: true | undefined): string => (dryRun ? 'Nothing was written; this would be: ' : '')

const get = (): Command =>
  named('get', 'Show one record.')
    .argument('<id>', 'its id', idArgument)
    .option('--json', 'print {data, meta} as JSON, as the API returns them')
    .addHelpText('after', examples([`kontor records get person ${someId}`, 'one line for each field that has a value']))
    .action(async (object: string, id: string, options: ConnectionOptions & { readonly json?: true }) => {
      const { rest, workspace } = connect(options)
      const { body } = await rest.call(records.get, { workspace, object, id })
      if (options.json) printJson(body)
      else print(formatRecord(body.data))
    })

const create = (): Command =>
  withAttributes(named('create', 'Create a record.'))
    .option('--match-on <field>', 'update the record that has the same value in this unique field, if there is one')
    .addHelpText(
      'after',
      examples(
        [
          'kontor records create person --set name.first_name=Grace --set name.last_name=Hopper --set ' +
            'email_addresses=grace@example.com',
          'a person',
        ],
        [
          `kontor records create company --data '{"name":"Acme","domains":{"items":["acme.example.com"]}}' ` +
            '--match-on domains',
          'create the company, or update the one with this domain',
        ],
      ),
    )
    .action(async (object: string, { matchOn, ...options }: WriteOptions & { readonly matchOn?: string }) => {
      const connected = connect(options)
      const { rest, workspace } = connected
      const attributes = await readAttributes(options, object, connected)
      const body = { data: { type: object, attributes }, ...(matchOn !== undefined && { match_on: matchOn }) }
      const answer = await rest.call(records.create, {
        workspace,
        object,
        body,
        ...(options.dryRun && { dry_run: true }),
      })
      tell(answer.body, answer.status === 201 ? 'created' : 'updated', options)
    })

const update = (): Command =>
  withAttributes(
    named('update', 'Update a record. Fields that you do not name stay.').argument('<id>', 'its id', idArgument),
  )
    .option('--clear <field>', 'clear this field; repeatable', gather)
    .option('--if-match <etag>', 'fail unless the record still has this version (ETag)')
    .addHelpText(
      'after',
      examples([
        `kontor records update person ${someId} --set job_title=Professor --clear location`,
        'set one value, clear another',
      ]),
    )
    .action(
      async (object: string, id: string, { ifMatch, ...options }: WriteOptions & { readonly ifMatch?: string }) => {
        const connected = connect(options)
        const { rest, workspace } = connected
        const attributes = await readAttributes(options, object, connected)
        const body = { data: { type: object, id, attributes } }
        const answer = await rest.call(
          records.update,
          { workspace, object, id, body, ...(options.dryRun && { dry_run: true }) },
          ifMatch === undefined ? {} : { ifMatch },
        )
        tell(answer.body, 'updated', options)
      },
    )

function tell(body: Output<typeof records.create>, done: 'created' | 'updated', { json, dryRun }: WriteOptions): void {
  if (json) printJson(body)
  else print(`${dryRunNote(dryRun)}${done} ${body.data.id}`)
}

const remove = (): Command =>
  named('delete', 'Delete records, all or none. "kontor records restore" restores them.')
    .argument('<ids...>', 'their ids', idsArgument)
    .option('--dry-run', 'only check')
    .option('--json', 'print the response of the API as JSON')
    .addHelpText(
      'after',
      examples([`kontor records delete person ${someId} --dry-run`, 'check whether it can be deleted']),
    )
    .action(async (object: string, ids: string[], { json, dryRun, ...options }: WriteOptions) => {
      const { rest, workspace } = connect(options)
      const { body } = await rest.call(records.removeMany, {
        workspace,
        object,
        body: { items: ids },
        ...(dryRun && { dry_run: true }),
      })
      if (json) printJson(body)
      else print(`${dryRunNote(dryRun)}${count(ids.length, 'record')} deleted.`)
    })

/** Commands for single records. */
export const recordCommands = (): Command[] => [get(), create(), update(), remove()]
