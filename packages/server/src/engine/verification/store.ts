import type { ReadTx } from '../../db/tx.ts'
import type { Verification } from '../../kernel/verification.ts'

/** The payloads of the unfinished jobs of some kinds in a workspace. */
export const listUnfinished = (
  tx: ReadTx,
  workspaceId: string,
  kinds: readonly string[],
): Promise<{ readonly kind: string; readonly payload: unknown }[]> =>
  tx.query(({ knex }) =>
    knex('job')
      .select('kind', 'payload')
      .where('workspace_id', workspaceId)
      .whereIn('kind', [...kinds])
      .whereNull('ended_at'),
  )

const portionJobs = 1000

/** A busy installation is seconds behind; a job that has waited this long was forgotten by every server and worker. */
const lateMs = 5 * 60_000

type Late = { readonly id: string; readonly kind: string; readonly run_at: number; readonly leased_by: string | null }

/** Finds jobs that are neither done nor due later, but that nothing runs. */
export const jobVerification: Verification = {
  name: 'Overdue jobs',
  async verify(tx, { workspaceId, after, now }) {
    const jobs = await tx.query<Late>(({ knex }) => {
      const unfinished = knex('job')
        .select('id', 'kind', 'run_at', 'leased_by')
        .where('workspace_id', workspaceId)
        .whereNull('ended_at')
      if (after !== undefined) unfinished.where('id', '>', after)
      return unfinished.orderBy('id').limit(portionJobs)
    })
    const late = jobs.filter(({ run_at, leased_by }) => leased_by === null && run_at < now - lateMs)
    return {
      checked: jobs.length,
      discrepancies: late.map(({ id, kind, run_at }) => ({
        detail: `job ${id} (${kind}) has been due since ${new Date(run_at).toISOString()}, but is not running`,
      })),
      next: jobs.length < portionJobs ? undefined : jobs.at(-1)?.id,
    }
  },
}
