import type { AccessLevel, accessDefaults } from '@kontor/contract'
import { actorUserId, type Actor, type Membership } from '../../kernel/actor.ts'

/** Levels of access to a record, each including those before it; stored as their place in this list. */
const levels = ['none', 'view', 'comment', 'edit', 'manage'] as const satisfies readonly ('none' | AccessLevel)[]

export type Level = (typeof levels)[number]

/** How a level is stored, in grants and in the `visibility` of what is shared. */
export const rankOf = (level: Level): number => levels.indexOf(level)

/** The level that is stored as a number. */
export const levelOf = (rank: number): Level => levels[rank] ?? 'none'

export const atLeast = (level: Level, needed: Level): boolean => rankOf(level) >= rankOf(needed)

const highest = (...some: readonly Level[]): Level => some.reduce((one, other) => (atLeast(one, other) ? one : other), 'none')

/** Who asks, about what belongs to one object. */
export type Asker = {
  readonly role: Membership['role']
  /** Null for a workspace key, which owns nothing and is granted nothing by itself. */
  readonly userId: string | null
  readonly objectDefault: (typeof accessDefaults)[number]
}

export const askerOf = (actor: Actor, membership: Membership, objectDefault: Asker['objectDefault']): Asker => ({
  role: membership.role,
  userId: actorUserId(actor),
  objectDefault,
})

/** What access is decided about: a record, or a row of another table with the same columns, such as a list. */
export type Guarded = {
  readonly id: string
  readonly owner_id: string | null
  /** The level that is granted to the workspace, 0 where none is. */
  readonly visibility: number
}

/** A viewer reads at most. */
export const capped = ({ role }: Asker, level: Level): Level => (role === 'viewer' && atLeast(level, 'view') ? 'view' : level)

/** What the caller may do with anything of the object, whoever owns it. */
export const levelOnAll = (asker: Asker): Level => (asker.role === 'admin' ? 'manage' : capped(asker, asker.objectDefault))

/** What the caller may do with one thing, whatever is granted to them alone. */
export function levelBeforeGrants(asker: Asker, { owner_id, visibility }: Pick<Guarded, 'owner_id' | 'visibility'>): Level {
  const owned: Level = asker.userId !== null && owner_id === asker.userId ? 'manage' : 'none'
  return highest(levelOnAll(asker), capped(asker, highest(owned, levelOf(visibility))))
}

/** What the caller may do with one thing: the highest of what holds for all, what ownership gives, and what is granted. */
export const levelOnRecord = (asker: Asker, guarded: Pick<Guarded, 'owner_id' | 'visibility'>, granted: Level): Level =>
  highest(levelBeforeGrants(asker, guarded), capped(asker, granted))
