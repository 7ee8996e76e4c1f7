import type { IncomingMessage, ServerResponse } from 'node:http'
import { appName, namedScopes, redirectUriFault } from '@kontor/contract'
import { z } from 'zod'
import { Failure, failure } from '../../kernel/errors.ts'
import { send } from '../../http/answer.ts'
import type { ReadBody } from '../../http/body.ts'
import { readScopes, words } from './scopes.ts'
import type { OAuthServices, Registration } from './services.ts'

const grantTypes = ['authorization_code', 'refresh_token'] as const
const responseTypes = ['code'] as const

/** Metadata that an app registers (RFC 7591 §2). The response omits unsupported members, as the RFC requires. */
const metadata = z.object({
  redirect_uris: z.array(z.string().max(2000)).min(1).max(20),
  client_name: appName.optional(),
  token_endpoint_auth_method: z.enum(['client_secret_basic', 'client_secret_post', 'none']).optional(),
  grant_types: z.array(z.enum(grantTypes)).min(1).optional(),
  response_types: z.array(z.enum(responseTypes)).min(1).optional(),
  scope: z.string().max(4000).optional(),
})

type Metadata = z.infer<typeof metadata>

type Arrival = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly headers: Readonly<Record<string, string>>
  readonly address: string
  readonly readBody: ReadBody
}

/** Takes an app that registers itself (RFC 7591), where the operator lets apps do that. */
export async function register(services: OAuthServices, arrival: Arrival): Promise<void> {
  const { request, response, address, readBody } = arrival
  limit(services, address)
  const headers = { ...arrival.headers, 'Cache-Control': 'no-store' }
  const refuse = (error: 'invalid_redirect_uri' | 'invalid_client_metadata', error_description: string): void =>
    send(response, 400, { error, error_description }, headers)
  const { data, error } = metadata.safeParse(await readBody(request, response, { size: 'normal', isAnonymous: true }))
  if (data === undefined) {
    const [issue] = error.issues
    const isAddress = issue?.path[0] === 'redirect_uris'
    return refuse(
      isAddress ? 'invalid_redirect_uri' : 'invalid_client_metadata',
      `${issue?.path.join('.') || 'The body'}: ${issue?.message ?? ''}`,
    )
  }
  const wish = registrationOf(data)
  const [fault] = wish.redirectUris.flatMap((uri) => redirectUriFault(uri, wish.type) ?? [])
  if (fault !== undefined) return refuse('invalid_redirect_uri', fault)
  const forbidden = wish.scopes?.find((scope) => !mayAsk(scope))
  if (forbidden !== undefined)
    return refuse('invalid_client_metadata', `scope: "${forbidden}" is not available to apps that register themselves.`)
  send(response, 201, { ...(await services.registerClient(wish)), ...echoOf(data, wish) }, headers)
}

/** An operator who has not switched it on has no such endpoint. */
function limit({ registrations }: Pick<OAuthServices, 'registrations'>, address: string): void {
  if (registrations === undefined) throw failure('not_found', 'Apps cannot register themselves on this server.')
  const { allowed, retryAfterSeconds } = registrations.take(address)
  if (allowed) return
  const detail = 'Too many apps have been registered from your network.'
  throw new Failure({ code: 'rate_limited', detail }, { retryAfterSeconds })
}

const registrationOf = ({ client_name, redirect_uris, token_endpoint_auth_method, scope }: Metadata): Registration => ({
  name: client_name ?? 'An app without a name',
  redirectUris: [...new Set(redirect_uris)],
  type: token_endpoint_auth_method === 'none' ? 'public' : 'confidential',
  scopes: scope === undefined ? null : words(scope),
})

/** Returns whether an app may request a scope without review by an operator. */
const mayAsk = (scope: string): boolean => readScopes(scope).length === 1 && !namedScopes.includes(scope)

/** RFC 7591 §3.2.1: what was registered, which may be other than what was asked for. */
const echoOf = ({ token_endpoint_auth_method }: Metadata, { name, redirectUris, scopes }: Registration) => ({
  client_name: name,
  redirect_uris: redirectUris,
  grant_types: grantTypes,
  response_types: responseTypes,
  token_endpoint_auth_method: token_endpoint_auth_method ?? 'client_secret_basic',
  ...(scopes !== null && { scope: scopes.join(' ') }),
})
