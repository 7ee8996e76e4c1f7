/**
 * Settings by which Postgres plans a prepared statement once, for all values. By itself it plans nearly every statement
 * on a partitioned table at each call, since it adds up the costs of all partitions, of which it reads only one: 90 of
 * the 140 µs that the lock of a record takes. A plan that is kept must still be good when the table has grown, so it
 * scans none (docs/decisions/0366).
 */
const settings = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' }

const sets = (scope: 'session' | 'local'): string =>
  Object.entries(settings)
    .map(([name, value]) => `set ${scope} ${name} = ${value}`)
    .join('; ')

/** For a connection, until it ends. */
export const planOnce = sets('session')

/** For a transaction. */
export const planOnceLocally = sets('local')

/** For the rest of such a transaction. */
export const planByValues =
  "select set_config('plan_cache_mode', 'auto', true), set_config('enable_seqscan', 'on', true)"
