import { letterRoutes, type LetterServices } from '../../http/email/routes.ts'
import { Browser } from '../../http/pages/browser.ts'
import type { Transport } from '../../http/transport.ts'
import type { Runtime } from '../../kernel/invoke/runtime.ts'
import { newSecret } from '../../kernel/ids.ts'
import { Sessions } from '../../modules/identity/sign-in/index.ts'
import type { AppOptions } from '../options.ts'

type Parts = Pick<Transport, 'exchange' | 'onError'> & {
  readonly services: LetterServices
  readonly limiter: Runtime['arrivals']
}

/** Composes the addresses in letters; who is signed in in the browser is one of us, and no reader. */
export function letterPages(
  { database, clock, authUrl }: AppOptions,
  { services, exchange, limiter, onError }: Parts,
): ReturnType<typeof letterRoutes> {
  const sessions = new Sessions({ database, clock, onError })
  const browser = new Browser({ authUrl, sessions, newSecret })
  const findUser: Parameters<typeof letterRoutes>[1]['findUser'] = async (request) =>
    (await browser.currentSession(request))?.userId
  return letterRoutes(services, { exchange, limiter, findUser })
}
