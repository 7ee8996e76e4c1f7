import { pino } from 'pino'
import { createApp, type AppOptions } from '../app/app.ts'
import { inProcess, type InProcessCall } from '../app/in-process.ts'

/** Calls the API without a server, with an access token, so that every rule of the API applies. */
export function callAlone(
  options: Pick<AppOptions, 'database' | 'clock' | 'baseUrl' | 'authUrl'>,
  accessToken: string,
): InProcessCall {
  const app = createApp({
    ...options,
    logger: pino({ level: 'silent' }),
    rateLimitPerMinute: 0,
    fieldIndexThreshold: Infinity,
  })
  return inProcess(app, `Bearer ${accessToken}`, 'command-line')
}
