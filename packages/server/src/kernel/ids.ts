import { createHash, hash, randomBytes, randomFillSync } from 'node:crypto'
import { defined } from '../lib/guards.ts'

/** Random hex digits, converted to text in bulk: converting for each id costs more than the id. */
const pool = Buffer.alloc(8 * 512)
let digits = ''
let used = 0
let lastMs = 0
let sequence = 0
let timeMs = -1
let time = ''
const variants = ['8', '9', 'a', 'b']

/**
 * A UUID v7 (RFC 9562): ordered by time, and strictly increasing within this process, since a 12-bit counter follows
 * the milliseconds. The rest is random.
 */
export function newId(nowMs: number): string {
  if (nowMs > lastMs) {
    lastMs = nowMs
    sequence = 0
  } else if (++sequence > 0xfff) {
    lastMs++
    sequence = 0
  }
  if (used === digits.length) {
    digits = randomFillSync(pool).toString('hex')
    used = 0
  }
  const at = used
  used += 16
  if (lastMs !== timeMs) {
    timeMs = lastMs
    const text = lastMs.toString(16).padStart(12, '0')
    time = `${text.slice(0, 8)}-${text.slice(8)}-7`
  }
  const variant = defined(variants[Number.parseInt(digits.charAt(at), 16) & 3])
  const counted = sequence.toString(16).padStart(3, '0')
  return `${time}${counted}-${variant}${digits.slice(at + 1, at + 4)}-${digits.slice(at + 4, at + 16)}`
}

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Returns whether a text has the form of an id. Other texts name nothing, and never reach the database. */
export const isId = (text: string): boolean => uuidShape.test(text)

/**
 * A deterministic id for a thing without one of its own: a UUID v8 (RFC 9562) derived from the names that identify it.
 */
export function derivedId(...names: readonly string[]): string {
  const hex = createHash('sha256').update(names.join('\0')).digest('hex')
  const variant = variants[Number.parseInt(hex.charAt(16), 16) & 3]
  const [low, middle, high] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(13, 16)]
  return `${low}-${middle}-8${high}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Unguessable text of `bytes` random bytes, base64url. */
export const newSecret = (bytes: number): string => randomBytes(bytes).toString('base64url')

/** The hash under which a secret is stored. The secret is random, so one round of SHA-256 is enough. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'base64url')

/** A fraction from 0 up to 1, for waits with jitter. */
export const randomFraction = (): number => Math.random()
