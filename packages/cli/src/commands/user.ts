import { Command, Option } from 'commander'
import { administer } from '../administration.ts'
import { databaseHelp, examples } from '../help.ts'
import { print, printJson } from '../output.ts'

type Options = { readonly workspace: string; readonly email: string; readonly role: 'admin' | 'member' | 'viewer'; readonly name?: string; readonly json?: true }

const add = (): Command =>
  new Command('add')
    .description('Add a person to a workspace; somebody from another workspace becomes a member of both.')
    .requiredOption('--workspace <slug>', 'workspace')
    .requiredOption('--email <address>', 'e-mail address of the person')
    .addOption(new Option('--role <role>', 'what they may do').choices(['admin', 'member', 'viewer']).makeOptionMandatory())
    .option('--name <name>', 'their name')
    .option('--json', 'print {user: {id, email, role}} as JSON')
    .addHelpText('after', databaseHelp)
    .addHelpText('after', examples(['kontor user add --workspace acme --email b@example.com --role member', 'a colleague']))
    .action(async ({ json, ...given }: Options) => {
      const user = await administer((admin) => admin.addUser(given))
      if (json) printJson({ user })
      else print(`Added ${user.email} to "${given.workspace}" as ${user.role}.`)
    })

export const userCommand = (): Command => new Command('user').description('Add people to workspaces.').addCommand(add())
