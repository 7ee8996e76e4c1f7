import type { LoggedRow } from '../../harness/outbox.ts'
import type { Json } from '../../harness/http.ts'
import { canonical } from './answers.ts'
import { item, note, place, type State } from './state.ts'

/**
 * The facts that the log of events must have of an operation, and their comparison. An event is taken apart into facts,
 * since one of a request tells of several fields or links at once, and those of partners one by one.
 */

/** An event as the log has it. */
type Logged = { readonly sequence: number; readonly facts: readonly string[] }

/** The events of a burst, by the record that they are about, in the order of the log. */
export type Log = ReadonlyMap<string, readonly Logged[]>

const objects: readonly string[] = [item, place, note]

const isEmpty = (value: Json): boolean => value === null || value === undefined || value.items?.length === 0

const fieldFact = (field: string, value: Json): string => `${field} is ${isEmpty(value) ? 'empty' : canonical(value)}`

const changes = (diff: Json): string[] => diff.map(({ path, val }: Json) => fieldFact(path[0], val))

const factsOf: Readonly<Record<string, (payload: Json) => string[]>> = {
  'record.created': ({ diff }) => ['created', ...changes(diff).filter((fact) => !fact.endsWith(' is empty'))],
  'record.updated': ({ diff }) => changes(diff),
  'record.deleted': () => ['deleted'],
  'record.restored': () => ['restored'],
  'record.merged': ({ sources }) => sources.map((source: string) => `merged ${source}`),
  'relationship.set': ({ relationship, ids }) => ids.map((id: string) => `${relationship} linked to ${id}`),
  'relationship.unset': ({ relationship, ids }) => ids.map((id: string) => `${relationship} no more linked to ${id}`),
  'list.entry_added': () => ['listed'],
  'list.entry_removed': () => ['no more listed'],
  'comment.created': ({ comment_id }) => [`comment ${comment_id} written`],
  'comment.updated': ({ comment_id }) => [`comment ${comment_id} changed`],
  'comment.deleted': ({ comment_id }) => [`comment ${comment_id} deleted`],
  'access.granted': (payload) => [`granted ${payload.grantee_id ?? 'workspace'} ${payload.access_level}`],
  'access.updated': (payload) => [`granted ${payload.grantee_id ?? 'workspace'} ${payload.access_level}`],
  'access.revoked': (payload) => [`revoked ${payload.grantee_id ?? 'workspace'}`],
}

/** The events of the records that operations meet at. */
export function logOf(rows: readonly LoggedRow[]): Log {
  const ofRecords = rows.filter(({ object, type }) => objects.includes(object) && factsOf[type] !== undefined)
  const all = ofRecords.map(({ type, payload, ...row }) => ({ ...row, facts: factsOf[type]!(payload) }))
  return Map.groupBy(all, ({ record_id }) => record_id)
}

type Facts = Map<string, string[]>

/** The facts that an operation must be told by which leads from one state to another, by record. */
function factsBetween(before: State, after: State): Facts {
  const facts: Facts = new Map()
  const add = (id: string, ...some: string[]) => void facts.set(id, [...(facts.get(id) ?? []), ...some])
  for (const [id, entry] of after.records) {
    const was = before.records.get(id)
    const [state, stateBefore] = [after.links.states.get(id), before.links.states.get(id)]
    if (was === undefined) {
      add(id, 'created', ...valueFacts(after, id, () => true).filter((fact) => !fact.endsWith(' is empty')))
      continue
    }
    if (stateBefore === 'live' && state === 'deleted') add(id, 'deleted')
    if (stateBefore === 'deleted' && state === 'live') add(id, 'restored')
    const merged = entry.mergedIds.length > was.mergedIds.length
    if (merged)
      add(
        id,
        ...[...after.mergedInto]
          .filter(([from, to]) => to === id && before.links.isLive(from))
          .map(([from]) => `merged ${from}`),
      )
    if (state !== 'live' || stateBefore !== 'live') continue
    if (!merged) add(id, ...changedFacts(before, after, id))
    if (entry.isListed !== was.isListed && !merged) add(id, entry.isListed ? 'listed' : 'no more listed')
    for (const [grantee, { level }] of entry.grants)
      if (was.grants.get(grantee)?.level !== level) add(id, `granted ${grantee} ${level}`)
    for (const grantee of was.grants.keys()) if (!entry.grants.has(grantee)) add(id, `revoked ${grantee}`)
  }
  for (const [id, fact] of [...commentFacts(before, after), ...linkFacts(before, after)]) add(id, fact)
  return facts
}

