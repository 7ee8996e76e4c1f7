import { Command } from 'commander'
import { administer } from '../administration.ts'
import { databaseHelp, examples } from '../help.ts'
import { indexInWords } from '../index-in-words.ts'
import { count, print, printData } from '../output.ts'

const list = (): Command =>
  new Command('list')
    .description('Show the indexes that were built on demand, how far the others are, and when each was last used.')
    .option(
      '--json',
      'print {data: [{workspace, object, field, kind, state, filled, total, requested_at, ready_at, last_used_at}]} ' +
        'as JSON',
    )
    .addHelpText('after', databaseHelp)
    .addHelpText('after', examples(['kontor indexes list', 'see how far an index is']))
    .action(async ({ json }: { readonly json?: true }) => {
      const indexes = await administer((admin) => admin.indexes())
      if (json) printData(indexes)
      else if (indexes.length === 0)
        print('There are none. Large objects get them when a list filters or sorts by a field.')
      else for (const index of indexes) print(indexInWords(index))
    })

type Options = { readonly workspace: string; readonly contains?: true; readonly json?: true }

const build = (): Command =>
  new Command('build')
    .description(
      'Build the indexes of fields now, before anybody filters or sorts by them. A running server or worker does it, ' +
        'and leaves half of the time to others while they are at work.',
    )
    .argument('<object>', 'name of the object, for example person')
    .argument('<fields...>', 'names of its fields')
    .requiredOption('--workspace <slug>', 'slug of the workspace')
    .option('--contains', 'for filters by a part of a text, instead of filters by values and for sorting')
    .option('--json', 'print {data: [{object, field, kind}]} as JSON, of those that are new')
    .addHelpText('after', databaseHelp)
    .addHelpText(
      'after',
      examples(
        ['kontor indexes build person job_title score --workspace acme', 'before millions of records are imported'],
        [
          'kontor indexes build person job_title --contains --workspace acme',
          'for filters like job_title contains "eng"',
        ],
      ),
    )
    .action(async (object: string, fields: string[], { workspace, contains, json }: Options) => {
      const added = await administer((admin) =>
        admin.buildIndexes({ workspace, object, fields, forParts: contains === true }),
      )
      if (json) return printData(added)
      for (const { field, kind } of added) print(`${workspace}: ${object}.${field} (${kind})`)
      print(
        added.length === 0
          ? 'All of them are there or being built: see "kontor indexes list".'
          : `${count(added.length, 'index is', 'indexes are')} being built: see "kontor indexes list".`,
      )
    })

export const indexesCommand = (): Command =>
  new Command('indexes')
    .description('List the indexes of fields that filters and sorted lists use, and build more.')
    .addCommand(list())
    .addCommand(build())
