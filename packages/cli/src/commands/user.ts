import { Command, Option } from 'commander'
import { administer } from '../administration.ts'
import { databaseHelp, examples } from '../help.ts'
import { workspaceOption } from '../connection.ts'
import { print, printData, printTable } from '../output.ts'
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
    .description('Add a person to a workspace; a person from another workspace becomes a member of both.')
    .addOption(workspaceOption())
    .requiredOption('--email <address>', 'e-mail address of the person')
    .addOption(new Option('--role <role>', 'their role').choices(['admin', 'member', 'viewer']).makeOptionMandatory())
    .option('--name <name>', 'their name')
    .option(
      '--password [password]',
      'password, at least 12 characters; without a value it is read from the terminal or stdin',
    )
    .option('--json', 'print {data: {id, email, role}} as JSON')
    .addHelpText('after', databaseHelp)
    .addHelpText(
      'after',
      examples(['kontor user add --workspace acme --email b@example.com --role member', 'a colleague']),
    )
    .action(async ({ json, password, ...given }: AddOptions) => {
      const secret = password === true ? await readSecret('Password: ') : password
      const user = await administer((admin) =>
        admin.addUser({ ...given, ...(secret !== undefined && { password: secret }) }),
      )
      if (json) printData(user)
      else print(`Added ${user.email} to "${given.workspace}" as ${user.role}.`)
    })

const passwordLink = (): Command =>
  new Command('password-link')
    .description('Create a link that lets a person set their password. It works once, for an hour.')
    .requiredOption('--email <address>', 'e-mail address of the person')
    .option('--json', 'print {data: {url}} as JSON')
    .addHelpText('after', databaseHelp)
    .addHelpText(
      'after',
      examples([
        'kontor user password-link --email a@example.com',
        'for the first admin, or for a person who is locked out',
      ]),
    )
    .action(async ({ email, json }: { readonly email: string; readonly json?: true }) => {
      const link = await administer((admin) => admin.passwordLink(email))
      if (json) printData(link)
      else print(link.url)
    })

const secondFactorOff = (): Command =>
  new Command('second-factor-off')
    .description('Turn off the second factor of a person who has lost their device and their recovery codes.')
    .requiredOption('--email <address>', 'e-mail address of the person')
    .option('--json', 'print {data: {email}} as JSON')
    .addHelpText('after', databaseHelp)
    .addHelpText(
      'after',
      examples(['kontor user second-factor-off --email a@example.com', 'after checking their identity']),
    )
    .action(async ({ email, json }: { readonly email: string; readonly json?: true }) => {
      await administer((admin) => admin.removeSecondFactor(email))
      if (json) printData({ email })
      else print(`${email} signs in without a second factor now.`)
    })

const providerDisconnect = (): Command =>
  new Command('provider-disconnect')
    .description(
      'Disconnect a person from their accounts at sign-in providers, for example because their address has another ' +
        'owner now. The next sign-in there with their address connects them again.',
    )
    .requiredOption('--email <address>', 'e-mail address of the person')
    .option('--json', 'print {data: {email}} as JSON')
    .addHelpText('after', databaseHelp)
    .addHelpText(
      'after',
      examples(['kontor user provider-disconnect --email a@example.com', 'after checking who asks']),
    )
    .action(async ({ email, json }: { readonly email: string; readonly json?: true }) => {
      await administer((admin) => admin.disconnectProviders(email))
      if (json) printData({ email })
      else print(`${email} is connected to no sign-in provider now.`)
    })

const list = (): Command =>
  new Command('list')
    .description('List the members of a workspace.')
    .addOption(workspaceOption())
    .option('--json', 'print {data: [{id, email, name, role, last_active_at}]} as JSON')
    .addHelpText('after', databaseHelp)
    .addHelpText('after', examples(['kontor user list --workspace acme', 'all members and their roles']))
    .action(async ({ workspace, json }: { readonly workspace: string; readonly json?: true }) => {
      const users = await administer((admin) => admin.users(workspace))
      if (json) printData(users)
      else printTable(users, ['email', 'name', 'role', 'last_active_at', 'id'], 'member')
    })

const remove = (): Command =>
  new Command('remove')
    .description(
      'Remove a person from a workspace, with their keys and grants there. Everything they created ' +
        'stays, and so does their account.',
    )
    .addOption(workspaceOption())
    .requiredOption('--email <address>', 'e-mail address of the member')
    .option('--json', 'print {data: {email}} as JSON')
    .addHelpText('after', databaseHelp)
    .addHelpText(
      'after',
      examples(['kontor user remove --workspace acme --email b@example.com', 'a colleague who leaves']),
    )
    .action(
      async ({
        workspace,
        email,
        json,
      }: {
        readonly workspace: string
        readonly email: string
        readonly json?: true
      }) => {
        await administer((admin) => admin.removeUser({ workspace, email }))
        if (json) printData({ email })
        else print(`${email} is no longer a member of "${workspace}".`)
      },
    )

export const userCommand = (): Command =>
  new Command('user')
    .description('Add, list and remove people, and help them sign in.')
    .addCommand(add())
    .addCommand(list())
    .addCommand(remove())
    .addCommand(passwordLink())
    .addCommand(secondFactorOff())
    .addCommand(providerDisconnect())
