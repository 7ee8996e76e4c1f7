import { Command } from 'commander'
import { administer } from '../administration.ts'
import { databaseHelp, examples } from '../help.ts'
import { print, printData, printTable, say } from '../output.ts'
import { exportWorkspaceCommand, restoreWorkspaceCommand } from './workspace-bundle.ts'

type Options = {
  readonly slug: string
  readonly name: string
  readonly adminEmail: string
  readonly adminName?: string
  readonly json?: true
}

const create = (): Command =>
  new Command('create')
    .description('Create a workspace with the built-in objects and its first admin.')
    .requiredOption('--slug <slug>', 'permanent name in URLs: a-z, digits and hyphens')
    .requiredOption('--name <name>', 'name that people see')
    .requiredOption('--admin-email <address>', 'e-mail address of the first admin, who may be an existing user')
    .option('--admin-name <name>', 'name of the admin')
    .option('--json', 'print {data: {workspace: {id, slug, name}, user: {id, email}}} as JSON')
    .addHelpText('after', databaseHelp)
    .addHelpText(
      'after',
      examples([
        'kontor workspace create --slug acme --name Acme --admin-email a@example.com --json',
        'a first workspace',
      ]),
    )
    .action(async ({ slug, name, adminEmail, adminName, json }: Options) => {
      const { workspace, user } = await administer((admin) =>
        admin.createWorkspace({ slug, name, adminEmail, ...(adminName !== undefined && { adminName }) }),
      )
      if (json) return printData({ workspace, user: { id: user.id, email: user.email } })
      print(`Created the workspace "${workspace.slug}" with the admin ${user.email}.`)
      say(`Next: kontor key create --workspace ${workspace.slug} --email ${user.email} --kind personal`)
    })

const list = (): Command =>
  new Command('list')
    .description('List the workspaces of this database.')
    .option('--json', 'print {data: [{id, slug, name, members, created_at}]} as JSON')
    .addHelpText('after', databaseHelp)
    .addHelpText('after', examples(['kontor workspace list', 'slugs, names and numbers of members']))
    .action(async ({ json }: { readonly json?: true }) => {
      const workspaces = await administer((admin) => admin.workspaces())
      if (json) printData(workspaces)
      else printTable(workspaces, ['slug', 'name', 'members', 'created_at'], 'workspace')
    })

export const workspaceCommand = (): Command =>
  new Command('workspace')
    .description('Create, list, export and restore workspaces.')
    .addCommand(create())
    .addCommand(list())
    .addCommand(exportWorkspaceCommand())
    .addCommand(restoreWorkspaceCommand())
