import type { Level } from '../../harness/grants.ts'
import type { Caller } from '../../harness/people.ts'

/** The levels of a default, or nothing. */
const ranks = ['none', 'view', 'comment', 'edit', 'manage'] as const satisfies readonly ('none' | Level)[]
export type Rank = (typeof ranks)[number]

export const reaches = (rank: Rank, needed: Rank): boolean => ranks.indexOf(rank) >= ranks.indexOf(needed)

const highest = (...some: readonly Rank[]): Rank =>
  some.reduce((one, other) => (reaches(one, other) ? one : other), 'none')

/** A caller; a workspace key has no id of its own. */
export type Who = {
  readonly name: string
  readonly as: Caller
  readonly id: string | null
  readonly role: 'admin' | 'member' | 'viewer'
}

type Grant = { readonly id: string; level: Level }

/** A record, as a person would note it down on paper. */
export type Thing = {
  readonly id: string
  readonly object: string
  readonly owner: string | null
  readonly createdAt: string
  readonly code: string
  /** Unique among all records. */
  name: string
  /** Words that many have in their names. */
  group: string
  rank: number | null
  /** Of the closed object, both. */
  ref: string | null
  readonly links: Set<string>
  readonly comments: string[]
  readonly grants: Map<string, Grant>
  /** The owners of records that were merged into it. */
  readonly formerOwners: Set<string>
  /** Of these, with who merged it. */
  readonly takings: Set<string>
  state: 'live' | 'deleted' | 'merged'
}

/** The rights of each caller, record by record; no index, no query, no shortcut. */
export class Model {
  readonly defaults = new Map<string, Rank>()
  readonly things = new Map<string, Thing>()

  level(who: Who, { object, owner, grants }: Thing): Rank {
    if (who.role === 'admin') return 'manage'
    const parts: Rank[] = [this.defaults.get(object) ?? 'none', grants.get('workspace')?.level ?? 'none']
    if (who.id !== null && owner === who.id) parts.push('manage')
    if (who.id !== null) parts.push(grants.get(who.id)?.level ?? 'none')
    const all = highest(...parts)
    return who.role === 'viewer' && reaches(all, 'view') ? 'view' : all
  }

  mayShare = (who: Who, thing: Thing): boolean => who.id !== null && this.level(who, thing) === 'manage'

  /**
   * Returns whether a member manages a record since its owner has merged one of theirs into it, which others do not
   * take back from them.
   */
  isKept = (who: Who, { grants, owner, takings }: Thing, grantee: string): boolean =>
    grants.get(grantee)?.level === 'manage' &&
    takings.has(`${grantee} ${owner}`) &&
    who.id !== grantee &&
    who.role !== 'admin'

  /**
   * The grants on the target of a merge: the highest of either for a caller who may share the target; for all others
   * that of the target, but the owner of a source manages it, except by a merge of their own.
   */
  mergedLevels(who: Who, target: Thing, source: Thing): Map<string, Level> {
    const mayShare = this.mayShare(who, target)
    const levels = new Map([...target.grants].map(([grantee, { level }]) => [grantee, level]))
    const add = (grantee: string, level: Level): void =>
      void (reaches(levels.get(grantee) ?? 'none', level) || levels.set(grantee, level))
    for (const [grantee, { level }] of source.grants) {
      const kept =
        level === 'manage' && source.formerOwners.has(grantee) && grantee !== who.id && grantee !== target.owner
      if (mayShare || kept) add(grantee, level)
    }
    if (source.owner !== null && source.owner !== target.owner && (mayShare || source.owner !== who.id))
      add(source.owner, 'manage')
    return levels
  }

  mayView = (who: Who, thing: Thing): boolean => reaches(this.level(who, thing), 'view')

  /** Returns whether a record exists, for a caller. */
  sees = (who: Who, thing: Thing): boolean => thing.state === 'live' && this.mayView(who, thing)

  all = (object?: string): Thing[] =>
    [...this.things.values()].filter((thing) => object === undefined || thing.object === object)

  live = (object?: string): Thing[] => this.all(object).filter(({ state }) => state === 'live')

  deleted = (object?: string): Thing[] => this.all(object).filter(({ state }) => state === 'deleted')

  /** The records of an object that a caller sees, the oldest first. */
  seen = (who: Who, object: string): Thing[] =>
    this.live(object)
      .filter((thing) => this.sees(who, thing))
      .toSorted(byCreation)

  /** The value of a reference that a caller sees. */
  ref(who: Who, { ref }: Thing): string | null {
    const to = ref === null ? undefined : this.things.get(ref)
    return to !== undefined && this.sees(who, to) ? to.id : null
  }

  links = (who: Who, { links }: Thing): string[] =>
    [...links].filter((id) => this.sees(who, this.things.get(id) as Thing)).toSorted()

  /** Returns whether nothing leads to it and it leads nowhere. */
  isAlone = (thing: Thing): boolean =>
    thing.ref === null &&
    thing.links.size === 0 &&
    !this.all().some(({ ref, links }) => ref === thing.id || links.has(thing.id))

  mayCreate = (who: Who, object: string): boolean =>
    who.role === 'admin' ||
    (who.role === 'member' &&
      (this.defaults.get(object) === 'edit' || (this.defaults.get(object) === 'none' && who.id !== null)))
}

export const byCreation = (a: Thing, b: Thing): number =>
  a.createdAt === b.createdAt ? (a.id < b.id ? -1 : 1) : a.createdAt < b.createdAt ? -1 : 1

/** By a value, empty ones last; ids break ties in the direction of the value. */
export const byValue =
  (valueOf: (thing: Thing) => string | number | null, descending: boolean) =>
  (a: Thing, b: Thing): number => {
    const [left, right] = [valueOf(a), valueOf(b)]
    const sign = descending ? -1 : 1
    if (left === right) return sign * (a.id < b.id ? -1 : 1)
    if (left === null || right === null) return left === null ? 1 : -1
    return sign * (left < right ? -1 : 1)
  }
