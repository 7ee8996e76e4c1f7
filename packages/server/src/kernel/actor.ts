import type { Role } from '@kontor/contract'

/** Who calls, as the credential says; the workspace is not yet looked at. */
export type Actor =
  | {
      readonly kind: 'user'
      readonly userId: string
      readonly scopes: readonly string[]
      /** The app that acts for the person, by its id: it may do what it has a scope for, and nothing where it has none. */
      readonly app?: string
      /** The one workspace that the person let the app into; without it, all of theirs. */
      readonly onlyWorkspaceId?: string
    }
  | {
      readonly kind: 'personal-key'
      readonly userId: string
      readonly keyId: string
      readonly workspaceId: string
      readonly scopes: readonly string[]
    }
  | {
      readonly kind: 'workspace-key'
      readonly keyId: string
      readonly workspaceId: string
      readonly scopes: readonly string[]
    }

/** The workspace of a call and what the caller is in it. A workspace key has the rights of a member without records of its own. */
export type Membership = {
  readonly workspaceId: string
  readonly slug: string
  readonly role: Role
  /** Changes whenever a schema of the workspace does. */
  readonly schemaEpoch: number
}

/** The id that is written to `_created_by` and into events. */
export const actorId = (actor: Actor): string => (actor.kind === 'workspace-key' ? actor.keyId : actor.userId)

/** Whom ownership and grants are looked up for; a workspace key owns nothing. */
export const actorUserId = (actor: Actor): string | null => (actor.kind === 'workspace-key' ? null : actor.userId)

/** By what the caller calls: a key, or the app of a third party; null for a person's own token. */
export const sourceId = (actor: Actor): string | null => (actor.kind === 'user' ? (actor.app ?? null) : actor.keyId)

/** The same actor for what follows from a call that was allowed: what the credential is narrowed to was asked then. */
export const unnarrowed = (actor: Actor): Actor =>
  actor.kind === 'user' ? { kind: 'user', userId: actor.userId, scopes: [] } : { ...actor, scopes: [] }

/** Whether a caller may get into a workspace, whatever they are in it. */
export const mayEnter = (actor: Actor, workspaceId: string): boolean => {
  const only = actor.kind === 'user' ? actor.onlyWorkspaceId : actor.workspaceId
  return only === undefined || only === workspaceId
}

/** Whether a third party's app acts for a person. */
export const isApp = (actor: Actor): boolean => actor.kind === 'user' && actor.app !== undefined
