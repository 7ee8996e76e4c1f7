import type { RowOf } from '../../../db/columns.ts'
import { rowsOf } from '../../../db/rows.ts'
import { param, statement } from '../../../db/statement.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'

export type SessionRow = RowOf<'session'>

const sessionColumns = ['id', 'token_hash', 'user_id', 'user_agent', 'created_at', 'last_seen_at'] as const

const sessions = rowsOf<SessionRow>('session', sessionColumns)

export const findSession = sessions.find('token_hash')

export const insertSession = sessions.insert

export const updateSession = sessions.update('id')

/** The most recently used first. */
export const listSessions = (tx: ReadTx, userId: string): Promise<SessionRow[]> =>
  tx.query(({ knex }) =>
    knex('session')
      .select(...sessionColumns)
      .where('user_id', userId)
      .orderBy([{ column: 'last_seen_at', order: 'desc' }, { column: 'id' }]),
  )

export const deleteSession = (tx: Tx, tokenHash: string): Promise<number> =>
  tx.change(({ knex }) => knex('session').where('token_hash', tokenHash).delete())

/** Deletes one session of a user, or all. */
export const deleteSessions = (tx: Tx, userId: string, id?: string): Promise<number> =>
  tx.change(({ knex }) =>
    knex('session')
      .where({ user_id: userId, ...(id !== undefined && { id }) })
      .delete(),
  )

/** Returns whether a user's session is valid, and keeps it so until the transaction ends. */
export async function holdSession(tx: Tx, userId: string, id: string): Promise<boolean> {
  const rows = await tx.query(({ knex, dialect }) =>
    dialect.locked(knex('session').select('id').where({ user_id: userId, id }), 'refer'),
  )
  return rows.length > 0
}

const passwords = rowsOf<RowOf<'password'>>('password', ['user_id', 'password_hash', 'updated_at'])

const passwordOf = passwords.find('user_id')

export const findPassword = async (tx: ReadTx, userId: string): Promise<string | undefined> =>
  (await passwordOf(tx, userId))?.password_hash

/** When a user's password was set; undefined without a password. */
export const findPasswordTime = async (tx: ReadTx, userId: string): Promise<number | undefined> =>
  (await passwordOf(tx, userId))?.updated_at

export const deletePassword = passwords.remove('user_id')

export async function putPassword(tx: Tx, row: RowOf<'password'>): Promise<void> {
  const inserted = await tx.insertNew('password', [row], ['user_id'])
  if (inserted.length === 0) await tx.updateByKey('password', ['user_id'], [row])
}

type AttemptsRow = RowOf<'sign_in_attempt'>

const attempts = rowsOf<AttemptsRow>('sign_in_attempt', ['email_hash', 'failures', 'began_at'])

const lockRow = attempts.lock('change', 'email_hash')

/** The attempts at an address, locked until the transaction ends; a new address has none yet. */
export async function lockAttempts(tx: Tx, emailHash: string, now: number): Promise<AttemptsRow> {
  const none = { email_hash: emailHash, failures: 0, began_at: now }
  await tx.insertNew('sign_in_attempt', [none], ['email_hash'])
  return (await lockRow(tx, emailHash)) ?? none
}

export const updateAttempts = attempts.update('email_hash')

/** Resets the count after a correct or a new password. */
export const forgetAttempts = attempts.remove('email_hash')

/**
 * A link to set a password. Opening it `verifies` the address: it went there, or the operator vouches for the person.
 */
type LinkRow = RowOf<'password_link'>

const links = rowsOf<LinkRow>('password_link', ['token_hash', 'user_id', 'created_at', 'verifies'])

export const findLink = links.find('token_hash')

export const insertLink = links.insert

const linksSince = statement<{ user_id: string; since: number }, { total: number }>(({ knex }) =>
  knex('password_link').count('* as total').where('user_id', param('user_id')).where('created_at', '>', param('since')),
)

export const countLinks = async (tx: ReadTx, userId: string, since: number): Promise<number> =>
  (await tx.first(linksSince, { user_id: userId, since }))?.total ?? 0

/** Returns whether it was still there. */
export const deleteLink = async (tx: Tx, tokenHash: string): Promise<boolean> =>
  (await tx.deleteReturning('password_link', [{ token_hash: tokenHash }], ['token_hash'])).length === 1

export const deleteLinks = (tx: Tx, userId: string): Promise<number> =>
  tx.change(({ knex }) => knex('password_link').where('user_id', userId).delete())

/** Rows deleted in one batch: a few milliseconds of the one writer of SQLite. */
const batchMax = 100

type Before = { readonly before: number }

const endedSessions = statement<Before & { seen_before: number }, { id: string }>(({ knex }) =>
  knex('session')
    .select('id')
    .where('last_seen_at', '<=', param('seen_before'))
    .orWhere('created_at', '<=', param('before'))
    .limit(batchMax),
)

const oldLinks = statement<Before, { token_hash: string }>(({ knex }) =>
  knex('password_link').select('token_hash').where('created_at', '<=', param('before')).limit(batchMax),
)

const oldAttempts = statement<Before, { email_hash: string }>(({ knex }) =>
  knex('sign_in_attempt').select('email_hash').where('began_at', '<=', param('before')).limit(batchMax),
)

/** Deletes some sessions, links and attempts that have expired; returns whether there may be more. */
export async function deleteEnded(
  tx: Tx,
  began: {
    readonly sessions: number
    readonly sessionsUnused: number
    readonly links: number
    readonly attempts: number
  },
): Promise<boolean> {
  const [ended, old, over] = await Promise.all([
    tx.all(endedSessions, { before: began.sessions, seen_before: began.sessionsUnused }),
    tx.all(oldLinks, { before: began.links }),
    tx.all(oldAttempts, { before: began.attempts }),
  ])
  if (ended.length > 0) await tx.deleteByKey('session', ended)
  if (old.length > 0) await tx.deleteByKey('password_link', old)
  if (over.length > 0) await tx.deleteByKey('sign_in_attempt', over)
  return Math.max(ended.length, old.length, over.length) === batchMax
}
