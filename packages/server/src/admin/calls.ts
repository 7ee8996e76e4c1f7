import { pino } from 'pino'
import { createApp, type AppOptions } from '../app/app.ts'
import { inProcess } from '../app/in-process.ts'

/** Calls one operation of the API without a server, with an access token, so that every rule of the API applies. */
export function callAlone(
  options: Pick<AppOptions, 'database' | 'clock' | 'baseUrl' | 'authUrl'>,
  accessToken: string,
  operation: string,
  input: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const app = createApp({
    ...options,
    logger: pino({ level: 'silent' }),
    rateLimitPerMinute: 0,
    fieldIndexThreshold: Infinity,
  })
  return inProcess(app, `Bearer ${accessToken}`, 'command-line')(operation, input)
}
