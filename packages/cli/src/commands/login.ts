import { setTimeout as sleep } from 'node:timers/promises'
import { Command, Option } from 'commander'
import { apiAddressOf, baseUrlOption } from '../connection.ts'
import { CommandFailed } from '../errors.ts'
import { examples } from '../help.ts'
import { print, printData, say } from '../output.ts'
import { beginLogin, pollLogin, type Login, type Polled } from '../login/device-flow.ts'
import { keepLogin, loginsOption } from '../login/login-file.ts'

type Options = {
  readonly clientId: string
  readonly baseUrl?: string
  readonly logins: string
  readonly scope?: string
  readonly print?: true
  readonly json?: true
}

const help = `
Shows an address and a code. Open the address on any device, enter the code, and confirm. From then on, commands
without a key or token act as you, until "kontor logout". A login also ends after 30 days without use, or when you
disconnect it on your account page. The app is registered once, by an operator:
  kontor oauth-client create --name "Command line" --public --redirect-uri http://127.0.0.1/callback
${examples(
  ['kontor login --client-id 019b…', 'let commands act as you'],
  ['kontor login --client-id 019b… --scope records:read', 'let them only read records'],
  ['export KONTOR_ACCESS_TOKEN=$(kontor login --client-id 019b… --print)', 'act as a person for an hour'],
)}`

export const loginCommand = (): Command =>
  new Command('login')
    .description('Sign in as a person, who confirms it in a browser on any device.')
    .addOption(
      new Option('--client-id <id>', 'client id of the app that is registered for the command line')
        .env('KONTOR_CLIENT_ID')
        .makeOptionMandatory(),
    )
    .addOption(baseUrlOption())
    .addOption(loginsOption())
    .option('--scope <scopes>', 'scopes, separated by spaces; by default all scopes of the app')
    .option('--print', 'print an access token for an hour, and store nothing')
    .option('--json', 'print {data: {access_token, expires_in}} as JSON, and store nothing')
    .addHelpText('after', help)
    .action(run)

async function run({ baseUrl, clientId, logins, scope, print: isPrinted, json }: Options): Promise<void> {
  const url = apiAddressOf(baseUrl)
  const isKept = !isPrinted && !json
  const asked = ['openid', ...(isKept ? ['offline_access'] : []), ...(scope === undefined ? [] : [scope])]
  const begun = await beginLogin(url, { clientId, scope: asked.join(' ') })
  say(`Open ${begun.verificationUri} and enter the code ${begun.userCode}`)
  const { login, expiresInSeconds } = await answered(begun)
  if (isKept) {
    keepLogin(logins, url, login)
    return void say(`Logged in at ${url}, until "kontor logout".`)
  }
  if (json) return printData({ access_token: login.accessToken, expires_in: expiresInSeconds })
  print(login.accessToken)
  say(`Valid for ${Math.round(expiresInSeconds / 60)} minutes.`)
}

/** Asks until the person has answered; throws unless they said yes. */
async function answered(begun: Login): Promise<Polled & { readonly state: 'done' }> {
  let seconds = begun.intervalSeconds
  for (;;) {
    await sleep(seconds * 1000)
    const polled = await pollLogin(begun)
    if (polled.state === 'done') return polled
    if (polled.state === 'refused') throw new CommandFailed(refusals[polled.error] ?? polled.detail)
    if (polled.state === 'slow_down') seconds += slowerSeconds
  }
}

/** RFC 8628 §3.5. */
const slowerSeconds = 5

const refusals: Readonly<Record<string, string>> = {
  access_denied: 'The person denied the request.',
  expired_token: 'The code has expired. Run the command again.',
}
