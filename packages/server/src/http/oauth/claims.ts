import type { Person } from './services.ts'

/** What an app learns of a person by the scopes that it has. Nobody has checked whose the e-mail address is, so nothing says that it was. */
export const claimsOf = ({ id, name, email }: Person, scopes: readonly string[]): { readonly sub: string; readonly name?: string; readonly email?: string } => ({
  sub: id,
  ...(scopes.includes('profile') && name !== null && { name }),
  ...(scopes.includes('email') && { email }),
})
