import { hash } from 'node:crypto'
import type { Tx } from '../../../db/tx.ts'
import { emailKey } from '../users/index.ts'
import { lockAttempts, updateAttempts } from './store.ts'

/** Consecutive wrong passwords that lock an address, and for how long. This limits guessing to a thousand a day. */
const failuresMax = 10
export const lockedMs = 15 * 60_000

/** Addresses are counted by a hash, since people also type passwords into the address field. */
export const attemptKey = (email: string): string => hash('sha256', emailKey(email), 'base64url')

/**
 * Counts an attempt before its outcome is known, so that concurrent attempts are limited like consecutive ones; false
 * if the address is locked. Counted in the database, so across all nodes, and for addresses without an account too.
 */
export async function countAttempt(tx: Tx, key: string, now: number): Promise<boolean> {
  const { failures, began_at } = await lockAttempts(tx, key, now)
  // A caller that waited for the lock is slightly behind; if a clock was set back, the lock ends at once.
  const isOver = Math.abs(now - began_at) >= lockedMs
  if (!isOver && failures >= failuresMax) return false
  const counted = isOver ? 1 : failures + 1
  // The lock is counted from the last attempt, not from the first.
  await updateAttempts(tx, {
    email_hash: key,
    failures: counted,
    began_at: isOver || counted === failuresMax ? now : began_at,
  })
  return true
}
