import { setTimeout as sleep } from 'node:timers/promises'

type Patience = {
  /** The longest wait: it ends what hangs, and judges nothing. */
  readonly withinMs?: number
  readonly everyMs?: number
  /** Named in the error when it did not come. */
  readonly what?: string | (() => unknown)
}

/** Looks until a condition gives something that is neither false nor undefined, which it returns. */
export async function until<T>(
  condition: () => T | Promise<T>,
  { withinMs = 30_000, everyMs = 20, what = 'what a test waits for' }: Patience = {},
): Promise<Exclude<T, false | undefined>> {
  for (const began = performance.now(); ; await sleep(everyMs)) {
    const found = await condition()
    if (found !== false && found !== undefined) return found as Exclude<T, false | undefined>
    if (performance.now() - began > withinMs) {
      const text = typeof what === 'string' ? what : JSON.stringify(await what())
      throw new Error(`Not within ${withinMs} ms: ${text}`)
    }
  }
}
