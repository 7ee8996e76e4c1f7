import type { Role } from '@kontor/contract'
import type { ReadTx } from '../../../db/tx.ts'
import { actorUserId, type Actor } from '../../../kernel/actor.ts'
import { isKeyValid } from '../api-keys/index.ts'
import { isConsented } from '../oauth/index.ts'
import { findMember } from '../users/index.ts'

/** Why the server no longer acts for a person or a key. */
export type Ended = 'owner_left' | 'credential_ended'

/** The role in which the server acts for a person or a key without a call, or why it no longer may. */
type Standing = { readonly role: Role } | { readonly ended: Ended }

/**
 * How a credential stands now that something was made with, such as a webhook or a workflow: its person must be a
 * member, and its key or the consent to its app still be valid (docs/decisions/0154). A person's own session is no
 * credential that ends.
 */
export async function standingOf(tx: ReadTx, workspaceId: string, actor: Actor, now: number): Promise<Standing> {
  const userId = actorUserId(actor)
  const [member, isValid] = await Promise.all([
    userId === null ? undefined : findMember(tx, workspaceId, userId),
    isCredentialValid(tx, workspaceId, actor, now),
  ])
  if (userId !== null && member === undefined) return { ended: 'owner_left' }
  if (!isValid) return { ended: 'credential_ended' }
  return { role: member?.role ?? 'member' }
}

async function isCredentialValid(tx: ReadTx, workspaceId: string, actor: Actor, now: number): Promise<boolean> {
  if (actor.kind !== 'user') return isKeyValid(tx, workspaceId, actor.keyId, now)
  return actor.app === undefined || isConsented(tx, { userId: actor.userId, clientId: actor.app, workspaceId })
}
