import { actorId, isApp, type Actor, type Cause } from '../../../kernel/actor.ts'
import { narrowingOf } from '../../../kernel/scopes.ts'

/**
 * As whom a workflow runs: the person or the key of the workspace that last changed its graph or enabled it, with the
 * scopes of the credential that did so. An app stays an app: it may do what it holds a scope for, while its consent
 * lasts.
 */
export type Owner = {
  readonly kind: 'user' | 'workspace-key'
  readonly id: string
  readonly scopes: readonly string[]
  readonly app?: string
  /** The id of the workflow itself where it is an agent: what it writes is its own. */
  readonly agent?: string
}

/** The owner that a caller makes of themselves. */
export const ownerOf = (actor: Actor): Owner => ({
  kind: actor.kind === 'workspace-key' ? 'workspace-key' : 'user',
  id: actorId(actor),
  scopes: narrowingOf(actor) ?? [],
  ...(actor.kind === 'user' && isApp(actor) && { app: actor.app }),
})

/** The actor of a run. */
export function actorOf({ kind, id, scopes, app, agent }: Owner, workspaceId: string, cause: Cause | undefined): Actor {
  const more = { ...(cause !== undefined && { cause }), ...(agent !== undefined && { agent }) }
  if (kind === 'workspace-key') return { kind, keyId: id, workspaceId, scopes, ...more }
  return { kind, userId: id, onlyWorkspaceId: workspaceId, scopes, ...(app !== undefined && { app }), ...more }
}
