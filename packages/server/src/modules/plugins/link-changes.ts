import { isString } from '../../lib/guards.ts'
import type { Field } from '../fields/index.ts'
import type { ObjectModel } from '../objects/index.ts'
import type { Objects, TriggerOccurrence, SeenEvent } from './plugin.ts'

/** Links of a record, along one relationship, that an event has made or removed. */
export type LinkChange = {
  readonly object: string
  readonly recordId: string
  readonly relationship: string
  readonly set: readonly string[]
  readonly unset: readonly string[]
}

/**
 * The links that an event has made or removed, as the records of an object have them. Many-to-many links have events of
 * their own, at both ends. Any other link is the reference of one record, which its creation or change names; from the
 * other end it is seen here. Both records of a one-to-one relationship refer to each other, so each has its own event.
 */
export function linkChangesOf(event: SeenEvent, of: string, objects: Objects): LinkChange[] {
  const { object: name, payload } = event
  const { relationship, ids = [], diff = [] } = payload
  if (isString(relationship)) {
    if (name !== of) return []
    const isSet = event.type === 'relationship.set'
    const [set, unset] = isSet ? [ids, []] : [[], ids]
    return [{ object: name, recordId: event.record_id, relationship, set, unset }]
  }
  const object = objects.get(name)
  if (object === undefined) return []
  return diff.flatMap(({ path, val, oldVal }) => {
    const reference = object.references.find((field) => field.name === path[0])
    if (reference === undefined) return []
    const [to, from] = [val, oldVal].map((id) => (isString(id) ? [id] : []))
    const ends = { to: to ?? [], from: from ?? [] }
    return [...ownEnd(event, of, reference, ends), ...otherEnds(event, of, { object, reference }, ends)]
  })
}

type Ends = { readonly to: readonly string[]; readonly from: readonly string[] }

const ownEnd = ({ object, record_id }: SeenEvent, of: string, { name }: Field, { to, from }: Ends): LinkChange[] =>
  object === of && to.length + from.length > 0
    ? [{ object, recordId: record_id, relationship: name, set: to, unset: from }]
    : []

function otherEnds(
  { record_id }: SeenEvent,
  of: string,
  { reference }: { readonly object: ObjectModel; readonly reference: Field },
  { to, from }: Ends,
): LinkChange[] {
  const { kind, entity, field: counterpart } = reference.relationship ?? {}
  if (kind !== 'many-to-one' || entity !== of || counterpart === undefined) return []
  const at = { object: entity, relationship: counterpart }
  return [
    ...to.map((recordId) => ({ ...at, recordId, set: [record_id], unset: [] })),
    ...from.map((recordId) => ({ ...at, recordId, set: [], unset: [record_id] })),
  ]
}

/** Returns the occurrence of a change of links for a trigger on added links, removed ones, or both. */
export function occurrenceOf(
  { object, recordId, relationship, set, unset }: LinkChange,
  hears: { readonly set: boolean; readonly unset: boolean },
): TriggerOccurrence[] {
  const ids = hears.set && set.length > 0 ? set : hears.unset ? unset : []
  return ids.length === 0 ? [] : [{ object, recordId, data: { relationship, ids } }]
}
