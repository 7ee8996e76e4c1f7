import type { AppOptions } from '@kontor/server'

type Entry = { readonly err?: unknown; readonly requestId?: string; readonly url?: string }

const silent = () => {}

/** A logger that prints nothing and keeps what was logged as an error, and links that are handed on by the log. */
export function errorLog() {
  let entries: string[] = []
  const links: string[] = []
  const logger = {
    error: ({ err }: Entry, message: string) =>
      entries.push(`${message}: ${err instanceof Error ? err.stack : String(err)}`),
    warn: ({ url }: Entry) => void (url !== undefined && links.push(url)),
    info: silent,
    isLevelEnabled: () => false,
  }
  const take = (): string[] => {
    const taken = entries
    entries = []
    return taken
  }
  return {
    logger: logger as unknown as AppOptions['logger'],
    take,
    links,
    assertEmpty: () => {
      if (entries.length > 0) throw new Error(`The app logged ${entries.length} errors, the first: ${entries[0]}`)
    },
  }
}
