import { CommandFailed } from '../errors.ts'
import { answerOf, detailOf, type Answer } from './authorization-server.ts'

/** A login at an API: its token, and the token that renews it. */
export type KeptLogin = {
  readonly clientId: string
  readonly tokenUrl: string
  readonly revocationUrl: string
  readonly accessToken: string
  /** Without one, where the app may not ask for it, the login ends with its token. */
  readonly refreshToken?: string
}

/** The tokens in an answer of the token endpoint; undefined where it gives none. */
export function tokensOf(answer: Answer): Pick<KeptLogin, 'accessToken' | 'refreshToken'> | undefined {
  const { access_token: accessToken, refresh_token: refreshToken } = answer
  if (typeof accessToken !== 'string') return undefined
  return { accessToken, ...(typeof refreshToken === 'string' && { refreshToken }) }
}

/** The login with a new token; undefined where it has ended: revoked, or unused for too long. */
export async function renewLogin(login: KeptLogin): Promise<KeptLogin | undefined> {
  const { clientId, tokenUrl, refreshToken } = login
  if (refreshToken === undefined) return undefined
  const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken }
  const answer = await answerOf(tokenUrl, form)
  const tokens = tokensOf(answer)
  if (tokens !== undefined) return { ...login, ...tokens }
  // The app itself may be gone.
  if (answer['error'] === 'invalid_grant' || answer['error'] === 'invalid_client') return undefined
  throw new CommandFailed(detailOf(answer))
}

/** Ends a login at the server, with all of its tokens. */
export async function revokeLogin({ clientId, revocationUrl, accessToken, refreshToken }: KeptLogin): Promise<void> {
  const answer = await answerOf(revocationUrl, { client_id: clientId, token: refreshToken ?? accessToken })
  // A token that is revoked already, or belongs to an app that is gone, needs nothing more.
  if (typeof answer['error'] === 'string' && answer['error'] !== 'invalid_client')
    throw new CommandFailed(detailOf(answer))
}
