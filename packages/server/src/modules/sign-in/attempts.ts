import { hash } from 'node:crypto'
import type { Tx } from '../../db/tx.ts'
import { emailKey } from '../users/index.ts'
import { deleteAttempts, lockAttempts, updateAttempts } from './store.ts'

/** Wrong passwords in a row after which an address is locked, and for how long. Guessing comes to a thousand a day then. */
const failuresMax = 10
export const lockedMs = 15 * 60_000

/** Addresses are counted by a hash, since people also type passwords where their address belongs. */
export const attemptKey = (email: string): string => hash('sha256', emailKey(email), 'base64url')

/**
 * Counts an attempt before it is known how it ends, so that many at once are as limited as one after another; false where the
 * address is locked. Counted in the database, so on all nodes together; for addresses that nobody has too.
 */
export async function countAttempt(tx: Tx, key: string, now: number): Promise<boolean> {
  const { failures, began_at } = await lockAttempts(tx, key, now)
  // Whoever waited for the lock is a little behind; where a clock was set back, it is not waited for.
  const isOver = Math.abs(now - began_at) >= lockedMs
  if (!isOver && failures >= failuresMax) return false
  const counted = isOver ? 1 : failures + 1
  // The wait begins with the last attempt, not with the first.
  await updateAttempts(tx, {
    email_hash: key,
    failures: counted,
    began_at: isOver || counted === failuresMax ? now : began_at,
  })
  return true
}

/** A right password, or a new one, ends the count. */
export const forgetAttempts = (tx: Tx, key: string): Promise<void> => deleteAttempts(tx, key)
