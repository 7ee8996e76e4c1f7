import { setTimeout as sleep } from 'node:timers/promises'

/** Without progress for so long, nothing comes any more. */
const patienceMs = 20 * 60_000

/** Resolves when something holds. */
export async function waitUntil(holds: () => Promise<boolean>, what: string, lookMs = 20): Promise<void> {
  for (const started = performance.now(); !(await holds()); await sleep(lookMs))
    if (performance.now() - started > patienceMs) throw new Error(`not in time: ${what}`)
}
