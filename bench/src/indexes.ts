import { setTimeout as sleep } from 'node:timers/promises'
import type { Stand } from './stand.ts'

/** A list, by its path and, where it has one, the body of its filter. */
export type List = { readonly path: string; readonly body?: object }

type Index = { readonly object: string; readonly field: string; readonly kind: string; readonly state: 'ready' | 'building' | 'absent' }

const pauseMs = 1000
const patienceMs = 1_800_000

/** Asks for lists until every index that they could use is built; small objects have none. */
export async function awaitIndexes({ baseUrl, ours }: Pick<Stand, 'baseUrl' | 'ours'>, lists: readonly List[], say: (text: string) => void): Promise<void> {
  const missing = async (list: List): Promise<string[]> => {
    const indexes = await indexesOf(new URL(baseUrl).origin, ours.headers, list)
    return indexes.filter(({ state }) => state === 'building').map(({ object, field, kind }) => `${object}.${field} (${kind})`)
  }
  // Asked for by the first, seen by the next.
  for (const list of lists) await missing(list)
  const started = performance.now()
  for (const list of lists) {
    for (let waiting = await missing(list); waiting.length > 0; waiting = await missing(list)) {
      if (performance.now() - started > patienceMs) throw new Error(`Not built in time: ${waiting.join(', ')}`)
      say(`waiting for ${waiting.join(', ')}`)
      await sleep(pauseMs)
    }
  }
}

/** The indexes that a list could use, as it explains itself to admins. */
async function indexesOf(origin: string, headers: Readonly<Record<string, string>>, { path, body }: List): Promise<readonly Index[]> {
  const address = `${origin}${path}${path.includes('?') ? '&' : '?'}explain=true`
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(address, { ...init, headers: { ...headers, 'Content-Type': 'application/json' } })
  if (!response.ok) throw new Error(`${address} answers ${response.status}: ${await response.text()}`)
  const { meta } = (await response.json()) as { readonly meta: { readonly explain: { readonly indexes: readonly Index[] } } }
  return meta.explain.indexes
}
