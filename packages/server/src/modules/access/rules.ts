import type { AccessLevel, accessDefaults } from '@kontor/contract'
import { actorUserId, type Actor, type Membership } from '../../kernel/actor.ts'
import { mayTouch, scopeMissing, type RecordVerb } from '../../kernel/authorise.ts'

/** Levels of access to a record, each including those before it; stored as their place in this list. */
const levels = ['none', 'view', 'comment', 'edit', 'manage'] as const satisfies readonly ('none' | AccessLevel)[]

export type Level = (typeof levels)[number]

/** The number that stores a level, in grants and in the `visibility` of shared targets. */
export const rankOf = (level: Level): number => levels.indexOf(level)

/** The level that is stored as a number. */
export const levelOf = (rank: number): Level => levels[rank] ?? 'none'

export const atLeast = (level: Level, needed: Level): boolean => rankOf(level) >= rankOf(needed)

const highest = (...some: readonly Level[]): Level =>
  some.reduce((one, other) => (atLeast(one, other) ? one : other), 'none')

/**
 * Permission that a call needs on the records of an object: to read, change or delete them; to `refer` to them from
 * others; or to `name` them, which reveals no more than the ids that other records hold.
 */
export type Permission = RecordVerb | 'refer' | 'name'

/**
 * The `visibility` of a private target: the default level of its object does not apply, and the workspace has no grant
 * on it.
 */
export const hidden = -1

declare const scopesWereAsked: unique symbol

/**
 * The principal: who asks about the records of one object. Only `principalOf` makes one; since everything that reads or
 * judges rows takes a principal, none of it bypasses the scopes of the credential.
 */
export type Principal<N extends Permission = Permission> = {
  readonly role: Membership['role']
  /** Null for a workspace key, which owns nothing and has no grants of its own. */
  readonly userId: string | null
  readonly objectDefault: (typeof accessDefaults)[number]
  /** Levels granted on the whole object, by grantee; the workspace is one of the grantees. */
  readonly objectGrants: ReadonlyMap<string, number> | undefined
  /** Set if some records of the object may be private, whatever its default level. */
  readonly mayHide: boolean
  readonly workspaceId: string
  readonly [scopesWereAsked]: N
}

/** The caller, and their membership in the workspace. */
export type Caller = { readonly actor: Actor; readonly workspace: Membership }

/** An object to which access is controlled: a schema, or a kind of target without a schema, such as lists. */
export type SecurableObject = {
  readonly title: string
  readonly xSvcAccess: { readonly default: Principal['objectDefault'] }
  readonly grants?: Principal['objectGrants']
  readonly mayHide?: boolean
}

/** Every record holds ids of members, so referring to a member needs no more than reading that record. */
const isOpen = (need: Permission, object: string): boolean => need === 'name' || (need === 'refer' && object === 'user')

/** Tells whether the scopes of the credential allow a permission on an object. */
export const mayUse = ({ actor }: Pick<Caller, 'actor'>, { title }: SecurableObject, need: Permission): boolean =>
  isOpen(need, title) || mayTouch(actor, need === 'refer' || need === 'name' ? 'read' : need, title)

/** The principal for an object; 403 `insufficient_scope` if the credential's scopes exclude it. */
export function principalOf<N extends Permission>(
  { actor, workspace }: Caller,
  object: SecurableObject,
  need: N,
): Principal<N> {
  if (!mayUse({ actor }, object, need))
    throw scopeMissing(actor, need === 'write' || need === 'delete' ? need : 'read', object.title)
  return {
    role: workspace.role,
    userId: actorUserId(actor),
    objectDefault: object.xSvcAccess.default,
    objectGrants: object.grants,
    mayHide: object.mayHide === true,
    workspaceId: workspace.workspaceId,
  } as Principal<N>
}

/** The principal for a member of the workspace, independent of the credential of the call. */
export const principalFor = (
  principal: Principal,
  { id, role }: { readonly id: string; readonly role: Membership['role'] },
): Principal => ({ ...principal, userId: id, role })

/** A securable: a record, or a row of another table with the same columns, such as a list. */
export type Securable = {
  readonly id: string
  readonly owner_id: string | null
  /** The level granted to the workspace, 0 for none; `hidden` if it is private. */
  readonly visibility: number
}

/** Limits a level by the role: a viewer only reads. */
export const capped = ({ role }: Principal, level: Level): Level =>
  role === 'viewer' && atLeast(level, 'view') ? 'view' : level

/** The caller's level on everything of the object, independent of ownership. */
export const levelOnAll = (principal: Principal): Level =>
  principal.role === 'admin'
    ? 'manage'
    : capped(principal, highest(principal.objectDefault, ...grantedOnAll(principal)))

const grantedOnAll = ({ objectGrants, workspaceId, userId }: Principal): Level[] =>
  objectGrants === undefined
    ? []
    : [workspaceId, userId].map((grantee) => levelOf(objectGrants.get(grantee ?? '') ?? 0))

/** Tells whether the level of the object applies to a target: not to a private one, except for admins. */
export const isOpenTo = ({ role }: Pick<Principal, 'role'>, { visibility }: Pick<Securable, 'visibility'>): boolean =>
  visibility !== hidden || role === 'admin'

/** The caller's level on a target before grants on that target to the caller. */
export function levelBeforeGrants(principal: Principal, guarded: Pick<Securable, 'owner_id' | 'visibility'>): Level {
  const { owner_id, visibility } = guarded
  const owned: Level = principal.userId !== null && owner_id === principal.userId ? 'manage' : 'none'
  return highest(
    isOpenTo(principal, guarded) ? levelOnAll(principal) : 'none',
    capped(principal, highest(owned, levelOf(visibility))),
  )
}

/** The caller's level on a target: the highest of the object's level, ownership, and grants. */
export const levelOnRecord = (
  principal: Principal,
  guarded: Pick<Securable, 'owner_id' | 'visibility'>,
  granted: Level,
): Level => highest(levelBeforeGrants(principal, guarded), capped(principal, granted))
