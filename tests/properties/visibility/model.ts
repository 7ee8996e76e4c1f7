import type { Caller } from '../../harness/people.ts'

const levels = ['none', 'view', 'comment', 'edit', 'manage'] as const
export type Rank = (typeof levels)[number]
export const visibilities = ['default', 'private', 'workspace'] as const
type Said = (typeof visibilities)[number]

export const reaches = (rank: Rank, needed: Rank): boolean => levels.indexOf(rank) >= levels.indexOf(needed)

const highest = (some: readonly Rank[]): Rank =>
  some.reduce<Rank>((one, other) => (reaches(one, other) ? one : other), 'none')

/** A caller; a workspace key has no id of its own. */
export type Who = {
  readonly name: string
  readonly as: Caller
  readonly id: string | null
  readonly role: 'admin' | 'member' | 'viewer'
}

/** A meeting, as the reference model keeps it. */
export type Meeting = {
  readonly id: string
  readonly owner: string | null
  readonly title: string
  readonly group: string
  start: string | null
  said: Said
  readonly grants: Map<string, { readonly id: string; readonly level: Rank }>
  state: 'live' | 'deleted' | 'merged'
}

/** The rights to meetings, one by one: no index, no query, no counter. */
export class Model {
  readonly meetings: Meeting[] = []
  /** On all meetings, by grantee; `workspace` is one. */
  readonly onAll = new Map<string, { readonly id: string; readonly level: Rank }>()

  level({ id, role }: Who, { owner, said, grants }: Meeting): Rank {
    if (role === 'admin') return 'manage'
    const of = (some: Meeting['grants'], grantee: string | null): Rank => some.get(grantee ?? '')?.level ?? 'none'
    const parts: Rank[] = [id !== null && owner === id ? 'manage' : 'none', of(grants, id)]
    if (said !== 'private') parts.push(of(this.onAll, 'workspace'), of(this.onAll, id), of(grants, 'workspace'))
    if (said === 'workspace') parts.push('view')
    const level = highest(parts)
    return role === 'viewer' && reaches(level, 'view') ? 'view' : level
  }

  mayView = (who: Who, meeting: Meeting): boolean => reaches(this.level(who, meeting), 'view')

  among = (state: Meeting['state']): Meeting[] => this.meetings.filter((one) => one.state === state)

  seen = (who: Who): Meeting[] => this.among('live').filter((meeting) => this.mayView(who, meeting))

  mayCreate = ({ role, id }: Who): boolean =>
    role !== 'viewer' && (id !== null || reaches(this.onAll.get('workspace')?.level ?? 'none', 'edit'))
}
