import type { Database, Tx } from '../db/tx.ts'
import type { Clock } from '../kernel/clock.ts'
import { findPassword, insertPasswordLink, passwordFault, Passwords } from '../modules/identity/sign-in/index.ts'
import { findUserByEmail } from '../modules/identity/users/index.ts'

/** A first password as it will be stored, or its fault. */
export async function firstPassword(
  password: string,
  email: string,
  clock: Clock,
): Promise<{ readonly hash: string } | { readonly fault: string }> {
  const fault = await passwordFault(password, email)
  return fault === undefined ? { hash: await new Passwords(clock).hash(password) } : { fault }
}

/** Sets a user's first password; false if they have one, which only they may change. */
export async function putFirstPassword(tx: Tx, userId: string, hash: string, clock: Clock): Promise<boolean> {
  if ((await findPassword(tx, userId)) !== undefined) return false
  await new Passwords(clock).put(tx, userId, hash)
  return true
}

type PasswordContext = { readonly database: Database; readonly clock: Clock; readonly authUrl: string }

/** A link to set a user's password; undefined if no account has the address. */
export async function passwordLink(
  { database, clock, authUrl }: PasswordContext,
  email: string,
): Promise<string | undefined> {
  const user = await findUserByEmail(database.reader, email)
  return (
    user &&
    database.write((tx) => insertPasswordLink(tx, { userId: user.id, authUrl, now: clock.now(), verifies: true }))
  )
}

/** Returns whether a user can sign in with a password. */
export async function hasPassword({ database }: Pick<PasswordContext, 'database'>, email: string): Promise<boolean> {
  const user = await findUserByEmail(database.reader, email)
  return user !== undefined && (await findPassword(database.reader, user.id)) !== undefined
}
