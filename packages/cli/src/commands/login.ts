import { setTimeout as sleep } from 'node:timers/promises'
import { Command, Option } from 'commander'
import { findRunningServer, readDataDir } from '@kontor/server/config'
import { apiAddress, usualAddress } from '../connection.ts'
import { CommandFailed } from '../errors.ts'
import { examples } from '../help.ts'
import { print, printJson, say } from '../output.ts'
import { beginLogin, pollLogin, type Polled } from '../login/device-flow.ts'

type Options = {
  readonly clientId: string
  readonly baseUrl?: string
  readonly scope: string
  readonly json?: true
}

const help = `
Shows an address and a code; open the address on any device, type the code, and say yes there. The app is registered
once, by an operator:
  kontor oauth-client create --name "Command line" --public --redirect-uri http://127.0.0.1/callback
${examples(
  ['export KONTOR_ACCESS_TOKEN=$(kontor login --client-id 019b…)', 'act as a person for the next hour'],
  ['kontor login --client-id 019b… --scope records:read', 'see records, and nothing else'],
)}`

export const loginCommand = (): Command =>
  new Command('login')
    .description('Get an access token of a person who lets this command line in, in a browser on any device.')
    .addOption(
      new Option('--client-id <id>', 'the app that this command line is registered as')
        .env('KONTOR_CLIENT_ID')
        .makeOptionMandatory(),
    )
    .addOption(
      new Option(
        '--base-url <url>',
        `address of the API; by default of the server on DATA_DIR, or ${usualAddress}`,
      ).env('KONTOR_BASE_URL'),
    )
    .option('--scope <scopes>', 'what it may do, with spaces; by default all that the app may', 'openid')
    .option('--json', 'print {access_token, expires_in} as JSON; without it the token alone')
    .addHelpText('after', help)
    .action(run)

async function run({ baseUrl, clientId, scope, json }: Options): Promise<void> {
  const url = apiAddress(baseUrl ?? findRunningServer(readDataDir())?.base_url ?? usualAddress)
  const login = await beginLogin(url, { clientId, scope })
  say(`Open ${login.verificationUri} and type the code ${login.userCode}`)
  let seconds = login.intervalSeconds
  let polled: Polled
  do {
    await sleep(seconds * 1000)
    polled = await pollLogin(login)
    if (polled.state === 'slow_down') seconds += slowerSeconds
  } while (polled.state !== 'done' && polled.state !== 'refused')
  if (polled.state === 'refused') throw new CommandFailed(refusals[polled.error] ?? polled.detail)
  const { accessToken, expiresInSeconds } = polled
  if (json) return printJson({ access_token: accessToken, expires_in: expiresInSeconds })
  print(accessToken)
  say(`Valid for ${Math.round(expiresInSeconds / 60)} minutes.`)
}

/** RFC 8628 §3.5. */
const slowerSeconds = 5

const refusals: Readonly<Record<string, string>> = {
  access_denied: 'The person did not allow it.',
  expired_token: 'The code has expired before a person typed it. Begin again.',
}
