import type { PoolClient } from 'pg'
import { memberOf } from '../lib/guards.ts'
import { handled } from '../lib/promises.ts'

/**
 * Settings by which Postgres plans a prepared statement once, for all values. By itself it plans nearly every statement
 * on a partitioned table at each call, since it adds up the costs of all partitions, of which it reads only one: 90 of
 * the 140 µs that the lock of a record takes. A plan that is kept must still be good when the table has grown, so it
 * scans none (docs/decisions/0366).
 */
const settings = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' }

/** True where Citus is not loaded, which needs the value of `workspace_id` to find the shard of a statement. */
const mayPlanOnce = "current_setting('citus.shard_count', true) is null"

/** For a connection, until it ends. */
export const planOnce = `select ${Object.entries(settings)
  .map(([name, value]) => `set_config('${name}', '${value}', false)`)
  .join(', ')} where ${mayPlanOnce}`

/** For a transaction. */
const planOnceLocally = Object.entries(settings)
  .map(([name, value]) => `set local ${name} = ${value}`)
  .join('; ')

/** For the rest of such a transaction. */
export const planByValues =
  "select set_config('plan_cache_mode', 'auto', true), set_config('enable_seqscan', 'on', true)"

/**
 * Returns how a transaction on a client begins so that its statements are planned once; undefined where that may not
 * be, and in its first one, with which it asks.
 */
export function planningOnce(): (client: PoolClient) => string | undefined {
  const answers = new WeakMap<PoolClient, boolean>()
  const ask = async (client: PoolClient): Promise<void> => {
    const { rows } = await client.query(`select ${mayPlanOnce} as may`)
    answers.set(client, memberOf(rows[0], 'may') === true)
  }
  return (client) => {
    if (!answers.has(client)) void handled(ask(client))
    return answers.get(client) === true ? planOnceLocally : undefined
  }
}
