import type { RowOf } from '../../../db/columns.ts'
import { param, statement } from '../../../db/statement.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'

export type SessionRow = RowOf<'session'>

const sessionColumns = ['id', 'token_hash', 'user_id', 'user_agent', 'created_at', 'last_seen_at'] as const

const byToken = statement<{ token_hash: string }, SessionRow>(({ knex }) =>
  knex('session')
    .select(...sessionColumns)
    .where('token_hash', param('token_hash')),
)

const noteSeen = statement<{ id: string; last_seen_at: number }, never>(({ knex }) =>
  knex('session')
    .update({ last_seen_at: param('last_seen_at') })
    .where('id', param('id')),
)

export const findSession = (tx: ReadTx, tokenHash: string): Promise<SessionRow | undefined> =>
  tx.first(byToken, { token_hash: tokenHash })

export const insertSession = (tx: Tx, row: SessionRow): Promise<void> => tx.insert('session', [row])

export const updateSessionSeen = (tx: Tx, id: string, now: number): Promise<number> =>
  tx.run(noteSeen, { id, last_seen_at: now })

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

const passwordOf = statement<{ user_id: string }, { password_hash: string; updated_at: number }>(({ knex }) =>
  knex('password').select('password_hash', 'updated_at').where('user_id', param('user_id')),
)

export const findPassword = async (tx: ReadTx, userId: string): Promise<string | undefined> =>
  (await tx.first(passwordOf, { user_id: userId }))?.password_hash

/** When a user's password was set; undefined without a password. */
export const findPasswordTime = async (tx: ReadTx, userId: string): Promise<number | undefined> =>
  (await tx.first(passwordOf, { user_id: userId }))?.updated_at

export const deletePassword = (tx: Tx, userId: string): Promise<void> =>
  tx.deleteByKey('password', [{ user_id: userId }])

export async function putPassword(tx: Tx, row: RowOf<'password'>): Promise<void> {
  const inserted = await tx.insertNew('password', [row], ['user_id'])
  if (inserted.length === 0) await tx.updateByKey('password', ['user_id'], [row])
}

type AttemptsRow = RowOf<'sign_in_attempt'>

/** The attempts at an address, locked until the transaction ends; a new address has none yet. */
export async function lockAttempts(tx: Tx, emailHash: string, now: number): Promise<AttemptsRow> {
  await tx.insertNew('sign_in_attempt', [{ email_hash: emailHash, failures: 0, began_at: now }], ['email_hash'])
  const [row] = await tx.query<AttemptsRow>(({ knex, dialect }) =>
    dialect.locked(
      knex('sign_in_attempt').select('email_hash', 'failures', 'began_at').where('email_hash', emailHash),
      'change',
    ),
  )
  return row ?? { email_hash: emailHash, failures: 0, began_at: now }
}

export const updateAttempts = (tx: Tx, row: AttemptsRow): Promise<void> =>
  tx.updateByKey('sign_in_attempt', ['email_hash'], [row])

export const deleteAttempts = (tx: Tx, emailHash: string): Promise<void> =>
  tx.deleteByKey('sign_in_attempt', [{ email_hash: emailHash }])

/**
 * A link to set a password. Opening it `verifies` the address: it went there, or the operator vouches for the person.
 */
type LinkRow = RowOf<'password_link'>

const linkByToken = statement<{ token_hash: string }, LinkRow>(({ knex }) =>
  knex('password_link')
    .select('token_hash', 'user_id', 'created_at', 'verifies')
    .where('token_hash', param('token_hash')),
)

export const findLink = (tx: ReadTx, tokenHash: string): Promise<LinkRow | undefined> =>
  tx.first(linkByToken, { token_hash: tokenHash })

const linksSince = statement<{ user_id: string; since: number }, { total: number }>(({ knex }) =>
  knex('password_link').count('* as total').where('user_id', param('user_id')).where('created_at', '>', param('since')),
)

export const countLinks = async (tx: ReadTx, userId: string, since: number): Promise<number> =>
  (await tx.first(linksSince, { user_id: userId, since }))?.total ?? 0

export const insertLink = (tx: Tx, row: LinkRow): Promise<void> => tx.insert('password_link', [row])

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
  const [sessions, links, attempts] = await Promise.all([
    tx.all(endedSessions, { before: began.sessions, seen_before: began.sessionsUnused }),
    tx.all(oldLinks, { before: began.links }),
    tx.all(oldAttempts, { before: began.attempts }),
  ])
  if (sessions.length > 0) await tx.deleteByKey('session', sessions)
  if (links.length > 0) await tx.deleteByKey('password_link', links)
  if (attempts.length > 0) await tx.deleteByKey('sign_in_attempt', attempts)
  return Math.max(sessions.length, links.length, attempts.length) === batchMax
}
