import { Command, InvalidArgumentError, Option } from 'commander'
import { keyScopePattern, scopes as known } from '@kontor/contract'
import { administer } from '../administration.ts'
import { databaseHelp, examples } from '../help.ts'
import { workspaceOption } from '../connection.ts'
import { print, printData, printJson, printTable, say } from '../output.ts'

type Options = {
  readonly workspace: string
  readonly email: string
  readonly kind: 'personal' | 'workspace'
  readonly scopes?: readonly string[]
  readonly name: string
  readonly json?: true
}

const create = (): Command =>
  new Command('create')
    .description('Create an API key for a member. Only admins can have workspace keys created.')
    .addOption(workspaceOption())
    .requiredOption('--email <address>', 'e-mail address of the member')
    .addOption(
      new Option('--kind <kind>', 'personal: acts as the member; workspace: acts as the workspace')
        .choices(['personal', 'workspace'])
        .makeOptionMandatory(),
    )
    .option(
      '--scopes <list>',
      'scopes of the key, separated by commas; by default everything that its actor may do',
      scopeList,
    )
    .option('--name <name>', 'name of the key', 'Command line')
    .option('--json', 'print {data: {type, id, attributes}} as JSON, as the API returns it; without it only the key')
    .addHelpText(
      'after',
      `\nScopes:\n  ${known.join(' ')}\n  and records:read:<object>, records:write:<object>, ` +
        'records:delete:<object>,\n  deliveries:read:<webhook>, deliveries:write:<webhook>\n',
    )
    .addHelpText('after', databaseHelp)
    .addHelpText(
      'after',
      examples(
        [
          'export KONTOR_API_KEY=$(kontor key create --workspace acme --email a@example.com --kind personal)',
          'a key for the commands that call the API',
        ],
        [
          'kontor key create --workspace acme --email a@example.com --kind workspace --scopes records:read --json',
          'a key that only reads',
        ],
      ),
    )
    .action(async ({ json, scopes = [], ...request }: Options) => {
      const key = await administer((admin) => admin.createKey({ ...request, scopes }))
      if (json) return printJson(key)
      print(key.data.attributes.cleartext_api_key)
      say('Store this key: it is shown only once. Send it as "Authorization: api-key …".')
    })

function scopeList(text: string): string[] {
  const scopes = text
    .split(',')
    .map((scope) => scope.trim())
    .filter((scope) => scope !== '')
  const wrong = scopes.filter((scope) => !keyScopePattern.test(scope))
  if (wrong.length > 0)
    throw new InvalidArgumentError(`No scope: ${wrong.join(', ')}. "kontor key create --help" lists them.`)
  return scopes
}

const list = (): Command =>
  new Command('list')
    .description(
      'List the API keys of a workspace, personal keys included. Secrets are not stored, so they are not shown.',
    )
    .addOption(workspaceOption())
    .option('--json', 'print {data: [{id, key_prefix, name, kind, email, scopes, expires_at, last_used_at}]} as JSON')
    .addHelpText('after', databaseHelp)
    .addHelpText('after', examples(['kontor key list --workspace acme', 'all keys, their owners and their last use']))
    .action(async ({ workspace, json }: { readonly workspace: string; readonly json?: true }) => {
      const keys = await administer((admin) => admin.keys(workspace))
      if (json) printData(keys)
      else printTable(keys, ['id', 'key_prefix', 'kind', 'name', 'email', 'last_used_at', 'expires_at'], 'key')
    })

const revoke = (): Command =>
  new Command('revoke')
    .description('Revoke an API key. Running servers reject it within five seconds.')
    .argument('<id>', 'its id, as "kontor key list" shows it')
    .addOption(workspaceOption())
    .option('--json', 'print {data: {id}} as JSON')
    .addHelpText('after', databaseHelp)
    .addHelpText(
      'after',
      examples(['kontor key revoke 019b2f6e-7a00-7000-8000-000000000001 --workspace acme', 'a key that has leaked']),
    )
    .action(async (id: string, { workspace, json }: { readonly workspace: string; readonly json?: true }) => {
      await administer((admin) => admin.revokeKey({ workspace, id }))
      if (json) printData({ id })
      else print(`Revoked the key ${id}.`)
    })

export const keyCommand = (): Command =>
  new Command('key')
    .description('Create, list and revoke API keys.')
    .addCommand(create())
    .addCommand(list())
    .addCommand(revoke())
