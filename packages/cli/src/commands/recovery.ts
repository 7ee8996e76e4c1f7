import { Command } from 'commander'
import { records } from '@kontor/contract'
import { connect, withConnection, type ConnectionOptions } from '../connection.ts'
import { examples } from '../help.ts'
import { count, print, printJson } from '../output.ts'
import { idArgument, idsArgument } from '../records/id-argument.ts'
import { listDeleted } from '../records/list.ts'
import { output, parseLimit, type OutputOptions } from '../records/output.ts'

const named = (name: string, description: string): Command =>
  withConnection(new Command(name))
    .description(description)
    .argument('<object>', 'name of the object, for example person')

const deleted = (): Command =>
  named('deleted', 'List the deleted records of an object that can be restored, most recently deleted first.')
    .option('--limit <number>', 'records to show', parseLimit, 50)
    .option('--all', 'every record, page by page')
    .option('--json', 'print {data, meta, links} as JSON, as the API returns them')
    .option('--ndjson', 'print one record in each line, as JSON')
    .addHelpText(
      'after',
      examples(
        ['kontor records deleted person', 'deleted people, and when they were deleted'],
        ['kontor records deleted person --all --ndjson | jq -r .id', 'the ids of all'],
      ),
    )
    .action(
      (object: string, options: ConnectionOptions & OutputOptions & { readonly limit: number; readonly all?: true }) =>
        output(listDeleted(connect(options), object, options.all ? Infinity : options.limit), options, [
          'id',
          '_deleted_at',
        ]),
    )

type WriteOptions = ConnectionOptions & { readonly dryRun?: true; readonly json?: true }

const dryRunNote = (dryRun: true | undefined): string => (dryRun ? 'Nothing was written; this would be: ' : '')

const restore = (): Command =>
  named('restore', 'Restore deleted records, all or none.')
    .argument('<ids...>', 'ids of deleted records', idsArgument)
    .option('--dry-run', 'only check')
    .option('--json', 'print {data} as JSON, as the API returns them')
    .addHelpText(
      'after',
      examples(['kontor records restore person 019b2f6e-7a00-7000-8000-000000000001', 'one record']),
    )
    .action(async (object: string, ids: string[], options: WriteOptions) => {
      const { rest, workspace } = connect(options)
      const { body } = await rest.call(records.restore, {
        workspace,
        object,
        body: { items: ids },
        ...(options.dryRun && { dry_run: true }),
      })
      if (options.json) return printJson(body)
      print(`${dryRunNote(options.dryRun)}${count(body.data.length, 'record')} restored.`)
    })

const merge = (): Command =>
  named('merge', 'Merge records into another record of the same object. You cannot undo this.')
    .argument('<target>', 'id of the record that stays; its values win', idArgument)
    .argument('<sources...>', 'ids of the records that are merged into it', idsArgument)
    .option('--dry-run', 'only check, and show the changes')
    .option('--json', 'print the changes as JSON, as the API returns a dry run')
    .addHelpText(
      'after',
      examples([
        'kontor records merge person 019b2f6e-7a00-7000-8000-000000000001 ' +
          '019b2f6e-7a00-7000-8000-000000000002 --dry-run',
        'show what merging the second into the first would change',
      ]),
    )
    .action(async (object: string, target: string, sources: string[], options: WriteOptions) => {
      const { rest, workspace } = connect(options)
      const body = { data: { type: object, attributes: { sources } } }
      const answer = (
        await rest.call(records.merge, {
          workspace,
          object,
          id: target,
          body,
          ...(options.dryRun && { dry_run: true }),
        })
      ).body
      if (options.json) return printJson(answer ?? { data: null })
      const changed =
        answer?.meta.diff?.map(({ path }) => path[0]).filter((name) => name?.startsWith('_') === false) ?? []
      print(
        `${dryRunNote(options.dryRun)}${count(sources.length, 'record')} merged into ` +
          `${target}${changed.length > 0 ? `, which changes ${changed.join(', ')}` : ''}.`,
      )
    })

/** The commands that restore and merge records. */
export const recoveryCommands = (): Command[] => [deleted(), restore(), merge()]
