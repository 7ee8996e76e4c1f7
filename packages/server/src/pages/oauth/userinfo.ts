import type { IncomingMessage, ServerResponse } from 'node:http'
import { decodeJwt } from 'jose'
import { Failure } from '../../kernel/errors.ts'
import { send } from '../../http/answer.ts'
import { readScopes } from './scopes.ts'
import type { OAuthServices, Person } from './services.ts'

/**
 * OpenID Connect Core §5.3: who the person is, for the app that brings their access token; errors as RFC 6750 §3.1 has
 * them.
 */
export async function userinfo(
  { authenticate, findPerson }: OAuthServices,
  request: IncomingMessage,
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const refuse = (status: number, error: string, description: string): void =>
    send(
      response,
      status,
      { error, error_description: description },
      { ...headers, 'WWW-Authenticate': `Bearer realm="kontor", error="${error}", error_description="${description}"` },
    )
  const token = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1]
  if (token === undefined) return refuse(401, 'invalid_token', 'Send an access token as a Bearer token.')
  try {
    const { userId } = await authenticate(token)
    const scopes = readScopes(decodeJwt(token)['scope'])
    const person = scopes.includes('openid') ? await findPerson(userId) : undefined
    if (person === undefined) return refuse(403, 'insufficient_scope', 'The token requires the scope openid.')
    send(response, 200, claimsOf(person, scopes), headers)
  } catch (error) {
    if (!(error instanceof Failure) || error.status !== 401) throw error
    refuse(401, 'invalid_token', error.message)
  }
}

/**
 * Returns the claims of a person by the scopes of an app. It never claims that an address is theirs; where nothing has
 * shown it, that is.
 */
export const claimsOf = (
  { id, name, email, isUnverified }: Person,
  scopes: readonly string[],
): { readonly sub: string; readonly name?: string; readonly email?: string; readonly email_verified?: false } => ({
  sub: id,
  ...(scopes.includes('profile') && name !== null && { name }),
  ...(scopes.includes('email') && { email, ...(isUnverified && { email_verified: false as const }) }),
})
