import { vi } from 'vitest'
import { atEnd } from '../harness/at-end.ts'
import { until } from '../harness/until.ts'

/** An app trusts nothing that it keeps of a caller for longer (docs/decisions/0024). */
const trustMs = 5000

/**
 * Holds the clock that never jumps, of all apps of this process, for the rest of the file. What it returns turns it on
 * until whatever they keep of callers is too old.
 */
export function holdTrust(): () => Promise<void> {
  const now = performance.now.bind(performance)
  let aheadMs = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs)
  atEnd(() => clock.mockRestore())
  return async () => {
    aheadMs += trustMs + 1
    // A cache remembers the time for the millisecond of a timer, which has ended when a later one has.
    let looks = 0
    await until(() => ++looks > 1)
  }
}
