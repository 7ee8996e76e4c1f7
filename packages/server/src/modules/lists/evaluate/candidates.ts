import type { ReadTx } from '../../../db/tx.ts'
import type { FollowedChanges } from './followed-changes.ts'
import { readingsOf, storedCounterpartOf, type PathStep } from './readings.ts'
import { listBefore } from './store.ts'
import type { Subject } from './subject.ts'

/** Most candidates that are checked one by one; above this number, the whole list is evaluated. */
const candidatesMax = 2000

/**
 * The records that may have joined or left a list because of some changes; undefined if they are too many to be checked
 * one by one.
 */
export async function candidatesOf(
  tx: ReadTx,
  { workspaceId, object, query }: Subject,
  changes: FollowedChanges,
): Promise<readonly string[] | undefined> {
  const found = new Set<string>()
  for (const { path, object: target } of readingsOf(object, query)) {
    let reached = changes.recordsOf(target.name)
    for (const [index, step] of path.toReversed().entries()) {
      if (reached.length > candidatesMax) return undefined
      const before = reached.length === 0 ? [] : await listBefore(tx, workspaceId, step, reached, candidatesMax)
      reached = index === 0 ? [...before, ...(await leftAlong(step, changes))] : before
    }
    for (const id of reached) found.add(id)
  }
  return found.size > candidatesMax ? undefined : [...found]
}

/** The records from which a step led to changed ones until these came to refer to others. */
async function leftAlong(step: PathStep, changes: FollowedChanges): Promise<readonly string[]> {
  const counterpart = storedCounterpartOf(step)
  return counterpart === undefined ? [] : changes.leftOf(step.target.name, counterpart)
}
