import type { ReadTx } from '../../../db/tx.ts'
import type { Hop, ResolvedFilter } from '../../records/index.ts'
import { listBefore, type Change } from './store.ts'
import type { Subject } from './subject.ts'

/** More than so many are found by looking at the whole list. */
const candidatesMax = 2000

/** By the name of an object, the records of it that something has happened to. */
export type Changed = ReadonlyMap<string, ReadonlySet<string>>

const isOfRecord = ({ type }: Change): boolean => type.startsWith('record.') || type.startsWith('relationship.')

export const changedBy = (changes: readonly Change[]): Changed =>
  new Map([...Map.groupBy(changes.filter(isOfRecord), ({ object }) => object)].map(([object, some]) => [object, new Set(some.map(({ record_id }) => record_id))]))

/** The ways along which a filter looks at other records. */
function waysOf(filter: ResolvedFilter | undefined, before: readonly Hop[] = []): (readonly Hop[])[] {
  if (filter === undefined || 'search' in filter) return []
  if ('and' in filter) return filter.and.flatMap((part) => waysOf(part, before))
  if ('or' in filter) return filter.or.flatMap((part) => waysOf(part, before))
  if ('not' in filter) return waysOf(filter.not, before)
  if ('some' in filter) return [[...before, ...filter.some], ...waysOf(filter.that, [...before, ...filter.some])]
  return filter.hops.length === 0 ? [] : [[...before, ...filter.hops]]
}

/** The records that may have joined or left a list by what has happened; undefined where they are too many to be looked at one by one. */
export async function candidatesOf(tx: ReadTx, { workspaceId, object, query }: Subject, changed: Changed): Promise<readonly string[] | undefined> {
  const found = new Set(changed.get(object.name))
  const steps = waysOf(query.filter).flatMap((way) => way.map((_, last) => way.slice(0, last + 1)))
  const distinct = new Map(steps.map((way) => [JSON.stringify(way.map(({ place, entity }) => [place, entity.name])), way]))
  for (const way of distinct.values()) {
    let reached: readonly string[] = [...(changed.get(way.at(-1)?.entity.name ?? '') ?? [])]
    for (const step of way.toReversed()) {
      if (reached.length > candidatesMax) return undefined
      reached = reached.length === 0 ? [] : await listBefore(tx, workspaceId, step, reached, candidatesMax)
    }
    for (const id of reached) found.add(id)
  }
  return found.size > candidatesMax ? undefined : [...found]
}
