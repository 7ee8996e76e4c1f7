import type { accessDefaults } from '@kontor/contract'
import { actorUserId, type Actor, type Membership } from '../../kernel/actor.ts'

/** Levels of access to a record, each including those before it. */
const levels = ['none', 'view', 'comment', 'edit', 'manage'] as const

export type Level = (typeof levels)[number]

const rank = (level: Level): number => levels.indexOf(level)

export const atLeast = (level: Level, needed: Level): boolean => rank(level) >= rank(needed)

/** Who asks, about records of which object. */
export type Asker = {
  readonly role: Membership['role']
  /** Null for a workspace key, which owns nothing. */
  readonly userId: string | null
  readonly objectDefault: (typeof accessDefaults)[number]
}

export const askerOf = (actor: Actor, membership: Membership, objectDefault: Asker['objectDefault']): Asker => ({
  role: membership.role,
  userId: actorUserId(actor),
  objectDefault,
})

/** What the caller may do with any record of the object, whoever owns it. */
export function levelOnAll({ role, objectDefault }: Asker): Level {
  if (role === 'admin') return 'manage'
  return role === 'viewer' && atLeast(objectDefault, 'view') ? 'view' : objectDefault
}

/** What the caller may do with one record: the highest of what holds for all and what ownership or sharing adds. */
export function levelOnRecord(asker: Asker, record: { readonly owner_id: string | null; readonly visibility: number }): Level {
  const owned = asker.userId !== null && record.owner_id === asker.userId
  const added: Level = owned ? 'manage' : record.visibility > 0 ? 'view' : 'none'
  const granted = asker.role === 'viewer' && atLeast(added, 'view') ? 'view' : added
  const general = levelOnAll(asker)
  return atLeast(granted, general) ? granted : general
}
