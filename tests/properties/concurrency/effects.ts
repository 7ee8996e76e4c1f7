import type { Json } from '../../harness/http.ts'
import { otherSide } from '../relationships/model.ts'
import { exactly, next as nextVersion, relationFields, type Entry, type State } from './state.ts'

/** The effects on a workspace: each takes a state that may be changed. Rights are checked before. */

type Attributes = Readonly<Record<string, Json>>

const isReference = (object: string, name: string): boolean =>
  relationFields(object).some(({ field }) => field === name)

/** A change beside the records that a request is about counts as one change for each reference. */
function countReferences(before: State, after: State, direct: ReadonlySet<string>): void {
  for (const [id, entry] of after.records) {
    if (direct.has(id) || !after.isLive(entry.object, id) || !before.isLive(entry.object, id)) continue
    const [was, is] = [before.references(entry.object, id), after.references(entry.object, id)]
    const changes = Object.keys(is).filter((field) => was[field] !== is[field]).length
    if (changes > 0) after.change(id, { version: { ...entry.version, number: entry.version.number + changes } })
  }
}

/** Gives a record values and references. */
function write(state: State, id: string, attributes: Attributes): void {
  const { object, values } = state.entry(id)
  const own = Object.fromEntries(Object.entries(attributes).filter(([name]) => !isReference(object, name)))
  state.change(id, { values: { ...values, ...own } })
  for (const { relation, side, field, toOne } of relationFields(object)) {
    const to: string | null | undefined = attributes[field]
    if (!toOne || to === undefined || to === state.references(object, id)[field]) continue
    if (to === null) state.links.unlink(relation, side, id)
    else state.links.link(relation, side, id, to)
  }
}

/** Creates records, all in one request: whom they take a partner from changes once. */
export function create(
  state: State,
  object: string,
  given: readonly { readonly id: string; readonly attributes: Attributes }[],
  owner: string,
): void {
  const before = state.copy()
  for (const { id, attributes } of given) {
    const entry: Entry = {
      object,
      values: {},
      version: exactly(1),
      mergedIds: [],
      owner,
      grants: new Map(),
      isListed: false,
    }
    state.records.set(id, entry)
    state.links.states.set(id, 'live')
    write(state, id, attributes)
  }
  countReferences(before, state, new Set(given.map(({ id }) => id)))
}

const look = (state: State, id: string): string => JSON.stringify([state.attributes(id)])

/** Returns whether it changed anything. */
export function update(
  state: State,
  id: string,
  attributes: Attributes,
  direct: ReadonlySet<string> = new Set([id]),
): boolean {
  const before = state.copy()
  write(state, id, attributes)
  countReferences(before, state, direct)
  const isChanged = look(before, id) !== look(state, id)
  if (isChanged) state.change(id, { version: nextVersion(state.entry(id).version) })
  return isChanged
}

export function remove(state: State, ids: readonly string[]): void {
  const before = state.copy()
  state.links.remove(state.entry(ids[0]!).object, ids)
  countReferences(before, state, new Set(ids))
  for (const id of ids) state.change(id, { version: nextVersion(state.entry(id).version) })
}

export function restore(state: State, ids: readonly string[]): void {
  const before = state.copy()
  state.links.restore(ids)
  countReferences(before, state, new Set(ids))
  for (const id of ids) state.change(id, { version: nextVersion(state.entry(id).version) })
}

/** The target's values win, empty ones are filled, labels are united. */
export function merge(state: State, into: string, sources: readonly string[]): void {
  const before = state.copy()
  const { object } = state.entry(into)
  const entries = [into, ...sources].map((id) => state.entry(id))
  const values: Record<string, Json> = {}
  for (const [field, kind] of state.schemas.get(object)!) {
    const there = entries.map((entry) => entry.values[field]).filter((value) => value !== null && value !== undefined)
    if (there.length > 0)
      values[field] =
        kind === 'labels' ? { items: [...new Set(there.flatMap(({ items }: Json) => items as string[]))] } : there[0]
  }
  state.links.merge(object, into, sources)
  const mergedIds = entries.flatMap(({ mergedIds: those }, index) => [
    ...those,
    ...(index === 0 ? [] : [sources[index - 1]!]),
  ])
  state.change(into, {
    values,
    mergedIds,
    version: nextVersion(state.entry(into).version),
    isListed: entries.some(({ isListed }) => isListed),
  })
  countReferences(before, state, new Set([into, ...sources]))
  for (const source of sources) state.change(source, { version: nextVersion(state.entry(source).version) })
  for (const [id, target] of state.mergedInto) if (sources.includes(target)) state.mergedInto.set(id, into)
  for (const source of sources) state.mergedInto.set(source, into)
  for (const [id, comment] of state.comments)
    if (sources.includes(comment.owner)) state.comments.set(id, { ...comment, owner: into })
}

export type LinkChange = 'add' | 'replace' | 'remove'

/** Changes the links of a record along one of its relationships, from either end. */
export function changeLinks(
  state: State,
  id: string,
  fieldName: string,
  how: LinkChange,
  ids: readonly string[],
): void {
  const before = state.copy()
  const { object } = state.entry(id)
  const { relation, side, toOne, field } = relationFields(object).find((one) => one.field === fieldName)!
  if (toOne) {
    const is = state.references(object, id)[field]
    if (how === 'replace') update(state, id, { [field]: ids[0] ?? null })
    else if (is !== null && ids.includes(is as string)) update(state, id, { [field]: null })
    return
  }
  const backToOne = relation.kind !== 'many-to-many'
  const linked = state.links.linked(relation, side, id)
  if (how === 'remove') ids.forEach((other) => state.links.unlink(relation, side, id, other))
  else {
    if (how === 'replace' && !backToOne)
      linked.filter((other) => !ids.includes(other)).forEach((other) => state.links.unlink(relation, side, id, other))
    for (const other of ids) {
      // A link that is there stays the same link.
      if (!state.links.linked(relation, side, id).includes(other)) state.links.link(relation, side, id, other)
    }
  }
  countReferences(before, state, new Set())
}

export const entityOf = (object: string, fieldName: string): string => {
  const { relation, side } = relationFields(object).find(({ field }) => field === fieldName)!
  return relation[otherSide(side)].object
}
