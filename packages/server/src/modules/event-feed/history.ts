import type { Change } from '@kontor/contract'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { readChanges } from '../events/index.ts'
import { redactChanges } from '../records/index.ts'
import { LaterChanges } from './later-changes.ts'

/** A record at the time of an event. */
type Moment = { readonly recordId: string; readonly sequence: number }

/** The states of records when events happened, derived from the changes since. */
export type History = {
  /**
   * The changes that lead from what a record is now back to what it was right after an event: one for each field that
   * has changed since, by the name that the field had then.
   */
  readonly backTo: (moment: Moment) => readonly Change[]
}

/** Reads what has changed of records since some events, as the caller may see it: all of it, however much that is. */
export async function historyOf(ctx: WorkspaceReadContext, moments: readonly Moment[]): Promise<History> {
  if (moments.length === 0) return { backTo: () => [] }
  const later = new Map(
    [...Map.groupBy(moments, ({ recordId }) => recordId)].map(([recordId, some]) => [
      recordId,
      new LaterChanges(some.map(({ sequence }) => sequence)),
    ]),
  )
  const earliest = Math.min(...moments.map(({ sequence }) => sequence))
  const of = { workspaceId: ctx.workspace.workspaceId, recordIds: [...later.keys()] }
  for await (const events of readChanges(ctx.tx, of, earliest)) {
    const seen = await redactChanges(
      ctx,
      events.map(({ payload }) => payload.diff ?? []),
    )
    for (const [index, { record_id, sequence = Infinity }] of events.entries())
      later.get(record_id)?.note(sequence, seen[index] ?? [])
  }
  return {
    backTo({ recordId, sequence }) {
      // The first change since then had before it what the field was then.
      const first = later.get(recordId)?.firstAfter(sequence) ?? []
      return first.map((change) => ({ ...change, val: change.oldVal ?? null }))
    },
  }
}
