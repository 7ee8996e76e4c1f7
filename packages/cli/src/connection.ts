import { Option, type Command } from 'commander'
import { createRestClient, type RestClient } from '@kontor/client'
import { findRunningServer, readDataDir } from '@kontor/server/config'
import { UsageError } from './errors.ts'

export type ConnectionOptions = {
  readonly baseUrl?: string
  readonly apiKey?: string
  readonly accessToken?: string
  readonly workspace?: string
}

/** Where `npm start` serves by default. */
export const usualAddress = 'http://127.0.0.1:4000/v1'

/** Gives a command the options that say where the API is and who calls. */
export const withConnection = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--base-url <url>',
        `address of the API; by default of the server that runs on DATA_DIR, or else ${usualAddress}`,
      ).env('KONTOR_BASE_URL'),
    )
    .addOption(new Option('--api-key <key>', 'API key').env('KONTOR_API_KEY'))
    .addOption(
      new Option('--access-token <token>', 'access token of a user, instead of a key').env('KONTOR_ACCESS_TOKEN'),
    )
    .addOption(new Option('--workspace <slug>', 'workspace').env('KONTOR_WORKSPACE'))

export type Connected = { readonly rest: RestClient; readonly workspace: string }

/** The API, as these options reach it. Throws UsageError for what is missing. */
export function connect({ baseUrl, apiKey, accessToken, workspace }: ConnectionOptions): Connected {
  const url = apiAddress(baseUrl ?? findRunningServer(readDataDir())?.base_url ?? usualAddress)
  if (!apiKey && !accessToken) {
    throw new UsageError(
      'An API key is missing: give --api-key, or set KONTOR_API_KEY. "npm start" prints one, "kontor key ' +
        'create" makes one.',
    )
  }
  if (!workspace)
    throw new UsageError(
      'The workspace is missing: give --workspace, or set KONTOR_WORKSPACE ("acme" is the one that "npm start" makes).',
    )
  // A command says that it waits, or fails at once.
  const once = { url, retries: 0 }
  const rest = createRestClient(apiKey ? { ...once, apiKey } : { ...once, accessToken: accessToken as string })
  return { rest, workspace }
}

/** Forgives the missing `/v1` of an address without a path. */
export function apiAddress(text: string): string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new UsageError(`The address of the API cannot be "${text}"; it looks like http://127.0.0.1:4000/v1.`)
  if (url.pathname === '/') url.pathname = '/v1'
  return url.href
}
