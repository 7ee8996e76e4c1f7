import { param, statement } from '../../db/statement.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'

export type SessionRow = {
  readonly id: string
  readonly token_hash: string
  readonly user_id: string
  readonly user_agent: string | null
  readonly created_at: number
  readonly last_seen_at: number
}

const sessionColumns = ['id', 'token_hash', 'user_id', 'user_agent', 'created_at', 'last_seen_at'] as const

const byToken = statement<{ token_hash: string }, SessionRow>(({ knex }) => knex('session').select(...sessionColumns).where('token_hash', param('token_hash')))

const noteSeen = statement<{ id: string; last_seen_at: number }, never>(({ knex }) => knex('session').update({ last_seen_at: param('last_seen_at') }).where('id', param('id')))

export const findSession = (tx: ReadTx, tokenHash: string): Promise<SessionRow | undefined> => tx.first(byToken, { token_hash: tokenHash })

export const insertSession = (tx: Tx, row: SessionRow): Promise<void> => tx.insert('session', [row])

export const updateSessionSeen = (tx: Tx, id: string, now: number): Promise<number> => tx.run(noteSeen, { id, last_seen_at: now })
