import { param, statement } from './statement.ts'
import type { ReadTx } from './tx.ts'

const nextTransaction = statement<Record<string, never>, { mark: number }>(({ knex }) => knex.raw('select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as mark'))

/** A number above that of every transaction which has changed something so far. SQLite has one writer, so there is none beside this one. */
export const transactionMark = async (tx: ReadTx): Promise<number> => (tx.dialect.name === 'sqlite' ? 0 : ((await tx.first(nextTransaction, {}))?.mark ?? 0))

const ended = statement<{ mark: number }, { ended: boolean }>(({ knex }) => knex.raw('select pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= ? as ended', [param('mark')]))

/** Whether all of them have ended. */
export const haveEnded = async (tx: ReadTx, mark: number): Promise<boolean> => tx.dialect.name === 'sqlite' || (await tx.first(ended, { mark }))?.ended === true
