import { Command, Option } from 'commander'
import { administer } from '../administration.ts'
import { databaseHelp, examples } from '../help.ts'
import { print, printJson } from '../output.ts'
import { readSecret } from '../secret.ts'

type AddOptions = {
  readonly workspace: string
  readonly email: string
  readonly role: 'admin' | 'member' | 'viewer'
  readonly name?: string
  /** True: given without a value. */
  readonly password?: string | true
  readonly json?: true
}

const add = (): Command =>
  new Command('add')
    .description('Add a person to a workspace; somebody from another workspace becomes a member of both.')
    .requiredOption('--workspace <slug>', 'workspace')
    .requiredOption('--email <address>', 'e-mail address of the person')
    .addOption(new Option('--role <role>', 'what they may do').choices(['admin', 'member', 'viewer']).makeOptionMandatory())
    .option('--name <name>', 'their name')
    .option('--password [password]', 'what they sign in with, at least 12 characters; without a value it is asked for, or read from stdin')
    .option('--json', 'print {user: {id, email, role}} as JSON')
    .addHelpText('after', databaseHelp)
    .addHelpText('after', examples(['kontor user add --workspace acme --email b@example.com --role member', 'a colleague']))
    .action(async ({ json, password, ...given }: AddOptions) => {
      const secret = password === true ? await readSecret('Password: ') : password
      const user = await administer((admin) => admin.addUser({ ...given, ...(secret !== undefined && { password: secret }) }))
      if (json) printJson({ user })
      else print(`Added ${user.email} to "${given.workspace}" as ${user.role}.`)
    })

const passwordLink = (): Command =>
  new Command('password-link')
    .description('Make a link with which a person sets their password. It works once, for an hour.')
    .requiredOption('--email <address>', 'e-mail address of the person')
    .option('--json', 'print {url} as JSON')
    .addHelpText('after', databaseHelp)
    .addHelpText('after', examples(['kontor user password-link --email a@example.com', 'for the first admin, or for somebody who is locked out']))
    .action(async ({ email, json }: { readonly email: string; readonly json?: true }) => {
      const link = await administer((admin) => admin.passwordLink(email))
      if (json) printJson(link)
      else print(link.url)
    })

export const userCommand = (): Command => new Command('user').description('Add people to workspaces, and let them in.').addCommand(add()).addCommand(passwordLink())
