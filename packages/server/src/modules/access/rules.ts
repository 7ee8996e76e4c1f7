import type { AccessLevel, accessDefaults } from '@kontor/contract'
import { actorUserId, type Actor, type Membership } from '../../kernel/actor.ts'
import { mayTouch, scopeMissing, type RecordVerb } from '../../kernel/scopes.ts'

/** Levels of access to a record, each including those before it; stored as their place in this list. */
const levels = ['none', 'view', 'comment', 'edit', 'manage'] as const satisfies readonly ('none' | AccessLevel)[]

export type Level = (typeof levels)[number]

/** How a level is stored, in grants and in the `visibility` of what is shared. */
export const rankOf = (level: Level): number => levels.indexOf(level)

/** The level that is stored as a number. */
export const levelOf = (rank: number): Level => levels[rank] ?? 'none'

export const atLeast = (level: Level, needed: Level): boolean => rankOf(level) >= rankOf(needed)

const highest = (...some: readonly Level[]): Level =>
  some.reduce((one, other) => (atLeast(one, other) ? one : other), 'none')

/**
 * What a call wants of the records of an object: to read, change or delete them; to `refer` to them from others; or to `name`
 * them, which tells no more of them than ids that stand in other records.
 */
export type Permission = RecordVerb | 'refer' | 'name'

/** The `visibility` of what is private: what its object gives does not hold for it, and the workspace is granted nothing on it. */
export const hidden = -1

declare const scopesWereAsked: unique symbol

/**
 * Who asks, about what belongs to one object. `principalOf` alone makes one, so that whatever reads rows or judges them, which
 * takes one, stands behind the scopes of the credential.
 */
export type Principal<N extends Permission = Permission> = {
  readonly role: Membership['role']
  /** Null for a workspace key, which owns nothing and is granted nothing by itself. */
  readonly userId: string | null
  readonly objectDefault: (typeof accessDefaults)[number]
  /** Levels that are granted on everything of the object, by grantee; the workspace is one. */
  readonly objectGrants: ReadonlyMap<string, number> | undefined
  /** Whether there may be something of the object that is private, whatever the object gives. */
  readonly mayHide: boolean
  readonly workspaceId: string
  readonly [scopesWereAsked]: N
}

/** Who calls, and in which workspace. */
export type Caller = { readonly actor: Actor; readonly workspace: Membership }

/** An object, as far as access to what belongs to it goes: a schema, or what is shared without having one, such as lists. */
export type SecurableObject = {
  readonly title: string
  readonly xSvcAccess: { readonly default: Principal['objectDefault'] }
  readonly grants?: Principal['objectGrants']
  readonly mayHide?: boolean
}

/** Ids of members stand in every record, so that to refer to one needs no more than to read that. */
const isOpen = (need: Permission, object: string): boolean => need === 'name' || (need === 'refer' && object === 'user')

/** Whether the credential is narrowed away from what is wanted of an object. */
export const mayUse = ({ actor }: Pick<Caller, 'actor'>, { title }: SecurableObject, need: Permission): boolean =>
  isOpen(need, title) || mayTouch(actor, need === 'refer' || need === 'name' ? 'read' : need, title)

/** Who asks about an object; 403 `insufficient_scope` for a credential that is narrowed to others. */
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

/** The same question for a member of the workspace, whoever has it asked. */
export const principalFor = (
  principal: Principal,
  { id, role }: { readonly id: string; readonly role: Membership['role'] },
): Principal => ({ ...principal, userId: id, role })

/** What access is decided about: a record, or a row of another table with the same columns, such as a list. */
export type Securable = {
  readonly id: string
  readonly owner_id: string | null
  /** The level that the workspace has on it, 0 where that is none; `hidden` where it is private. */
  readonly visibility: number
}

/** A viewer reads at most. */
export const capped = ({ role }: Principal, level: Level): Level =>
  role === 'viewer' && atLeast(level, 'view') ? 'view' : level

/** What the caller may do with anything of the object, whoever owns it. */
export const levelOnAll = (principal: Principal): Level =>
  principal.role === 'admin'
    ? 'manage'
    : capped(principal, highest(principal.objectDefault, ...grantedOnAll(principal)))

const grantedOnAll = ({ objectGrants, workspaceId, userId }: Principal): Level[] =>
  objectGrants === undefined
    ? []
    : [workspaceId, userId].map((grantee) => levelOf(objectGrants.get(grantee ?? '') ?? 0))

/** Whether what the object gives holds for one thing: it does not for what is private, but for admins. */
export const isOpenTo = ({ role }: Pick<Principal, 'role'>, { visibility }: Pick<Securable, 'visibility'>): boolean =>
  visibility !== hidden || role === 'admin'

/** What the caller may do with one thing, whatever is granted to them alone. */
export function levelBeforeGrants(principal: Principal, guarded: Pick<Securable, 'owner_id' | 'visibility'>): Level {
  const { owner_id, visibility } = guarded
  const owned: Level = principal.userId !== null && owner_id === principal.userId ? 'manage' : 'none'
  return highest(
    isOpenTo(principal, guarded) ? levelOnAll(principal) : 'none',
    capped(principal, highest(owned, levelOf(visibility))),
  )
}

/** What the caller may do with one thing: the highest of what holds for all, what ownership gives, and what is granted. */
export const levelOnRecord = (
  principal: Principal,
  guarded: Pick<Securable, 'owner_id' | 'visibility'>,
  granted: Level,
): Level => highest(levelBeforeGrants(principal, guarded), capped(principal, granted))
