import { setTimeout as sleep } from 'node:timers/promises'
import type { TestDatabase } from './database.ts'
import { until } from './until.ts'

const patienceMs = 120_000

/** The workspace of jobs that concern the whole installation. */
const systemWide = '00000000-0000-0000-0000-000000000000'

type Payload = { readonly step?: string; readonly waiting: readonly string[] | null }
type Job = { readonly kind: string; readonly step: string | undefined; readonly isUnderWay: boolean }

/** The jobs that are left for changes of schemas. */
export function schemaJobsOf(database: TestDatabase) {
  /** The jobs that have not ended, and at which step those of changes are. */
  const list = async (): Promise<Job[]> => {
    const rows = await database.reader.query<{ kind: string; payload: Payload }>(({ knex }) =>
      knex('job').select('kind', 'payload').where('kind', 'like', 'schemas.%').whereNull('ended_at'),
    )
    return rows.map(({ kind, payload }) => ({
      kind,
      step: kind === 'schemas.clean' ? 'clean' : payload.step,
      isUnderWay: payload.waiting?.length === 0,
    }))
  }

  /** Resolves when nothing is left of some kinds. */
  const ended = async (...kinds: readonly string[]): Promise<void> => {
    for (const deadline = Date.now() + patienceMs; ; await sleep(10)) {
      const left = (await list()).filter(({ kind }) => kinds.includes(kind))
      if (left.length === 0) return
      if (Date.now() > deadline) throw new Error(`still to be done: ${JSON.stringify(left)}`)
    }
  }

  /** Gives back what a process had that is gone, which others would have to watch for ten seconds. */
  const giveBack = (): Promise<number> =>
    database.write((tx) =>
      tx.change(({ knex }) =>
        knex('job').whereNull('ended_at').whereNotNull('leased_by').update({ leased_by: null, run_at: 0 }),
      ),
    )

  /** Lets what is to be done later be done now. */
  const hasten = (): Promise<number> =>
    database.write((tx) =>
      tx.change(({ knex }) =>
        knex('job').whereNull('ended_at').where('kind', 'like', 'schemas.%').update({ run_at: 0 }),
      ),
    )

  return { list, ended, giveBack, hasten }
}

/**
 * Resolves once no job of a workspace is under way or due: what a server had found to do is done. Waiting ends where
 * the server is gone.
 */
export const quietOf =
  (database: TestDatabase, now: () => number) =>
  async (isGone = () => false): Promise<void> => {
    for (const deadline = Date.now() + patienceMs; ; await sleep(20)) {
      const busy = await database.reader.query<{ kind: string }>(({ knex }) =>
        knex('job')
          .select('kind')
          .whereNull('ended_at')
          .whereNot('workspace_id', systemWide)
          .where((either) => void either.whereNotNull('leased_by').orWhere('run_at', '<=', now())),
      )
      if (busy.length === 0 || isGone()) return
      if (Date.now() > deadline) throw new Error(`still to be done: ${JSON.stringify(busy)}`)
    }
  }

/** Resolves when no job of a kind is left that will run. */
export const settledOf =
  (database: TestDatabase) =>
  async (kind: string): Promise<void> => {
    const left = () =>
      database.reader.query(({ knex }) => knex('job').select('id').whereNull('ended_at').where({ kind }).limit(1))
    await until(async () => (await left()).length === 0, { withinMs: patienceMs, what: `the last ${kind}` })
  }

/** Leaves jobs of a kind the last of their twelve attempts. */
export const lastAttemptOf =
  (database: TestDatabase) =>
  (kind: string): Promise<number> =>
    database.write((tx) =>
      tx.change(({ knex }) => knex('job').whereNull('ended_at').where({ kind }).update({ failures: 11 })),
    )

/** Leaves a job as a process does that is gone, with which of its losses are known: by default, as the job notes. */
export const loseWorkerOf =
  (database: TestDatabase) =>
  (kind: string, key: string, losses?: number): Promise<number> =>
    database.write((tx) =>
      tx.change(({ knex }) =>
        knex('job')
          .where({ kind, job_key: key })
          .update({
            leased_by: crypto.randomUUID(),
            leased_at: 1,
            attempt: 3,
            ...(losses !== undefined && { losses }),
          }),
      ),
    )
