import { createPrivateKey } from 'node:crypto'

/** RFC 8301 §3.2: verifiers refuse shorter ones. */
const bitsMin = 1024

/** Returns whether a text is a private key that e-mail can be signed with (rsa-sha256, RFC 6376). */
export function isSigningKey(pem: string): boolean {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem)
    return asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= bitsMin
  } catch {
    return false
  }
}
