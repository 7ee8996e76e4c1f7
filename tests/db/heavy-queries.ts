import type { Database } from '../../packages/server/src/db/tx.ts'

/** Counts to `count`, some ten million a second, without reading a row. */
export const counting = (count: number): string =>
  `with recursive counted (x) as (select 1 union all select x + 1 from counted where x < ${count}) select ` +
  'max(x) as top from counted'
export const endless = counting(1e12)

export const heavily = (database: Database, sql: string) =>
  database.reader.query<{ top: number }>(({ knex }) => knex.raw(sql), { heavy: true })
