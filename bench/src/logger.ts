import type { AppOptions } from '@kontor/server'

/** For apps in processes of ours: mistakes go to standard error, all else nowhere. */
export const quietLogger = {
  error: (entry: object, text: string) => void process.stderr.write(`${text}: ${String((entry as { err?: Error }).err?.stack)}\n`),
  warn() {},
  info() {},
  isLevelEnabled: () => false,
} as never as AppOptions['logger']
