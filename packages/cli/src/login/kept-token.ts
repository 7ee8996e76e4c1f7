import type { TokenSource } from '@kontor/client'
import { CommandFailed } from '../errors.ts'
import { renewLogin, type KeptLogin } from './kept-login.ts'
import { findLogin, keepLogin } from './login-file.ts'

/** The token of the login that is kept for an API, renewed once it is refused; undefined if nobody is logged in. */
export function keptToken(file: string, url: string): TokenSource | undefined {
  const kept = findLogin(file, url)
  if (kept === undefined) return undefined
  let { accessToken } = kept
  let renewing: Promise<KeptLogin> | undefined
  return async (refused) => {
    if (refused !== accessToken) return accessToken
    renewing ??= renewed(file, url, kept, refused).finally(() => (renewing = undefined))
    return (accessToken = (await renewing).accessToken)
  }
}

async function renewed(file: string, url: string, kept: KeptLogin, refused: string): Promise<KeptLogin> {
  // A command beside this one may have renewed it, or logged in anew.
  const login = findLogin(file, url) ?? kept
  if (login.accessToken !== refused) return login
  const other = await renewLogin(login)
  keepLogin(file, url, other)
  if (other === undefined)
    throw new CommandFailed(
      `You are no longer logged in at ${url}: the login was taken back, or was not used for 30 days. Log in again: ` +
        `kontor login --client-id ${login.clientId}`,
    )
  return other
}
