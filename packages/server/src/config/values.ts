import { createPrivateKey } from 'node:crypto'

/** Settings that are secrets, or URLs that may have a password. */
const secret = /KEY|SECRET|TOKEN|PASSWORD|^(DATABASE|DATABASE_LISTEN|DATABASE_READ|SMTP)_URL$/

/** A setting as an error names it: messages go into logs, and secrets must not. */
export const shownSetting = (name: string, value: string | undefined): string =>
  secret.test(name) ? name : `${name}=${JSON.stringify(value)}`

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
