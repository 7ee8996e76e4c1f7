import { Command } from 'commander'
import { connect, withConnection, type ConnectionOptions } from '../connection.ts'
import { CommandFailed, Differs, UsageError } from '../errors.ts'
import { examples } from '../help.ts'
import { count, printData, say } from '../output.ts'
import { applyFolder } from '../schema/apply.ts'
import { readFolder, writeFolder } from '../schema/folder.ts'
import { planFolder, type FolderPlan } from '../schema/plan.ts'
import { printPlan } from '../schema/print.ts'
import { listDocuments } from '../schema/workspace.ts'

type Options = ConnectionOptions & { readonly dir: string }
type PullOptions = Options & { readonly json?: true }
type PlanOptions = PullOptions & { readonly prune?: true }
type ApplyOptions = PlanOptions & { readonly allowLoss?: true }

const help = `
The folder has a file for each object: objects/person.yaml, objects/c_project.yaml. A file has the keywords of the
schema of its object, without $id. To rename a field, rename it in the file and add "xSvcPrevName" with its old
name. Objects without a file are kept; --prune deletes them.
`

const exitCodes = `
Exit codes: 0 if nothing differs, 2 if something differs, 1 for an error, including a wrong command line.
`

const command = (name: string, description: string): Command =>
  withConnection(new Command(name)).description(description).option('--dir <folder>', 'folder of the files', 'schema')

const pull = (): Command =>
  command('pull', 'Write the objects of a workspace as files.')
    .option('--json', 'print {data: [the path of each file]} as JSON')
    .addHelpText('after', help)
    .addHelpText('after', examples(['kontor schema pull --workspace acme --dir schema', 'write the files']))
    .action(async ({ dir, json, ...connection }: PullOptions) => {
      const paths = await writeFolder(dir, await listDocuments(connect(connection)))
      if (json) printData(paths)
      say(`Wrote ${count(paths.length, 'file')} to ${dir}.`)
    })

const planJson = 'print {data: {objects: [{object, action, changes, lost, violations, breaks}], kept}} as JSON'

const plan = (): Command =>
  command('plan', 'Show what "apply" would change, lose and break. Writes nothing.')
    .option('--prune', 'plan to delete objects that have no file')
    .option('--json', planJson)
    .addHelpText('after', help)
    .addHelpText('after', exitCodes)
    .addHelpText('after', examples(['kontor schema plan --workspace acme', 'check whether a workspace differs']))
    .action(async ({ dir, prune, json, ...connection }: PlanOptions) => {
      const planned = await planFolder(connectedBy(connection), await readFolder(dir), { prune })
      if (json) printData(planned)
      else printPlan(planned)
      if (planned.objects.length > 0) throw new Differs(`${count(planned.objects.length, 'object')} to change.`)
    })

const apply = (): Command =>
  command('apply', 'Change a workspace so that it matches the files. If nothing differs, it does nothing.')
    .option('--prune', 'delete objects that have no file, with their records')
    .option('--allow-loss', 'also apply changes that lose values or break lists and workflows')
    .option('--json', planJson)
    .addHelpText('after', help)
    .addHelpText('after', '\nRun it again after an interruption: it continues with the remaining differences.\n')
    .addHelpText('after', examples(['kontor schema apply --workspace acme', 'create, change and rename']))
    .action(async ({ dir, prune, json, allowLoss, ...connection }: ApplyOptions) => {
      const connected = connectedBy(connection)
      const files = await readFolder(dir)
      const planned = await planFolder(connected, files, { prune })
      if (json) printData(planned)
      else printPlan(planned)
      if (planned.objects.length === 0) return
      if (allowLoss !== true) refuseLoss(planned)
      await applyFolder(connected, files, planned, { prune })
    })

/** Refuses what cannot be taken back: nobody has said that it is meant. */
function refuseLoss({ objects }: FolderPlan): void {
  const losing = objects.filter(({ lost, breaks }) => lost.length + breaks.lists.length + breaks.workflows.length > 0)
  if (losing.length === 0) return
  throw new CommandFailed(
    `Nothing was changed: ${losing.map(({ object }) => object).join(', ')} would lose values, or break lists or ` +
      'workflows. Add --allow-loss to do this.',
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
    .description('Keep the objects of a workspace as files: pull, plan and apply.')
    .addCommand(pull())
    .addCommand(plan())
    .addCommand(apply())
