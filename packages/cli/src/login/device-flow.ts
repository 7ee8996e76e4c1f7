import { CommandFailed } from '../errors.ts'
import { answerOf, detailOf } from './authorization-server.ts'
import { tokensOf, type KeptLogin } from './kept-login.ts'

const grantType = 'urn:ietf:params:oauth:grant-type:device_code'

/** A login that waits for its person. */
export type Login = {
  readonly clientId: string
  readonly tokenUrl: string
  readonly revocationUrl: string
  readonly deviceCode: string
  readonly userCode: string
  readonly verificationUri: string
  readonly intervalSeconds: number
}

/** The state of the request. */
export type Polled =
  | { readonly state: 'pending' | 'slow_down' }
  | { readonly state: 'done'; readonly login: KeptLogin; readonly expiresInSeconds: number }
  | { readonly state: 'refused'; readonly error: string; readonly detail: string }

/** Asks for a code (RFC 8628 §3.1) at the server that makes the tokens of an API (RFC 9728). */
export async function beginLogin(
  apiUrl: string,
  { clientId, scope }: { readonly clientId: string; readonly scope: string },
): Promise<Login> {
  const { origin, pathname } = new URL(apiUrl)
  const metadata = await answerOf(`${origin}/.well-known/oauth-protected-resource${pathname}`)
  const issuers: unknown = metadata['authorization_servers']
  const issuer: unknown = Array.isArray(issuers) ? issuers[0] : origin
  const addresses = await answerOf(`${String(issuer)}/.well-known/oauth-authorization-server`)
  const begun = await answerOf(String(addresses['device_authorization_endpoint']), { client_id: clientId, scope })
  if (begun['error'] === 'invalid_client')
    throw new CommandFailed(
      `There is no app "${clientId}" at ${origin}. "kontor oauth-client list" shows those there are.`,
    )
  if (typeof begun['device_code'] !== 'string') throw new CommandFailed(detailOf(begun))
  return {
    clientId,
    tokenUrl: String(addresses['token_endpoint']),
    revocationUrl: String(addresses['revocation_endpoint']),
    deviceCode: begun['device_code'],
    userCode: String(begun['user_code']),
    verificationUri: String(begun['verification_uri']),
    intervalSeconds: Number(begun['interval'] ?? 5),
  }
}

/** Asks once whether the person has answered. */
export async function pollLogin({ clientId, tokenUrl, revocationUrl, deviceCode }: Login): Promise<Polled> {
  const form = { grant_type: grantType, client_id: clientId, device_code: deviceCode }
  const answer = await answerOf(tokenUrl, form)
  const tokens = tokensOf(answer)
  if (tokens !== undefined) {
    const login = { clientId, tokenUrl, revocationUrl, ...tokens }
    return { state: 'done', login, expiresInSeconds: Number(answer['expires_in']) }
  }
  const { error } = answer
  if (error === 'authorization_pending') return { state: 'pending' }
  if (error === 'slow_down') return { state: 'slow_down' }
  return { state: 'refused', error: String(error), detail: detailOf(answer) }
}
