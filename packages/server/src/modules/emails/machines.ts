import type { ReadTx } from '../../db/tx.ts'
import { findMember, findUserByEmail } from '../identity/users/index.ts'
import type { EmailHead } from './store.ts'

/** The facts about a client that loads the picture of a letter, or follows a link in it. */
export type Visitor = {
  /** A program by its own account. */
  readonly isProgram: boolean
  /** The user who is signed in where the request comes from. */
  readonly userId: string | undefined
}

/** Scanners on the way to a mailbox open a letter within this time; readers do not. */
const scansMs = 5000

/**
 * Returns whether a visit says nothing of the reader of a letter: by a program, or by a member of the workspace (0173).
 */
export async function isMachine(
  tx: ReadTx,
  { workspace_id, recipients, created_at, sent_at }: EmailHead,
  { isProgram, userId }: Visitor,
  now: number,
): Promise<boolean> {
  // Another node may have sent it, whose clock is ahead.
  if (isProgram || Math.abs(now - (sent_at ?? created_at)) < scansMs) return true
  const [only = ''] = recipients
  const readers = recipients.length === 1 ? (await findUserByEmail(tx, only))?.id : undefined
  for (const id of [userId, readers])
    if (id !== undefined && (await findMember(tx, workspace_id, id)) !== undefined) return true
  return false
}
