import type { Role } from '@kontor/contract'
import { actorId, isApp, type Actor, type Cause } from '../../../kernel/actor.ts'
import { narrowingOf } from '../../../kernel/authorise.ts'
import type { Acting } from './standing.ts'

/**
 * As whom a workflow runs: the person or the key of the workspace that last changed its graph or enabled it, with the
 * credential that did so and its scopes. A workflow stops when that credential ends (docs/decisions/0275).
 */
export type Owner = {
  readonly kind: 'user' | 'workspace-key'
  readonly id: string
  /** The role in which it was said; unknown of what was said earlier. */
  readonly role?: Role
  readonly scopes: readonly string[]
  readonly app?: string
  /** The id of a personal key. Workflows that were made with one before it was stored stop only with their person. */
  readonly key?: string
  /** The id of the workflow itself where it is an agent: what it writes is its own. */
  readonly agent?: string
}

/** The owner that a caller makes of themselves. */
export const ownerOf = (actor: Actor, role: Role): Owner => ({
  kind: actor.kind === 'workspace-key' ? 'workspace-key' : 'user',
  id: actorId(actor),
  role,
  scopes: narrowingOf(actor) ?? [],
  ...(actor.kind === 'user' && isApp(actor) && { app: actor.app }),
  ...(actor.kind === 'personal-key' && { key: actor.keyId }),
})

/** The actor of a run. */
export function actorOf(
  { kind, id, scopes, app, key, agent }: Owner,
  workspaceId: string,
  cause: Cause | undefined,
): Actor {
  const more = { ...(cause !== undefined && { cause }), ...(agent !== undefined && { agent }) }
  if (kind === 'workspace-key') return { kind, keyId: id, workspaceId, scopes, ...more }
  if (key !== undefined) return { kind: 'personal-key', userId: id, keyId: key, workspaceId, scopes, ...more }
  return { kind, userId: id, onlyWorkspaceId: workspaceId, scopes, ...(app !== undefined && { app }), ...more }
}

/** The actor as whom an owner's workflows read; no viewer has made one, and earlier ones did not store the role. */
export const actingAs = (owner: Owner, workspaceId: string): Acting => ({
  ...actorOf(owner, workspaceId, undefined),
  role: owner.role ?? 'member',
})
