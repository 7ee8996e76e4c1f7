import { crc32 } from 'node:zlib'
import { newSecret } from '../../../kernel/ids.ts'

export type KeyKind = 'personal' | 'workspace'

/** Not `pk_`, as in the first keys: another vendor's `pk_` means "publishable". The first keys still work. */
const prefixes = { personal: 'kp_', workspace: 'kw_' } as const satisfies Record<KeyKind, string>

const secretBytes = 32
const prefix = /^(kp|kw|pk|wk)_/
const shape = new RegExp(`${prefix.source}[A-Za-z0-9_-]{43}[0-9a-z]{7}$`)

/** Seven characters by which a secret scanner tells a key from look-alikes offline. */
const checksum = (text: string): string => crc32(text).toString(36).padStart(7, '0')

/** A new key: prefix, 32 random bytes, checksum. */
export function newKey(kind: KeyKind): string {
  const body = prefixes[kind] + newSecret(secretBytes)
  return body + checksum(body)
}

/** Returns whether a text was meant to be a Kontor key: no access token has such a prefix. */
export const looksLikeKey = (text: string): boolean => prefix.test(text)

/** Returns whether a text is a complete and undamaged Kontor key, known or not. */
export const isKey = (text: string): boolean => shape.test(text) && checksum(text.slice(0, -7)) === text.slice(-7)

export const shownPrefix = (key: string): string => key.slice(0, 7)
