import type { Database } from '../../../db/tx.ts'
import type { Telling } from '../../../kernel/invoke/runtime.ts'
import { findIdentityOwner, linkIdentity, type ProviderIdentity } from '../providers/index.ts'
import { findUser, findUserByEmail, lockUser, type UserRow } from '../users/index.ts'
import { takeOver } from './takeover.ts'

type Options = {
  readonly database: Database
  readonly telling: Telling
  /** Called when access that an earlier holder of the account set up has been revoked. */
  readonly onAccessEnded: () => void
}

/**
 * Finds the account of a person at a provider (docs/decisions/0357). The first sign-in links the account with the
 * address that the provider has verified; from then on only the subject counts. `other`: the account with the address
 * is linked to another subject of the provider, since addresses may be given to other people.
 */
export async function findIdentified(
  { database, telling, onAccessEnded }: Options,
  identity: ProviderIdentity,
  verifiedEmail: string | undefined,
): Promise<UserRow | 'other' | undefined> {
  const ownerId = await findIdentityOwner(database.reader, identity)
  if (ownerId !== undefined) return findUser(database.reader, ownerId)
  const user = verifiedEmail === undefined ? undefined : await findUserByEmail(database.reader, verifiedEmail)
  if (user === undefined) return undefined
  const isLinked = await database.write(async (tx) => {
    const current = await lockUser(tx, user.id)
    if (current !== undefined && current.unverified_since !== null) await takeOver(tx, telling, current)
    return linkIdentity(tx, { ...identity, user_id: user.id, created_at: telling.clock.now() })
  })
  if (user.unverified_since !== null) onAccessEnded()
  return isLinked ? user : 'other'
}
