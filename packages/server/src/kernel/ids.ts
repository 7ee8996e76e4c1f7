import { createHash, hash, randomBytes, randomFillSync, randomUUID } from 'node:crypto'
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
  const random = randomDigits()
  return `${timeDigits(lastMs)}${hex3(sequence)}-${variantOf(random)}${random.slice(1, 4)}-${random.slice(4)}`
}

let recordMs = 0
let recordSequence = 0

/**
 * A UUID v7 that begins with exactly this time, even if other ids have gone beyond it: among records, the order of the
 * ids is that of the creation times (docs/decisions/0146). Within a millisecond a counter of 24 bits increases, which
 * none of the largest bulks exhausts.
 */
export function newRecordId(nowMs: number): string {
  if (nowMs > recordMs) {
    recordMs = nowMs
    recordSequence = 0
  }
  const count = recordSequence++ & 0xffffff
  // The variant stands between the halves of the counter, so its free bits are the same in all.
  return `${timeDigits(nowMs)}${hex3(count >> 12)}-8${hex3(count & 0xfff)}-${randomDigits().slice(4)}`
}

/** A UUID v4 (RFC 9562): all of it that may be is random, so that it cannot be guessed. */
export const newSecretId = (): string => randomUUID()

/** The time that an id begins with. */
export const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

const hex3 = (number: number): string => number.toString(16).padStart(3, '0')

const variantOf = (random: string): string => defined(variants[Number.parseInt(random.charAt(0), 16) & 3])

function randomDigits(): string {
  if (used === digits.length) {
    digits = randomFillSync(pool).toString('hex')
    used = 0
  }
  used += 16
  return digits.slice(used - 16, used)
}

/** The first three groups of an id, without what follows the version. */
function timeDigits(ms: number): string {
  if (ms !== timeMs) {
    timeMs = ms
    const text = ms.toString(16).padStart(12, '0')
    time = `${text.slice(0, 8)}-${text.slice(8)}-7`
  }
  return time
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

/** A random share, from 0 up to 1: for pauses that shall not all end at once. */
export const randomShare = (): number => randomBytes(4).readUInt32BE() / 2 ** 32
