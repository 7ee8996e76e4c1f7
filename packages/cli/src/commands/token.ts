import { Command } from 'commander'
import { administer } from '../administration.ts'
import { databaseHelp, examples } from '../help.ts'
import { print, printData, say } from '../output.ts'

export const tokenCommand = (): Command =>
  new Command('token')
    .description('Create an access token that acts as a person for one hour.')
    .requiredOption('--email <address>', 'e-mail address of the person')
    .option('--json', 'print {data: {access_token, expires_in}} as JSON; without it only the token')
    .addHelpText('after', databaseHelp)
    .addHelpText(
      'after',
      examples([
        `curl -H "Authorization: Bearer $(kontor token --email a@example.com)" http://127.0.0.1:4000/v1/workspaces`,
        'call the API as this person',
      ]),
    )
    .action(async ({ email, json }: { email: string; json?: true }) => {
      const token = await administer((admin) => admin.token(email))
      if (json) return printData(token)
      print(token.access_token)
      say(`Valid for ${Math.round(token.expires_in / 60)} minutes. Send it as "Authorization: Bearer …".`)
    })