/** Fields that both states have: one that comes or goes is no change of a record. */
function changedFacts(before: State, after: State, id: string): string[] {
  const was = before.attributes(id)
  const is = after.attributes(id)
  return valueFacts(after, id, (field) => field in was && canonical(was[field]) !== canonical(is[field]))
}

const valueFacts = (state: State, id: string, isMeant: (field: string) => boolean): string[] =>
  Object.entries<Json>(state.attributes(id))
    .filter(([field]) => isMeant(field))
    .map(([field, value]) => fieldFact(field, value))

type Fact = readonly [id: string, fact: string]

function* commentFacts(before: State, after: State): Generator<Fact> {
  for (const [id, { owner, text }] of after.comments) {
    const was = before.comments.get(id)
    if (was === undefined) yield [owner, `comment ${id} written`]
    else if (was.text !== text) yield [owner, `comment ${id} changed`]
  }
  for (const [id, { owner }] of before.comments) if (!after.comments.has(id)) yield [owner, `comment ${id} deleted`]
}

/** Links between many and many that begin or end where both of their ends stay: both are told. */
function* linkFacts(before: State, after: State): Generator<Fact> {
  for (const relation of after.links.relations.filter(({ kind }) => kind === 'many-to-many'))
    for (const [id, { object }] of before.records) {
      const side = relation.a.object === object ? 'a' : relation.b.object === object ? 'b' : undefined
      if (side === undefined || !staysAsItIs(before, after, id)) continue
      const [was, is] = [before, after].map(({ links }) => links.linked(relation, side, id)) as [string[], string[]]
      const { field } = relation[side]
      for (const other of is.filter((one) => !was.includes(one)))
        if (staysAsItIs(before, after, other)) yield [id, `${field} linked to ${other}`]
      for (const other of was.filter((one) => !is.includes(one)))
        if (staysAsItIs(before, after, other)) yield [id, `${field} no more linked to ${other}`]
    }
}

const staysAsItIs = (before: State, after: State, id: string): boolean =>
  before.links.isLive(id) &&
  after.links.isLive(id) &&
  before.records.get(id)?.mergedIds.length === after.records.get(id)?.mergedIds.length

/**
 * The state after an operation that the log agrees with: of each record, its next events say what it did, and nothing
 * else. Undefined where they do not.
 */
export function heard(log: Log, before: State, after: State): State | undefined {
  const reached = new Map(before.heard)
  for (const [id, facts] of factsBetween(before, after)) {
    const left = [...facts]
    let at = reached.get(id) ?? 0
    while (left.length > 0) {
      const event = log.get(id)?.[at++]
      if (event === undefined || !event.facts.every((fact) => take(left, fact))) return undefined
    }
    reached.set(id, at)
  }
  const next = after.copy()
  next.heard.clear()
  for (const [id, at] of reached) next.heard.set(id, at)
  return next
}

function take(facts: string[], fact: string): boolean {
  const at = facts.indexOf(fact)
  if (at >= 0) facts.splice(at, 1)
  return at >= 0
}

/** Events that no operation has been told by, a line each. */
export const unheard = (log: Log, state: State): string[] =>
  [...log].flatMap(([id, events]) =>
    events
      .slice(state.heard.get(id) ?? 0)
      .map(({ sequence, facts }) => `only the log has event ${sequence} of ${id.slice(-6)}: ${facts.join(', ')}`),
  )

/** The numbers of the events that lead from one state to another. */
export const sequencesBetween = (log: Log, before: State, after: State): number[] =>
  [...after.heard].flatMap(([id, at]) =>
    (log.get(id) ?? []).slice(before.heard.get(id) ?? 0, at).map(({ sequence }) => sequence),
  )
