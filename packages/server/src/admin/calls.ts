import { tmpdir } from 'node:os'
import { pino } from 'pino'
import { createApp, type AppOptions } from '../app/app.ts'
import { newSecret } from '../kernel/ids.ts'
import { inProcess, type InProcessCall } from '../kernel/invoke/in-process.ts'

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
    // It attaches nothing.
    files: { folder: tmpdir(), bytesMax: 0 },
    // It makes keys and apps, and no secret that is encrypted.
    encryptionKeys: [newSecret(32)],
  })
  return inProcess(app, { authorization: `Bearer ${accessToken}` }, 'command-line')
}
