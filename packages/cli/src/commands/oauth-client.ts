import { Command, Option } from 'commander'
import { administer } from '../administration.ts'
import { databaseHelp, examples } from '../help.ts'
import { UsageError } from '../errors.ts'
import { print, printData, say } from '../output.ts'

type Create = {
  readonly name: string
  readonly redirectUri: readonly string[]
  readonly public?: true
  readonly confidential?: true
  readonly scopes?: readonly string[]
  readonly json?: true
}

const keepSecret = 'Store the secret: it is shown only once.'

/** Takes one word of the option: a scope, or several with commas between. */
export function scopesOf(word: string, before: readonly string[] = []): readonly string[] {
  const scopes = word.split(/[\s,]+/).filter((scope) => scope !== '')
  if (scopes.length === 0) throw new UsageError('--scopes names no scope. To only sign people in: --scopes openid.')
  return [...before, ...scopes]
}

const create = (): Command =>
  new Command('create')
    .description('Register an app that can request access from people (OAuth 2.0).')
    .requiredOption('--name <name>', 'name of the app, which people see')
    .requiredOption('--redirect-uri <uri...>', 'redirect URI: https, or http on the same device; it must match exactly')
    .addOption(
      new Option('--public', 'the app runs in a browser or on a device, has no secret and uses PKCE').conflicts(
        'confidential',
      ),
    )
    .option('--confidential', 'the app runs on a server and has a secret')
    .option(
      '--scopes <scope...>',
      'scopes that it can request, separated by spaces or commas; by default everything but members:write, ' +
        'keys:write and ' +
        'workspaces:write, only "openid" to sign people in',
      scopesOf,
    )
    .option('--json', 'print {data: {client_id, client_secret?}} as JSON')
    .addHelpText('after', databaseHelp)
    .addHelpText(
      'after',
      examples(
        [
          'kontor oauth-client create --name "Mail Merge" --redirect-uri https://mail.example.com/callback ' +
            '--confidential',
          'an app on a server',
        ],
        [
          'kontor oauth-client create --name "Board" --redirect-uri https://board.example.com/callback ' +
            '--confidential --scopes records:read lists:read',
          'one that only reads',
        ],
        [
          'kontor oauth-client create --name "Desk" --redirect-uri http://127.0.0.1/callback --public',
          'an app on a device, on any port',
        ],
      ),
    )
    .action(async ({ json, name, redirectUri, public: isPublic, confidential, scopes }: Create) => {
      if (isPublic === confidential) throw new UsageError('Choose the type of the app: --public or --confidential.')
      const client = await administer((admin) =>
        admin.createOAuthClient({
          name,
          redirectUris: redirectUri,
          type: isPublic ? 'public' : 'confidential',
          scopes,
        }),
      )
      if (json) return printData(client)
      print(`client_id      ${client.client_id}`)
      if (client.client_secret === undefined) return
      print(`client_secret  ${client.client_secret}`)
      say(keepSecret)
    })

const list = (): Command =>
  new Command('list')
    .description('List the registered apps.')
    .option('--json', 'print {data: [{client_id, name, type, redirect_uris, created_at}]} as JSON')
    .addHelpText('after', databaseHelp)
    .addHelpText('after', examples(['kontor oauth-client list', 'find the client_id of an app']))
    .action(async ({ json }: { json?: true }) => {
      const clients = await administer((admin) => admin.oauthClients())
      if (json) return printData(clients)
      for (const { client_id, name, type, redirect_uris } of clients)
        print(`${client_id}  ${type.padEnd(12)}  ${name}  ${redirect_uris.join(' ')}`)
    })

const remove = (): Command =>
  new Command('remove')
    .description('Remove an app. It loses its access.')
    .argument('<client-id>', 'its client_id')
    .option('--json', 'print {data: {client_id}} as JSON')
    .addHelpText('after', databaseHelp)
    .addHelpText('after', examples(['kontor oauth-client remove 019b…', 'end the access of an app']))
    .action(async (clientId: string, { json }: { readonly json?: true }) => {
      await administer((admin) => admin.removeOAuthClient(clientId))
      if (json) printData({ client_id: clientId })
      else print(`Removed ${clientId}.`)
    })

const rotateSecret = (): Command =>
  new Command('rotate-secret')
    .description('Create a new secret for an app. The old one stops working.')
    .argument('<client-id>', 'its client_id')
    .option('--json', 'print {data: {client_id, client_secret}} as JSON; without it only the secret')
    .addHelpText('after', databaseHelp)
    .addHelpText('after', examples(['kontor oauth-client rotate-secret 019b…', 'replace a secret that has leaked']))
    .action(async (clientId: string, { json }: { json?: true }) => {
      const client = await administer((admin) => admin.rotateOAuthClientSecret(clientId))
      if (json) return printData(client)
      print(client.client_secret ?? '')
      say(keepSecret)
    })

export const oauthClientCommand = (): Command =>
  new Command('oauth-client')
    .description('Register third-party apps.')
    .addCommand(create())
    .addCommand(list())
    .addCommand(remove())
    .addCommand(rotateSecret())
