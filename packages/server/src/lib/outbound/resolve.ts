import { lookup, Resolver } from 'node:dns/promises'

/** Finds the addresses of a name; none if there are none. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>

/** Longest wait for a name server; asked twice, it leaves half of the time to the exchange itself. */
const resolveMs = 4000

/**
 * Asks the name servers without a thread: the look-up of the system takes one of four threads, on which passwords and
 * files wait too, for as long as a foreign name server likes.
 */
export async function resolveByNameServer(name: string, signal: AbortSignal): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: resolveMs, tries: 2 })
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const addresses = found.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    const failed = found.find((answer) => answer.status === 'rejected')
    if (addresses.length === 0 && failed !== undefined) throw failed.reason
    return addresses
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/** Asks as the system does, with its hosts file and search domains: for names that only this network knows. */
export const resolveBySystem = async (name: string): Promise<readonly string[]> =>
  (await lookup(name, { all: true })).map(({ address }) => address)
