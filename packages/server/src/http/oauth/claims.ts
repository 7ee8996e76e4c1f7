import type { Person } from './services.ts'

/**
 * What an app learns of a person by the scopes that it has. That an address is theirs is never said; where nothing has
 * shown it, that is.
 */
export const claimsOf = (
  { id, name, email, isUnverified }: Person,
  scopes: readonly string[],
): { readonly sub: string; readonly name?: string; readonly email?: string; readonly email_verified?: false } => ({
  sub: id,
  ...(scopes.includes('profile') && name !== null && { name }),
  ...(scopes.includes('email') && { email, ...(isUnverified && { email_verified: false as const }) }),
})
