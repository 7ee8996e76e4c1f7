import { Command, InvalidArgumentError, Option } from 'commander'
import { scopePattern, scopes as known } from '@kontor/contract'
import { administer } from '../administration.ts'
import { databaseHelp, examples } from '../help.ts'
import { print, printJson, say } from '../output.ts'

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
    .description('Make an API key in the name of a member. Only admins make workspace keys.')
    .requiredOption('--workspace <slug>', 'workspace')
    .requiredOption('--email <address>', 'e-mail address of the member')
    .addOption(new Option('--kind <kind>', 'personal: acts as the member; workspace: acts as the workspace').choices(['personal', 'workspace']).makeOptionMandatory())
    .option('--scopes <list>', 'what the key may do, with commas; by default all that its actor may', scopeList)
    .option('--name <name>', 'a name to know it by', 'Command line')
    .option('--json', 'print {data: {type, id, attributes}} as JSON, as the API answers; without it the key alone')
    .addHelpText('after', `\nScopes:\n  ${known.join(' ')}\n  and records:read:<object>, records:write:<object>, records:delete:<object>\n`)
    .addHelpText('after', databaseHelp)
    .addHelpText(
      'after',
      examples(
        ['export KONTOR_API_KEY=$(kontor key create --workspace acme --email a@example.com --kind personal)', 'a key for the commands that speak to the API'],
        ['kontor key create --workspace acme --email a@example.com --kind workspace --scopes records:read --json', 'a key that only reads'],
      ),
    )
    .action(async ({ json, scopes = [], ...request }: Options) => {
      const key = await administer((admin) => admin.createKey({ ...request, scopes }))
      if (json) return printJson(key)
      print(key.data.attributes.cleartext_api_key)
      say('Keep this key: it is shown this once. Send it as "Authorization: api-key …".')
    })

function scopeList(text: string): string[] {
  const scopes = text.split(',').map((scope) => scope.trim()).filter((scope) => scope !== '')
  const wrong = scopes.filter((scope) => !scopePattern.test(scope))
  if (wrong.length > 0) throw new InvalidArgumentError(`No scope: ${wrong.join(', ')}. "kontor key create --help" lists them.`)
  return scopes
}

export const keyCommand = (): Command => new Command('key').description('Make API keys.').addCommand(create())
