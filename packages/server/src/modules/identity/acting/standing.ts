import { actingStops, type Role } from '@kontor/contract'
import type { ReadTx } from '../../../db/tx.ts'
import { actorUserId, type Actor } from '../../../kernel/actor.ts'
import { isLowerRole } from '../../../kernel/authorise.ts'
import type { WorkspaceNow } from '../../../kernel/clock.ts'
import { failure } from '../../../kernel/errors.ts'
import { isOneOf } from '../../../lib/guards.ts'
import { isKeyValid } from '../api-keys/index.ts'
import { isConsented } from '../oauth/index.ts'
import { findMember } from '../users/index.ts'
import { serverContext, type SchemaSet } from '../../schemas/index.ts'

/**
 * A person or a key for whom the server acts later, with the credential that they used, and the role that they had;
 * that is unknown of what was stored before it was kept.
 */
export type Acting = Actor & { readonly role?: Role }

/** The reason for which the server no longer acts for somebody. */
export type ActingStop = (typeof actingStops)[number]

export type Stopped = { readonly stopped: ActingStop }

/** The role in which the server acts for somebody, or why it no longer may. */
export type ActingStanding = { readonly role: Role } | Stopped

/** Returns whether something was stopped because of the one for whom it acted: another one may take it over. */
export const isActingStop = (reason: string | null): reason is ActingStop => isOneOf(actingStops, reason)

/**
 * Returns how somebody stands now with the credential that something was made with: the person must be a member, with
 * no lower role than then, and the key or the consent to the app still be valid (docs/decisions/0275). A person's own
 * session is no credential that ends.
 */
export async function standingOf(
  tx: ReadTx,
  { workspaceId, now }: WorkspaceNow,
  acting: Acting,
): Promise<ActingStanding> {
  const userId = actorUserId(acting)
  const [member, isValid] = await Promise.all([
    userId === null ? undefined : findMember(tx, workspaceId, userId),
    isCredentialValid(tx, workspaceId, acting, now),
  ])
  if (userId !== null && member === undefined) return { stopped: 'owner_left' }
  if (!isValid) return { stopped: 'credential_ended' }
  const { role } = member ?? { role: 'member' }
  return isDemoted(acting, role) ? { stopped: 'owner_demoted' } : { role }
}

/** Refuses a call for somebody whose key or app is no longer valid, which no call of the server itself presents. */
export async function requireCredential(tx: ReadTx, { workspaceId, now }: WorkspaceNow, actor: Actor): Promise<void> {
  if (await isCredentialValid(tx, workspaceId, actor, now)) return
  throw failure('key_invalid', 'The key or app that this acts with was revoked or has expired.')
}

async function isCredentialValid(tx: ReadTx, workspaceId: string, actor: Actor, now: number): Promise<boolean> {
  if (actor.kind !== 'user') return isKeyValid(tx, workspaceId, actor.keyId, now)
  return actor.app === undefined || isConsented(tx, { userId: actor.userId, clientId: actor.app, workspaceId })
}

const isDemoted = ({ kind, role: before }: Acting, now: Role): boolean =>
  kind !== 'workspace-key' && before !== undefined && isLowerRole(now, before)

/** The context in which the server reads for somebody. */
export type ActingContext = ReturnType<typeof serverContext>

/** Returns the context in which the server reads for somebody, in a role that they are known to have. */
export const contextAs = (
  tx: ReadTx,
  { workspaceId, now }: WorkspaceNow,
  schemas: SchemaSet,
  actor: Acting,
  role: Role,
): ActingContext => serverContext(tx, workspaceId, schemas, { actor, role }, now)

/** Returns the context in which the server reads for somebody now, or why they may see nothing any more. */
export async function contextOf(
  tx: ReadTx,
  at: WorkspaceNow,
  readSchemas: () => Promise<SchemaSet>,
  acting: Acting,
): Promise<ActingContext | Stopped> {
  const [standing, schemas] = await Promise.all([standingOf(tx, at, acting), readSchemas()])
  return 'stopped' in standing ? standing : contextAs(tx, at, schemas, acting, standing.role)
}
