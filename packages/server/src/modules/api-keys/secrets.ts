import { crc32 } from 'node:zlib'
import { newSecret } from '../../kernel/ids.ts'

export type KeyKind = 'personal' | 'workspace'

/** Not `pk_`, as the first keys had it: another vendor's `pk_` means "publishable". Those go on working. */
const prefixes = { personal: 'kp_', workspace: 'kw_' } as const satisfies Record<KeyKind, string>

const secretBytes = 32
const prefix = /^(kp|kw|pk|wk)_/
const shape = new RegExp(`${prefix.source}[A-Za-z0-9_-]{43}[0-9a-z]{7}$`)

/** Seven characters by which a secret scanner tells a key from look-alikes without asking anybody. */
const checksum = (text: string): string => crc32(text).toString(36).padStart(7, '0')

/** A new key: prefix, 32 random bytes, checksum. */
export function newKey(kind: KeyKind): string {
  const body = prefixes[kind] + newSecret(secretBytes)
  return body + checksum(body)
}

/** Whether a text was meant to be a key of ours: no access token begins so. */
export const looksLikeKey = (text: string): boolean => prefix.test(text)

/** Whether a text is a key of ours, whole and undamaged; says nothing about whether it is known. */
export const isKey = (text: string): boolean => shape.test(text) && checksum(text.slice(0, -7)) === text.slice(-7)

export const shownPrefix = (key: string): string => key.slice(0, 7)
