import { newId } from '../../kernel/ids.ts'
import type { Discrepancy } from '../../kernel/verification.ts'
import { addToCount } from './store.ts'

/** The exact values of counters by their names. */
type Actual = ReadonlyMap<string, number>

/**
 * Compares counters with what was counted in the same state. A repair adds the difference, which stays the same
 * whatever else is counted meanwhile.
 */
export function counterDiscrepancies(
  workspaceId: string,
  actual: Actual,
  stored: ReadonlyMap<string, number>,
  now: number,
): Discrepancy[] {
  return [...actual].flatMap(([name, total]) => {
    const shown = stored.get(name) ?? 0
    if (shown === total) return []
    return [
      {
        detail: `counter ${name} shows ${shown}, but there are ${total}`,
        repair: (tx) => addToCount(tx, workspaceId, name, total - shown, newId(now)),
      },
    ]
  })
}
