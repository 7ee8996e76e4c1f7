import { Secret, TOTP } from 'otpauth'

const periodSeconds = 30

/** Digits of the codes; authenticator apps expect six, of SHA-1, in steps of 30 seconds (RFC 6238). */
const digits = 6

/** Steps before and after the current one that are accepted, for clocks that differ (RFC 6238 §5.2). */
const window = 1

/** Bytes of the secret: the output of SHA-1 (RFC 4226 §4). */
const secretBytes = 20

export const newTotpSecret = (): string => new Secret({ size: secretBytes }).base32

const totpOf = (secret: string, label = ''): TOTP =>
  new TOTP({
    issuer: 'Kontor',
    label,
    algorithm: 'SHA1',
    digits,
    period: periodSeconds,
    secret: Secret.fromBase32(secret),
  })

/** Returns the address that authenticator apps read from a QR code. */
export const totpUri = (secret: string, email: string): string => totpOf(secret, email).toString()

/** Returns the time step that a code belongs to; undefined for a wrong one. */
export function stepOf(secret: string, code: string, nowMs: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined
  const delta = totpOf(secret).validate({ token: code, timestamp: nowMs, window })
  return delta === null ? undefined : Math.floor(nowMs / 1000 / periodSeconds) + delta
}
