import { Command, InvalidArgumentError, Option } from 'commander'
import { connect, withConnection, type ConnectionOptions } from '../connection.ts'
import { CommandFailed, Differs, UsageError } from '../errors.ts'
import { examples } from '../help.ts'
import { count, printData, say } from '../output.ts'
import { folderParts, readFolder, writeFolder, type Only } from '../schema/folder.ts'
import { printPlan } from '../schema/print.ts'
import { applyFolder, lossesIn, namesIn, planFolder, type FolderPlan } from '../schema/whole.ts'

type Options = ConnectionOptions & { readonly dir: string; readonly only?: Only }
type PullOptions = Options & { readonly json?: true }
type PlanOptions = PullOptions & { readonly prune?: true }
type ApplyOptions = PlanOptions & { readonly allowLoss?: true; readonly showSecrets?: true }

const help = `
The folder has a file for each object (objects/person.yaml), list, webhook, workflow and layout, and settings.yaml.
A part without files stays as it is: without a folder "lists", no list changes.
- An object has the keywords of its schema, without $id. To rename a field, rename it in the file and add
  "xSvcPrevName" with its old name. To rename a list, a webhook or a workflow, add "renamed_from".
- \${list:person/Key people}, \${workflow:Welcome} and \${user:ada@acme.example} are names in the place
  of ids, which differ between workspaces. \${env:NAME} is the value of an environment variable, for secrets.
- Things without a file are kept; --prune deletes them.
`

const exitCodes = `
Exit codes: 0 if nothing differs, 2 if something differs, 1 for an error, including a wrong command line.
`

const command = (name: string, description: string): Command =>
  withConnection(new Command(name))
    .description(description)
    .option('--dir <folder>', 'folder of the files', 'schema')
    .addOption(new Option('--only <parts>', `limit to some parts: ${folderParts.join(', ')}`).argParser(partsOf))

function partsOf(text: string): string[] {
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !folderParts.includes(name))
  if (unknown !== undefined)
    throw new InvalidArgumentError(`"${unknown}" is no part. Use some of: ${folderParts.join(', ')}.`)
  return names
}

const pull = (): Command =>
  command('pull', 'Write the objects, lists, workflows, webhooks, settings and layouts of a workspace as files.')
    .option('--json', 'print {data: [the path of each file]} as JSON')
    .addHelpText('after', help)
    .addHelpText('after', examples(['kontor schema pull --workspace acme --dir schema', 'write the files']))
    .action(async ({ dir, only, json, ...connection }: PullOptions) => {
      const paths = await writeFolder(connect(connection), dir, only)
      if (json) printData(paths)
      say(`Wrote ${count(paths.length, 'file')} to ${dir}.`)
    })

const planJson =
  'print {data: {objects: [{object, action, changes, lost, violations, breaks}], items: [{part, name, action, ' +
  'changes}], kept}} as JSON'

const plan = (): Command =>
  command('plan', 'Show what "apply" would change, lose and break. Writes nothing.')
    .option('--prune', 'also plan to delete things without a file')
    .option('--json', planJson)
    .addHelpText('after', help)
    .addHelpText('after', exitCodes)
    .addHelpText('after', examples(['kontor schema plan --workspace acme', 'check whether a workspace differs']))
    .action(async ({ dir, only, prune, json, ...connection }: PlanOptions) => {
      const planned = await planFolder(connectedBy(connection), await readFolder(dir, only), { prune })
      if (json) printData(planned)
      else printPlan(planned)
      const { length } = namesIn(planned)
      if (length > 0) throw new Differs(`${count(length, 'difference')}.`)
    })

const apply = (): Command =>
  command('apply', 'Change a workspace so that it matches the files. If nothing differs, it does nothing.')
    .option('--prune', 'delete things without a file, objects with their records')
    .option('--allow-loss', 'also delete, and apply changes that lose values or break lists and workflows')
    .option('--show-secrets', 'print the secrets of webhooks that are created; they are shown only once')
    .option('--json', planJson)
    .addHelpText('after', help)
    .addHelpText('after', '\nRun it again after an interruption: it continues with the remaining differences.\n')
    .addHelpText('after', examples(['kontor schema apply --workspace acme', 'create, change and rename']))
    .action(async ({ dir, only, prune, json, allowLoss, showSecrets, ...connection }: ApplyOptions) => {
      const connected = connectedBy(connection)
      const folder = await readFolder(dir, only)
      const planned = await planFolder(connected, folder, { prune })
      if (json) printData(planned)
      else printPlan(planned)
      if (namesIn(planned).length === 0) return
      if (allowLoss !== true) refuseLoss(planned)
      await applyFolder(connected, folder, { plan: planned, prune, showsSecrets: showSecrets === true })
    })

/** Refuses what cannot be taken back: nobody has said that it is meant. */
function refuseLoss(planned: FolderPlan): void {
  const losing = lossesIn(planned)
  if (losing.length === 0) return
  throw new CommandFailed(
    `Nothing was changed: ${losing.join(', ')} would be deleted, lose values, or break lists or workflows. Add ` +
      '--allow-loss to do this.',
  )
}

/** The connection; what is missing is 1, since 2 says that something differs. */
function connectedBy(options: ConnectionOptions): ReturnType<typeof connect> {
  try {
    return connect(options)
  } catch (error) {
    throw error instanceof UsageError ? new CommandFailed(error.message) : error
  }
}

export const schemaCommand = (): Command =>
  new Command('schema')
    .description('Keep the objects, lists, workflows and settings of a workspace as files: pull, plan and apply.')
    .addCommand(pull())
    .addCommand(plan())
    .addCommand(apply())
