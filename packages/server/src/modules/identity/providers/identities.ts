import type { RowOf } from '../../../db/columns.ts'
import { rowsOf } from '../../../db/rows.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'

type IdentityRow = RowOf<'provider_identity'>

/**
 * A person at a provider of OpenID Connect. A provider may give each of its clients another subject for the same
 * person, so an identity is that of one client.
 */
export type ProviderIdentity = Pick<IdentityRow, 'issuer' | 'audience' | 'subject'>

/** The longest subject (OpenID Connect Core §2). */
const subjectMax = 255

const columns = ['issuer', 'audience', 'subject', 'user_id', 'created_at'] as const

const identities = rowsOf<IdentityRow>('provider_identity', columns)

const findIdentity = identities.find('issuer', 'audience', 'subject')

/** Returns whether a subject is one that a provider may send. */
export const isSubject = (subject: unknown): subject is string =>
  typeof subject === 'string' && subject !== '' && subject.length <= subjectMax && !subject.includes('\0')

/** Returns the id of the account that an identity is linked to. */
export const findIdentityOwner = async (
  tx: ReadTx,
  { issuer, audience, subject }: ProviderIdentity,
): Promise<string | undefined> => (await findIdentity(tx, issuer, audience, subject))?.user_id

/** Returns the identities that an account is linked to. */
export const listIdentities = identities.list(['user_id'], 'issuer', 'audience')

/** Links an identity to an account whose row is locked; returns whether the account is linked to this identity now. */
export async function linkIdentity(tx: Tx, row: IdentityRow): Promise<boolean> {
  const linked = (await listIdentities(tx, row.user_id)).find(
    ({ issuer, audience }) => issuer === row.issuer && audience === row.audience,
  )
  if (linked !== undefined) return linked.subject === row.subject
  return (await tx.insertNew('provider_identity', [row], ['issuer', 'audience', 'subject'])).length === 1
}

/** Unlinks an account from its identities: all of them, or those at one issuer. */
export const deleteIdentities = (tx: Tx, userId: string, issuer?: string): Promise<number> => {
  tx.publish('access')
  return tx.change(({ knex }) =>
    knex('provider_identity')
      .where({ user_id: userId, ...(issuer !== undefined && { issuer }) })
      .delete(),
  )
}
