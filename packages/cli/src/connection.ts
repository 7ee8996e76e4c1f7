import { Option, type Command } from 'commander'
import { createRestClient, type RestClient } from '@kontor/client'
import { findRunningServer, readDataDir } from '@kontor/server/config'
import { UsageError } from './errors.ts'
import { keptToken } from './login/kept-token.ts'
import { loginsOption } from './login/login-file.ts'

export type ConnectionOptions = {
  readonly logins: string
  readonly baseUrl?: string
  readonly apiKey?: string
  readonly accessToken?: string
  readonly workspace?: string
}

/** Where `npm start` serves by default. */
const usualAddress = 'http://127.0.0.1:4000/v1'

export const baseUrlOption = (): Option =>
  new Option(
    '--base-url <url>',
    `address of the API; by default of the server that runs on DATA_DIR, or else ${usualAddress}`,
  ).env('KONTOR_BASE_URL')

/** The workspace of a command that cannot do without; the environment names it as well. */
export const workspaceOption = (): Option =>
  new Option('--workspace <slug>', 'workspace').env('KONTOR_WORKSPACE').makeOptionMandatory()

/** Gives a command the options that say where the API is and who calls. */
export const withConnection = (command: Command): Command =>
  command
    .addOption(baseUrlOption())
    .addOption(new Option('--api-key <key>', 'API key').env('KONTOR_API_KEY'))
    .addOption(
      new Option('--access-token <token>', 'access token of a user, instead of a key').env('KONTOR_ACCESS_TOKEN'),
    )
    .addOption(loginsOption())
    .addOption(new Option('--workspace <slug>', 'workspace').env('KONTOR_WORKSPACE'))

export type Connected = { readonly rest: RestClient; readonly workspace: string }

/** The API, as these options reach it. Throws UsageError for what is missing. */
export function connect({ baseUrl, apiKey, accessToken, logins, workspace }: ConnectionOptions): Connected {
  const url = apiAddressOf(baseUrl)
  const token = apiKey ? undefined : accessToken || keptToken(logins, url)
  const credential = apiKey ? { apiKey } : token && { accessToken: token }
  if (!credential) {
    throw new UsageError(
      'An API key is missing: use --api-key, or set KONTOR_API_KEY. "npm start" prints one, "kontor key ' +
        'create" creates one; with "kontor login" you need none.',
    )
  }
  if (!workspace)
    throw new UsageError(
      'The workspace is missing: use --workspace, or set KONTOR_WORKSPACE ("npm start" creates "acme").',
    )
  // A command says that it waits, or fails at once.
  return { rest: createRestClient({ url, retries: 0, ...credential }), workspace }
}

/** The address of the API that an option names, or by default that of the server here. */
export const apiAddressOf = (baseUrl: string | undefined): string =>
  apiAddress(baseUrl ?? findRunningServer(readDataDir())?.base_url ?? usualAddress)

/** Forgives the missing `/v1` of an address without a path. */
export function apiAddress(text: string): string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(`"${text}" is not the address of an API. Use one like http://127.0.0.1:4000/v1.`)
  if (url.pathname === '/') url.pathname = '/v1'
  return url.href
}
