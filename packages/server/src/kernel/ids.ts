import { randomBytes, randomFillSync } from 'node:crypto'

const pool = Buffer.alloc(16 * 256)
let used = pool.length
let lastMs = 0
let sequence = 0

/**
 * A UUID v7 (RFC 9562): ordered by time, and within this process strictly increasing, since a 12-bit counter
 * follows the milliseconds. The rest is random.
 */
export function newId(nowMs: number): string {
  if (nowMs > lastMs) {
    lastMs = nowMs
    sequence = 0
  } else if (++sequence > 0xfff) {
    lastMs++
    sequence = 0
  }
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const random = pool.toString('hex', used, used + 8)
  used += 16
  const time = lastMs.toString(16).padStart(12, '0')
  const variant = ((Number.parseInt(random[0] as string, 16) & 3) | 8).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence.toString(16).padStart(3, '0')}-${variant}${random.slice(1, 4)}-${random.slice(4)}`
}

const uuidShape = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether a text can be an id at all; what cannot does not exist, and never reaches the database. */
export const isId = (text: string): boolean => uuidShape.test(text)

/** Unguessable text of `bytes` random bytes, base64url. */
export const newSecret = (bytes: number): string => randomBytes(bytes).toString('base64url')
