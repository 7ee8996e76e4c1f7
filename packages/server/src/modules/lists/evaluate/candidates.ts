import type { ReadTx } from '../../../db/tx.ts'
import { linkEndOf, type ObjectModel } from '../../objects/index.ts'
import type { EventSubject } from '../../events/index.ts'
import type { RelationshipStep, ResolvedFilter } from '../../query/index.ts'
import { listBefore } from './store.ts'
import type { Subject } from './subject.ts'

/** Most candidates that are checked one by one; above this number, the whole list is evaluated. */
const candidatesMax = 2000

/** By the name of an object, its records that changed. */
export type ChangedFields = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Kinds of events that can change membership: grants change what the owner of a list sees, and members are records too.
 */
const kinds: ReadonlySet<string | undefined> = new Set(['record', 'relationship', 'access', 'member'])

type RecordSubject = EventSubject & { readonly object: string; readonly record_id: string }

const isOfRecord = (subject: EventSubject): subject is RecordSubject =>
  kinds.has(subject.type.split('.')[0]) && subject.object !== null && subject.record_id !== null

export const changedBy = (changes: readonly EventSubject[]): ChangedFields =>
  new Map(
    [...Map.groupBy(changes.filter(isOfRecord), ({ object }) => object)].map(([object, some]) => [
      object,
      new Set(some.map(({ record_id }) => record_id)),
    ]),
  )

type Step = Pick<RelationshipStep, 'linkEnd' | 'target'>

/** The paths along which a filter reads other records, if only to check that they are visible. */
function pathsOf(
  filter: ResolvedFilter | undefined,
  object: ObjectModel,
  before: readonly Step[] = [],
): (readonly Step[])[] {
  const all = (parts: readonly ResolvedFilter[]) => parts.flatMap((part) => pathsOf(part, object, before))
  if (filter === undefined || 'search' in filter) return []
  if ('and' in filter) return all(filter.and)
  if ('or' in filter) return all(filter.or)
  if ('not' in filter) return all([filter.not])
  const { steps, where, column } =
    'exists' in filter
      ? { steps: filter.exists, where: filter.where, column: undefined }
      : { ...filter, where: undefined }
  const path = [...before, ...steps]
  const end = steps.at(-1)?.target ?? object
  const guarded =
    column?.kind === 'field' && column.guard !== undefined
      ? [[...path, { linkEnd: linkEndOf(end, column.field), target: column.guard.target }]]
      : []
  return [...(steps.length === 0 ? [] : [path]), ...guarded, ...pathsOf(where, end, path)]
}

/**
 * The records that may have joined or left a list because of some changes; undefined if they are too many to be checked
 * one by one.
 */
export async function candidatesOf(
  tx: ReadTx,
  { workspaceId, object, query }: Subject,
  changed: ChangedFields,
): Promise<readonly string[] | undefined> {
  const found = new Set(changed.get(object.name))
  const steps = pathsOf(query.filter, object).flatMap((path) => path.map((_, last) => path.slice(0, last + 1)))
  const distinct = new Map(
    steps.map((path) => [JSON.stringify(path.map(({ linkEnd, target }) => [linkEnd, target.name])), path]),
  )
  for (const path of distinct.values()) {
    let reached: readonly string[] = [...(changed.get(path.at(-1)?.target.name ?? '') ?? [])]
    for (const step of path.toReversed()) {
      if (reached.length > candidatesMax) return undefined
      reached = reached.length === 0 ? [] : await listBefore(tx, workspaceId, step, reached, candidatesMax)
    }
    for (const id of reached) found.add(id)
  }
  return found.size > candidatesMax ? undefined : [...found]
}
