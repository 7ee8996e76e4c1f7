import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** A value that can be read only with its secret; the database cannot read it. */
export type Sealed = { readonly iv: string; readonly tag: string; readonly text: string }

const cipher = 'aes-256-gcm'

const keyOf = (secret: string, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32))

/** Encrypts a JSON value under a secret; `purpose` separates the keys that are derived from one secret. */
export function seal(value: unknown, secret: string, purpose: string): Sealed {
  const iv = randomBytes(12)
  const sealing = createCipheriv(cipher, keyOf(secret, purpose), iv)
  const text = Buffer.concat([sealing.update(JSON.stringify(value)), sealing.final()]).toString('base64')
  return { iv: iv.toString('base64'), tag: sealing.getAuthTag().toString('base64'), text }
}

/** Decrypts the value; throws if it was sealed under another secret, or changed. */
export function unseal({ iv, tag, text }: Sealed, secret: string, purpose: string): unknown {
  const opening = createDecipheriv(cipher, keyOf(secret, purpose), Buffer.from(iv, 'base64'))
  opening.setAuthTag(Buffer.from(tag, 'base64'))
  return JSON.parse(Buffer.concat([opening.update(Buffer.from(text, 'base64')), opening.final()]).toString())
}
