import { Command } from 'commander'
import { connect, withConnection, type ConnectionOptions } from '../connection.ts'
import { exportToFile } from '../exports/download.ts'
import { databaseHelp, examples } from '../help.ts'
import { count, print, printData, say } from '../output.ts'
import { pathToRead, startedInOption, type StartedIn } from '../started-in.ts'

type ExportOptions = ConnectionOptions & StartedIn & { readonly output?: string; readonly json?: true }

/** The command that saves a bundle of a workspace. */
export const exportWorkspaceCommand = (): Command =>
  withConnection(new Command('export'))
    .description('Save a whole workspace as one file, a bundle: schemas, records, links, files and everything else.')
    .option('--output <file>', 'name of the file; by default the slug and the day')
    .addOption(startedInOption())
    .option('--json', 'print {data: {path, export}} as JSON')
    .addHelpText(
      'after',
      '\nOnly admins may, with a key without scopes. Secrets, passwords and keys are not part of a bundle.\n',
    )
    .addHelpText('after', examples(['kontor workspace export --output acme.zip', 'save everything']))
    .action(async ({ json, ...options }: ExportOptions) => {
      const { path, attributes } = await exportToFile(connect(options), { kind: 'workspace' }, options)
      if (json) return printData({ path, export: attributes })
      print(`Saved ${path}: ${count(attributes.rows_done, 'row')}, ${count(attributes.size_bytes ?? 0, 'byte')}.`)
    })

type RestoreOptions = StartedIn & { readonly slug?: string; readonly newIds?: true; readonly json?: true }

/** The command that restores a bundle. */
export const restoreWorkspaceCommand = (): Command =>
  new Command('restore')
    .description('Restore a bundle as a new workspace, into either database.')
    .argument('<file>', 'the bundle')
    .option('--slug <slug>', 'name of the workspace in URLs; by default that of the bundle')
    .option('--new-ids', 'give everything a new id, to restore a copy beside the original')
    .addOption(startedInOption())
    .option('--json', 'print {data: {id, slug, rows, files}} as JSON')
    .addHelpText(
      'after',
      '\nThe bundle is checked completely before anything is written. Members keep their roles; ' +
        'accounts are found by\n' +
        'their e-mail addresses. Workflows and webhooks are disabled, and webhooks have new secrets. After an\n' +
        'interruption, run the command again: it starts from the beginning.\n',
    )
    .addHelpText('after', databaseHelp)
    .addHelpText(
      'after',
      examples(
        ['kontor workspace restore acme.zip', 'restore it under its own name'],
        ['kontor workspace restore acme.zip --slug acme-copy --new-ids', 'a copy in the same database'],
        ['DATABASE_URL=postgres://localhost/kontor kontor workspace restore acme.zip', 'move it to Postgres'],
      ),
    )
    .action(async (file: string, { json, startedIn, ...options }: RestoreOptions) => {
      // Loaded here: --help needs no database driver.
      const { readConfig, restoreConfigured } = await import('@kontor/server/admin')
      const restored = await restoreConfigured(readConfig(), pathToRead(file, { startedIn }), {
        ...options,
        onStep: (step) => void say(`${step} …`),
      })
      if (json) return printData(restored)
      const rows = Object.values(restored.rows).reduce((sum, some) => sum + some, 0)
      print(`Restored the workspace "${restored.slug}": ${count(rows, 'row')}, ${count(restored.files, 'file')}.`)
    })
