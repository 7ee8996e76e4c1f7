import { isRecord, isString } from '../../lib/guards.ts'
import { routes } from './routes.ts'
import type { OAuthServices } from './services.ts'

/**
 * Returns the name of the app whose request continues at a path. Read without the library, which a sign-in page does
 * not load; that the request began in this browser is checked where it continues, since the cookie is sent only there.
 */
export async function requestingApp(
  { browser, artifacts, findClient }: OAuthServices,
  returnTo: string,
): Promise<string | undefined> {
  const start = browser.path(`${routes.interaction}/`)
  if (!returnTo.startsWith(start)) return undefined
  const found = await artifacts.find('Interaction', returnTo.slice(start.length))
  const clientId = isRecord(found?.['params']) ? found['params']['client_id'] : undefined
  return isString(clientId) ? (await findClient(clientId))?.name : undefined
}
