import type { Knex } from 'knex'
import { readColumn } from '../../db/rows.ts'
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

/**
 * A busy installation is seconds behind, and a process renews its leases every few seconds: a job that has waited this
 * long, or whose lease is this old, was forgotten by every server and worker.
 */
export const lateMs = 5 * 60_000

type Unfinished = {
  readonly id: string
  readonly kind: string
  readonly run_at: number
  readonly leased_at: number | null
}

/** Describes why a job is late; undefined if it is not. */
function latenessOf({ id, kind, run_at, leased_at }: Unfinished, now: number): string | undefined {
  if ((leased_at ?? run_at) >= now - lateMs) return undefined
  const since = new Date(leased_at ?? run_at).toISOString()
  return leased_at === null
    ? `job ${id} (${kind}) has been due since ${since}, but is not running`
    : `job ${id} (${kind}) was lost by its process at ${since}, and no other has taken it over`
}

/** Finds jobs that are neither done nor due later, but that nothing runs. */
export const jobVerification: Verification = {
  name: 'Overdue jobs',
  async verify(tx, { workspaceId, after, now }) {
    const jobs = await tx.query<Unfinished>(({ knex }) => {
      const unfinished = knex('job')
        .select('id', 'kind', 'run_at', 'leased_at')
        .where('workspace_id', workspaceId)
        .whereNull('ended_at')
      if (after !== undefined) unfinished.where('id', '>', after)
      return unfinished.orderBy('id').limit(portionJobs)
    })
    return {
      checked: jobs.length,
      discrepancies: jobs.flatMap((job) => {
        const detail = latenessOf(job, now)
        return detail === undefined ? [] : [{ detail }]
      }),
      next: jobs.length < portionJobs ? undefined : jobs.at(-1)?.id,
    }
  },
}

/** A page of rows that were there before an instant, behind an id, in the order of ids. */
export type OpenPage = { readonly after: string | undefined; readonly before: number; readonly limit: number }

/** Narrows rows to a page of those of a workspace. */
export function openRows(rows: Knex.QueryBuilder, workspaceId: string, { after, before, limit }: OpenPage) {
  const some = rows.where('workspace_id', workspaceId).where('created_at', '<', before)
  if (after !== undefined) some.where('id', '>', after)
  return some.orderBy('id').limit(limit)
}

/** The keys, of some, that unfinished jobs of a kind have. */
export const listKeys = async (
  tx: ReadTx,
  workspaceId: string,
  kind: string,
  keys: readonly string[],
): Promise<ReadonlySet<string>> =>
  new Set(
    keys.length === 0
      ? []
      : await readColumn(tx, ({ knex, dialect }) =>
          knex('job')
            .select('job_key')
            .where({ workspace_id: workspaceId, kind })
            .whereNull('ended_at')
            .where(dialect.oneOf('job_key', keys)),
        ),
  )
