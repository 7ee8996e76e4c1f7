import type { Change } from '@kontor/contract'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { listChanges } from '../events/index.ts'
import { redactChanges } from '../records/index.ts'

/** A record at the time of an event. */
type Moment = { readonly recordId: string; readonly sequence: number }

/** What records were when events happened, told by what has changed since. */
export type History = {
  /**
   * The changes that lead from what a record is now back to what it was right after an event: one for each field that
   * has changed since, by the name that the field had then.
   */
  readonly backTo: (moment: Moment) => readonly Change[]
}

/** Reads what has changed of records since some events, as the caller may see it. */
export async function historyOf(ctx: WorkspaceReadContext, moments: readonly Moment[]): Promise<History> {
  if (moments.length === 0) return { backTo: () => [] }
  const ids = [...new Set(moments.map(({ recordId }) => recordId))]
  const earliest = Math.min(...moments.map(({ sequence }) => sequence))
  const events = await listChanges(ctx.tx, ctx.workspace.workspaceId, ids, earliest)
  const seen = await redactChanges(
    ctx,
    events.map(({ payload }) => payload.diff ?? []),
  )
  const later = Map.groupBy(
    events.map(({ record_id, sequence = Infinity }, index) => ({ record_id, sequence, diff: seen[index] ?? [] })),
    ({ record_id }) => record_id,
  )
  return {
    backTo({ recordId, sequence }) {
      const since = (later.get(recordId) ?? []).filter((one) => one.sequence > sequence)
      // The first change since then had before it what the field was then.
      const first = new Map(since.toReversed().flatMap(({ diff }) => diff.map((change) => [change.path[0], change])))
      return [...first.values()].map((change) => ({ ...change, val: change.oldVal ?? null }))
    },
  }
}
