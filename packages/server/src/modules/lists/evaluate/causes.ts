import type { ReadTx } from '../../../db/tx.ts'
import { chainOf, type Chain } from '../../../kernel/actor.ts'
import { defined, isString } from '../../../lib/guards.ts'
import {
  listNewestHeads,
  listEventsAt,
  type EventHead,
  type EventSubject,
  type NewestRange,
  type LoggedEvent,
} from '../../events/index.ts'
import { reads, readingsOf, storedCounterpartOf, type PathStep, type Subject } from './subject.ts'
import { listLinksTo, listBefore } from './store.ts'

/** The chains of workflows in which records join or leave a list, by their ids; a person's change has none. */
export type Causes = ReadonlyMap<string, Chain>

/** The changes among which causes are sought: those since the list was last compared with its entries. */
export type Since = NewestRange & {
  /** True if the list itself, the schemas or the rights of its owner may have changed too. */
  readonly isWhole: boolean
}

/** A change, with its place among others: the newest has the lowest. */
type Change = EventHead & { readonly place: number; readonly written: WrittenFields }

/** By the id of a record, the place of the newest change that matters to it. */
type Places = Map<string, number>

/** Most links that are followed back from changed records. */
const linksMax = 20_000

/**
 * Kinds of events that can change membership: grants change what the owner of a list sees, and members are records too.
 */
const kinds: ReadonlySet<string | undefined> = new Set(['record', 'relationship', 'access', 'member'])

/** Tells whether an event may let records join or leave lists. */
const isOfRecord = ({ type }: { readonly type: string }): boolean => kinds.has(type.split('.')[0])

const none: Causes = new Map()

/**
 * Finds the chain of the newest change that moved each of some records into a list or out of it: a change of the fields
 * that the query reads, of the record itself or of a related one. No other change counts: a person's change elsewhere
 * ends no chain, and a chain elsewhere suppresses no run that a person caused (docs/decisions/0276).
 */
export async function causesOf(
  tx: ReadTx,
  subject: Subject,
  ids: readonly string[],
  { isWhole, ...range }: Since,
): Promise<Causes> {
  if (ids.length === 0) return none
  const heads = (await listNewestHeads(tx, subject.workspaceId, range)).filter(
    (head) => isOfRecord(head) || concernsWhole(subject, head),
  )
  if (!heads.some(({ actor }) => chainOf(actor) !== undefined)) return none
  const written = await listWritten(tx, subject.workspaceId, heads)
  const changes = heads.map((head, place): Change => ({ ...head, place, written: written.get(head.id) }))
  const places = await placesOf(tx, subject, changes.filter(isOfRecord))
  const wholePlace = isWhole ? (changes.find((change) => concernsWhole(subject, change))?.place ?? Infinity) : Infinity
  // With a limit, a record is also pushed out or let in by what happens to another.
  const otherPlace = subject.query.limit === undefined ? Infinity : Math.min(Infinity, ...places.values())
  return new Map(
    ids.flatMap((id): [string, Chain][] => {
      const place = Math.min(places.get(id) ?? otherPlace, wholePlace)
      const chain = Number.isFinite(place) ? chainOf(defined(changes[place]).actor) : undefined
      return chain === undefined ? [] : [[id, chain]]
    }),
  )
}

/** Tells whether an event may move every record of a list: by its query, the schemas, or what its owner may see. */
const concernsWhole = ({ row }: Subject, { type, object, record_id }: EventHead): boolean =>
  object === 'schema' ||
  (object === 'list' && record_id === row.id) ||
  (type.startsWith('member.') && record_id === row.owner_id)

/** The newest changes that matter to the records of a list, followed back along what its query reads. */
async function placesOf(
  tx: ReadTx,
  { workspaceId, object, query }: Subject,
  changes: readonly Change[],
): Promise<Places> {
  const all: Places = new Map()
  for (const reading of readingsOf(object, query)) {
    const mattering = changes.filter(
      (change) => change.object === reading.object.name && reads(reading, change.written),
    )
    let places: Places = new Map()
    for (const { record_id, place } of mattering) if (record_id !== null) note(places, record_id, place)
    for (const [index, step] of reading.path.toReversed().entries()) {
      const before = await stepBack(tx, workspaceId, step, places)
      if (index === 0) noteLeft(before, step, mattering)
      places = before
    }
    for (const [id, place] of places) note(all, id, place)
  }
  return all
}

const note = (places: Places, id: string, place: number): void =>
  void places.set(id, Math.min(place, places.get(id) ?? Infinity))

async function stepBack(tx: ReadTx, workspaceId: string, step: PathStep, places: Places): Promise<Places> {
  const before: Places = new Map()
  if (places.size === 0) return before
  for (const { from, to } of await listLinksTo(tx, workspaceId, step, [...places.keys()], linksMax))
    note(before, from, defined(places.get(to)))
  return before
}

