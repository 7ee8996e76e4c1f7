import { tmpdir } from 'node:os'
import { readConfig } from '@kontor/server/admin'
import { createApp, type AppOptions } from '@kontor/server'

/** Mistakes go to standard error, all else nowhere. */
export const logger = {
  error: (entry: object, text: string) =>
    void process.stderr.write(`${text}: ${String((entry as { err?: Error }).err?.stack)}\n`),
  warn() {},
  info() {},
  isLevelEnabled: () => false,
} as never as AppOptions['logger']

/**
 * The app in a process of ours, with the default settings of a server; the rate limit is at work,
 * too high to be reached.
 */
export const appOver = (database: AppOptions['database'], origin: string): ReturnType<typeof createApp> => {
  const { fieldIndexThreshold } = readConfig({})
  return createApp({
    database,
    clock: { now: () => Date.now(), monotonicMs: () => performance.now() },
    logger,
    baseUrl: `${origin}/v1`,
    authUrl: origin,
    rateLimitPerMinute: 1e9,
    fieldIndexThreshold,
    files: { folder: tmpdir(), bytesMax: 0 },
    encryptionKeys: ['a key of at least thirty-two characters'],
  })
}
