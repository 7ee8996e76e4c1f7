import { setTimeout as sleep } from 'node:timers/promises'

/** Without progress for so long, nothing comes any more. */
const patienceMs = 20 * 60_000

/** Looks at something again and again until the function that it returns is called, which waits for the last look. */
export function lookAgain(everyMs: number, look: () => Promise<void>): () => Promise<void> {
  const stopping = new AbortController()
  const looking = (async () => {
    while (!stopping.signal.aborted) {
      await look()
      await sleep(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  })()
  return () => {
    stopping.abort()
    return looking
  }
}

/** Resolves when something holds. */
export async function waitUntil(holds: () => Promise<boolean>, what: string, lookMs = 20): Promise<void> {
  for (const started = performance.now(); !(await holds()); await sleep(lookMs))
    if (performance.now() - started > patienceMs) throw new Error(`not in time: ${what}`)
}