/** Notes the records from which a step led to changed ones until these came to refer to others. */
function noteLeft(before: Places, step: PathStep, changes: readonly Change[]): void {
  const counterpart = storedCounterpartOf(step)
  if (counterpart === undefined) return
  for (const { written, place } of changes) {
    const left = written?.get(counterpart)
    if (left !== undefined) note(before, left, place)
  }
}

type RecordSubject = EventSubject & { readonly object: string; readonly record_id: string }

const isRecordSubject = (subject: EventSubject): subject is RecordSubject =>
  isOfRecord(subject) && subject.object !== null && subject.record_id !== null

/** The changes of records that all lists of a workspace follow together. */
export class FollowedChanges {
  readonly #tx: ReadTx
  readonly #workspaceId: string
  readonly #byObject: ReadonlyMap<string, readonly RecordSubject[]>
  #written: Promise<ReadonlyMap<string, WrittenFields>> | undefined

  constructor(tx: ReadTx, workspaceId: string, changes: readonly EventSubject[]) {
    this.#tx = tx
    this.#workspaceId = workspaceId
    this.#byObject = Map.groupBy(changes.filter(isRecordSubject), ({ object }) => object)
  }

  get isEmpty(): boolean {
    return this.#byObject.size === 0
  }

  /** The records of an object that changed. */
  recordsOf(object: string): readonly string[] {
    return [...new Set(this.#of(object).map(({ record_id }) => record_id))]
  }

  /** The records to which changed records of an object referred by a field until they changed. */
  async leftOf(object: string, field: string): Promise<readonly string[]> {
    const changes = this.#of(object)
    if (changes.length === 0) return []
    const written = await (this.#written ??= listWritten(
      this.#tx,
      this.#workspaceId,
      [...this.#byObject.values()].flat(),
    ))
    return changes.flatMap(({ id }) => written.get(id)?.get(field) ?? [])
  }

  #of(object: string): readonly RecordSubject[] {
    return this.#byObject.get(object) ?? []
  }
}

/** Most candidates that are checked one by one; above this number, the whole list is evaluated. */
const candidatesMax = 2000

/**
 * The records that may have joined or left a list because of some changes; undefined if they are too many to be checked
 * one by one.
 */
export async function candidatesOf(
  tx: ReadTx,
  { workspaceId, object, query }: Subject,
  changes: FollowedChanges,
): Promise<readonly string[] | undefined> {
  const found = new Set<string>()
  for (const { path, object: target } of readingsOf(object, query)) {
    let reached = changes.recordsOf(target.name)
    for (const [index, step] of path.toReversed().entries()) {
      if (reached.length > candidatesMax) return undefined
      const before = reached.length === 0 ? [] : await listBefore(tx, workspaceId, step, reached, candidatesMax)
      reached = index === 0 ? [...before, ...(await leftAlong(step, changes))] : before
    }
    for (const id of reached) found.add(id)
  }
  return found.size > candidatesMax ? undefined : [...found]
}

/** The records from which a step led to changed ones until these came to refer to others. */
async function leftAlong(step: PathStep, changes: FollowedChanges): Promise<readonly string[]> {
  const counterpart = storedCounterpartOf(step)
  return counterpart === undefined ? [] : changes.leftOf(step.target.name, counterpart)
}

/** By the names of the fields that a change wrote, the records that they referred to before; undefined means any. */
type WrittenFields = ReadonlyMap<string, string | undefined> | undefined

type Source = Pick<LoggedEvent, 'id' | 'type'> & {
  readonly sequence?: number | undefined
  readonly payload?: LoggedEvent['payload'] | undefined
}

/** Events whose payloads are read at once: each may have two megabytes. */
const payloadsAtOnce = 20

/** Reads which fields events wrote, by their ids; those that say nothing of it may have written any. */
async function listWritten(
  tx: ReadTx,
  workspaceId: string,
  sources: readonly Source[],
): Promise<ReadonlyMap<string, WrittenFields>> {
  const telling = sources.filter(({ type }) => type === 'record.updated' || type.startsWith('relationship.'))
  const sequences = telling.flatMap(({ sequence }) => sequence ?? [])
  const found = new Map(telling.map(({ id, payload }): [string, WrittenFields] => [id, payload && writtenBy(payload)]))
  for (let from = 0; from < sequences.length; from += payloadsAtOnce) {
    const events = await listEventsAt(tx, workspaceId, sequences.slice(from, from + payloadsAtOnce))
    for (const { id, payload } of events) found.set(id, writtenBy(payload))
  }
  return found
}

const writtenBy = ({ diff = [], relationship }: LoggedEvent['payload']): WrittenFields =>
  isString(relationship)
    ? new Map([[relationship, undefined]])
    : new Map(diff.map(({ path, oldVal }) => [String(path[0]), isString(oldVal) ? oldVal : undefined]))
