import type { Database, Tx } from './db/tx.ts'
import type { Clock } from './kernel/clock.ts'
import { findPassword, insertPasswordLink, passwordFault, Passwords } from './modules/sign-in/index.ts'
import { findUserByEmail } from './modules/users/index.ts'

/** A first password as it will be stored, or what is wrong with it. */
export async function firstPassword(
  password: string,
  email: string,
  clock: Clock,
): Promise<{ readonly hash: string } | { readonly fault: string }> {
  const fault = await passwordFault(password, email)
  return fault === undefined ? { hash: await new Passwords(clock).hash(password) } : { fault }
}

/** Gives somebody their first password; false where they have one, which is theirs to change. */
export async function putFirstPassword(tx: Tx, userId: string, hash: string, clock: Clock): Promise<boolean> {
  if ((await findPassword(tx, userId)) !== undefined) return false
  await new Passwords(clock).put(tx, userId, hash)
  return true
}

type Place = { readonly database: Database; readonly clock: Clock; readonly authUrl: string }

/** A link with which somebody sets their password; undefined where nobody has the address. */
export async function passwordLink({ database, clock, authUrl }: Place, email: string): Promise<string | undefined> {
  const user = await findUserByEmail(database.reader, email)
  return (
    user &&
    database.write((tx) => insertPasswordLink(tx, { userId: user.id, authUrl, now: clock.now(), verifies: true }))
  )
}

/** Whether somebody can sign in with a password. */
export async function hasPassword({ database }: Pick<Place, 'database'>, email: string): Promise<boolean> {
  const user = await findUserByEmail(database.reader, email)
  return user !== undefined && (await findPassword(database.reader, user.id)) !== undefined
}
