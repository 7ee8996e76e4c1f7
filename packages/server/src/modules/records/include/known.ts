import type { RecordResource } from '@kontor/contract'
import { LRUCache } from 'lru-cache'
import { Written } from '../../../kernel/written.ts'
import type { ObjectModel } from '../object.ts'
import { presentRecord, type ShownRow } from '../present.ts'
import type { RecordData } from '../store.ts'

/** A row whose document is text still: most records that are included are known already, and then nobody reads it. */
export type UnreadRow = Omit<ShownRow, 'data'> & { readonly data_text: string }

export const read = ({ data_text: text, ...row }: UnreadRow): ShownRow => ({ ...row, data: JSON.parse(text) as RecordData })

/** A record as it stands in answers to all who see whatever it refers to. It is in many answers, so nothing may be added to it. */
export class KnownRecord extends Written implements RecordResource {
  readonly type: string
  readonly id: string
  readonly attributes: RecordResource['attributes']
  readonly relationships: RecordResource['relationships']

  constructor({ type, id, attributes, relationships }: RecordResource) {
    super()
    this.type = type
    this.id = id
    this.attributes = attributes
    this.relationships = relationships
  }
}

/** Characters of documents that are remembered in all; with what is made of them three to four times as many bytes. */
const charactersMax = 4_000_000

const nothing: ReadonlySet<string> = new Set()

/** What is known of a record, by which schema and from which state of its row. */
type Entry = {
  readonly object: ObjectModel
  readonly version: number
  readonly updatedAt: number
  readonly record: KnownRecord
  /** When its row was last found to be live and in this state, for those who see all of the object. */
  seenAt: object | undefined
}

/** What is known of some records, by their ids. */
export type Known = ReadonlyMap<string, Entry>

const all = new LRUCache<string, Entry>({ maxSize: charactersMax })

/** What is remembered of some records by this schema; to be held while their rows are read, since it may be forgotten meanwhile. */
export function recall(object: ObjectModel, ids: readonly string[]): Known {
  const known = new Map<string, Entry>()
  for (const id of ids) {
    const entry = all.get(id)
    if (entry?.object === object) known.set(id, entry)
  }
  return known
}

/** Whether nobody has committed since all of them were seen. */
export function wereSeenAt(known: Known, instant: object): boolean {
  for (const { seenAt } of known.values()) if (seenAt !== instant) return false
  return true
}

export function noteSeen(known: Known, instant: object): void {
  for (const entry of known.values()) entry.seenAt = instant
}

/** The sums of the versions and of the times of the last change. */
export function sumsKnown(known: Known): [versions: number, times: number] {
  let [versions, times] = [0, 0]
  for (const { version, updatedAt } of known.values()) {
    versions += version
    times += updatedAt
  }
  return [versions, times]
}

/**
 * The same record as before where its row is in the same state. The companies of a list of persons, say, come again with each
 * page and each caller; to read, present and write them took half of the time of such a list.
 */
export function presentKnown(object: ObjectModel, row: UnreadRow): KnownRecord {
  const { id, version, updated_at: updatedAt, data_text: text } = row
  const entry = all.get(id)
  if (entry?.object === object && entry.version === version && entry.updatedAt === updatedAt) return entry.record
  const record = new KnownRecord(presentRecord(object, read(row), nothing, undefined))
  all.set(id, { object, version, updatedAt, record, seenAt: undefined }, { size: text.length })
  return record
}
