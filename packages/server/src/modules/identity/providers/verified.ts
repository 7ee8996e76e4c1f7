/** The issuer of Google's ID tokens. */
const google = 'https://accounts.google.com'

const ownDomains = /@(?:gmail|googlemail)\.com$/i

/**
 * Returns whether the ID token of a provider shows that the address belongs to the person now. Microsoft has a claim of
 * its own, and omits `email_verified`. Google verifies an address of another service only once, so it counts only for
 * its own addresses and those of a Workspace (docs/decisions/0357).
 */
export function isVerified({ iss, email, email_verified: verified, xms_edov: owned, hd }: Claims): boolean {
  if (typeof email !== 'string' || email === '') return false
  if (iss === google) return verified === true && (typeof hd === 'string' || ownDomains.test(email))
  return verified === true || [true, 1, '1', 'true'].some((value) => value === owned)
}

type Claims = Readonly<Record<'iss' | 'email' | 'email_verified' | 'xms_edov' | 'hd', unknown>>
