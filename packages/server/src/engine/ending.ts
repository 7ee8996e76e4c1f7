import { DatabaseUnavailable } from '../db/errors.ts'
import { hourMs } from '../kernel/clock.ts'
import { endJob, lockLease, settle, type Failed, type Fence } from './outcomes/store.ts'
import { LeaseLost, type Deps, type JobKind } from './types.ts'

/** A job whose attempts are spent. */
export type JobEnding = {
  readonly kind: JobKind<unknown>
  readonly fence: Fence
  readonly payload: unknown
  readonly failed: Failed
  /** By those who take its lease for lost, which then must stand unchanged. */
  readonly leasedAt?: number
}

/** The time after which the ending of a permanently failed job is tried again, if that fails too. */
const againMs = hourMs

/** It has been enqueued again during its last run. */
class WantedAgain extends Error {}

/**
 * Ends a job for good, together with what its kind does about it. Rejects with `LeaseLost` if another runner has it by
 * now.
 */
export async function endForGood(deps: Deps, ending: JobEnding): Promise<void> {
  const { fence, failed, payload } = ending
  try {
    return await end(deps, ending)
  } catch (error) {
    if (error instanceof LeaseLost || error instanceof DatabaseUnavailable) throw error
    // Without its last words it would be lost, so it goes on; and one that is wanted again has a new life.
    if (!(error instanceof WantedAgain))
      deps.logger.error(
        { err: error, job: { id: fence.id, kind: ending.kind.name } },
        'the end of a job could not be stored; the job continues',
      )
    const next =
      error instanceof WantedAgain ? failed : { ...failed, state: 'retry' as const, inMs: againMs, losses: 0 }
    const isHeld = await deps.database.write((tx) => settle(tx, fence, next, payload, deps.clock.now()))
    if (!isHeld) throw new LeaseLost()
  }
}

const end = ({ database, clock }: Deps, { kind, fence, payload, failed, leasedAt }: JobEnding): Promise<void> => {
  // A payload that does not fit the kind is ignored.
  const fitting = kind.payload.safeParse(payload)
  return database.write(async (tx) => {
    const now = clock.now()
    const { workspace_id: workspaceId } = fence
    const { error, isLost } = failed
    if (fitting.success)
      await kind.onFailed?.(tx, { workspaceId, payload: fitting.data, error, now, ...(isLost && { isLost }) })
    if (leasedAt !== undefined && (await lockLease(tx, fence))?.leased_at !== leasedAt) throw new LeaseLost()
    if (!(await endJob(tx, fence, failed, now))) throw new WantedAgain()
  })
}
