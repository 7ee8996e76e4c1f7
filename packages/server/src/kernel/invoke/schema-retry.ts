import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseOverloaded } from '../../db/errors.ts'
import type { Membership } from '../actor.ts'
import { randomFraction } from '../ids.ts'
import type { SchemaEpochs } from './schema-check.ts'
import { StaleSchema } from './stale-schema.ts'

/** Setting up a workspace makes dozens of schema changes within seconds, and each may come in between. */
const patienceMs = 5000
const pauseMsMax = 64

/**
 * Runs work, and retries it if the schemas that it used turn out to be outdated. Throws DatabaseOverloaded if they
 * still change after some seconds.
 */
export async function withFreshSchemas<T>(
  { forgetMemberships }: Pick<SchemaEpochs, 'forgetMemberships'>,
  first: Membership,
  enterAgain: () => Promise<Membership>,
  work: (workspace: Membership) => Promise<T>,
): Promise<T> {
  let workspace = first
  let until: number | undefined
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(workspace)
    } catch (error) {
      if (!(error instanceof StaleSchema)) throw error
      // From the first time on: until then it may have waited for others for as long.
      until ??= performance.now() + patienceMs
      if (performance.now() > until)
        throw new DatabaseOverloaded('The schemas of the workspace change all the time', { cause: error })
      // On SQLite the change may be in the group of commits that is still open, which only writers see.
      await sleep(Math.min(2 ** attempt, pauseMsMax) * (0.5 + randomFraction()))
      forgetMemberships()
      workspace = await enterAgain()
    }
  }
}
