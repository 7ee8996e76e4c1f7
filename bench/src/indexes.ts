import { setTimeout as sleep } from 'node:timers/promises'
import type { Stand } from './stand.ts'

type Explained = { readonly meta: { readonly explain: { readonly indexes: readonly { readonly object: string; readonly field: string; readonly kind: string; readonly state: string }[] } } }

const pauseMs = 1000
const patienceMs = 1_800_000

/** Asks for lists until every index that they could use is built. Those of small objects never are. */
export async function awaitIndexes({ baseUrl, ours }: Pick<Stand, 'baseUrl' | 'ours'>, paths: readonly string[], say: (text: string) => void): Promise<void> {
  const missing = async (path: string): Promise<string[]> => {
    const response = await fetch(`${new URL(baseUrl).origin}${path}&page%5Btotal%5D=none&explain=true`, { headers: ours.headers })
    if (!response.ok) throw new Error(`${path} answers ${response.status}: ${await response.text()}`)
    const { meta } = (await response.json()) as Explained
    return meta.explain.indexes.filter(({ state }) => state === 'building').map(({ object, field, kind }) => `${object}.${field} (${kind})`)
  }
  // Asked for by the first, seen by the next.
  for (const path of paths) await missing(path)
  const started = performance.now()
  for (const path of paths) {
    for (let waiting = await missing(path); waiting.length > 0; waiting = await missing(path)) {
      if (performance.now() - started > patienceMs) throw new Error(`Not built in time: ${waiting.join(', ')}`)
      say(`waiting for ${waiting.join(', ')}`)
      await sleep(pauseMs)
    }
  }
}
