import type { Json } from '../../harness/http.ts'
import type { Level } from '../../harness/grants.ts'
import { isToOne, Model, type Relation, type Side } from '../relationships/model.ts'

/** The objects that operations meet at. `c_note` is private by default: grants decide who reads it. */
export const [item, place, note] = ['c_item', 'c_place', 'c_note'] as const

/** An object without records: only its schema changes. */
export const elsewhere = 'c_side'

const relation = (kind: Relation['kind'], field: string, back: string): Relation => ({
  kind,
  a: { object: item, field },
  b: { object: place, field: back },
})

/** One relationship of each kind. */
export const relations: readonly Relation[] = [
  relation('many-to-one', 'home_id', 'items'),
  relation('many-to-many', 'visits', 'visitors'),
  relation('one-to-one', 'key_id', 'lock_id'),
]

/** A field of an object and the side of the relationship that it is. */
export type RelationField = {
  readonly relation: Relation
  readonly side: Side
  readonly field: string
  readonly toOne: boolean
}

export const relationFields = (object: string): RelationField[] =>
  relations.flatMap((one) =>
    (['a', 'b'] as const)
      .filter((side) => one[side].object === object)
      .map((side) => ({ relation: one, side, field: one[side].field, toOne: isToOne(one, side) })),
  )

/** A version of a record: its number, or the least that it can be where the model does not count changes on the way. */
export type Version = { readonly number: number; readonly isExact: boolean }

/** Stands for the id of what was made by an operation whose answer was lost. */
export const unknownId = 'unknown'

/** A grant of a grantee; the workspace is one too. */
type Grant = { readonly id: string; readonly level: Level }

export type Entry = {
  readonly object: string
  /** Without references, which stand in the links. */
  readonly values: Readonly<Record<string, Json>>
  readonly version: Version
  readonly mergedIds: readonly string[]
  readonly owner: string
  readonly grants: ReadonlyMap<string, Grant>
  readonly isListed: boolean
}

export type Comment = { readonly owner: string; readonly text: string }

/** Fields without relationships, by their kind. */
export type Fields = ReadonlyMap<string, 'text' | 'number' | 'labels' | 'select'>

/** A workspace as the reference model sees it: what requests can tell apart, and nothing of how it is stored. */
export class State {
  links = new Model(relations)
  readonly records = new Map<string, Entry>()
  readonly mergedInto = new Map<string, string>()
  readonly comments = new Map<string, Comment>()
  /** By idempotency key, the answer that was given. */
  readonly kept = new Map<string, string>()
  readonly schemas = new Map<string, Fields>()
  /** By page that is being read, the records that were found for it and must have left the list when they are read. */
  readonly leaving = new Map<string, readonly string[]>()
  /** By record, how many of its events in the log tell of what has led to this state. */
  readonly heard = new Map<string, number>()
  #fingerprint: string | undefined

  copy(): State {
    const copied = new State()
    copied.links = this.links.copy()
    for (const name of ['records', 'mergedInto', 'comments', 'kept', 'schemas', 'leaving', 'heard'] as const) {
      for (const [key, value] of this[name]) (copied[name] as Map<string, unknown>).set(key, value)
    }
    return copied
  }

  fingerprint(): string {
    this.#fingerprint ??= [
      ...[...this.records].map(([id, { grants, ...entry }]) =>
        JSON.stringify([id, entry, [...grants].map((one) => JSON.stringify(one)).toSorted()]),
      ),
      ...this.links.describe(),
      ...[...this.schemas].map(([object, fields]) => `${object} ${[...fields].map(String).toSorted().join(' ')}`),
      ...[...this.mergedInto, ...this.comments, ...this.kept, ...this.leaving, ...this.heard].map((entry) =>
        JSON.stringify(entry),
      ),
    ]
      .toSorted()
      .join('\n')
    return this.#fingerprint
  }

  entry(id: string): Entry {
    const found = this.records.get(id)
    if (found === undefined) throw new Error(`The model knows no record ${id}`)
    return found
  }

  isLive = (object: string, id: string): boolean => this.links.isLive(id) && this.records.get(id)?.object === object

  isDeleted = (object: string, id: string): boolean =>
    this.links.states.get(id) === 'deleted' && this.records.get(id)?.object === object

  live = (object: string): string[] => [...this.records.keys()].filter((id) => this.isLive(object, id)).toSorted()

  /** The live record that has a value of a unique field. */
  holder = (object: string, field: string, value: Json): string | undefined =>
    value === null || value === undefined
      ? undefined
      : this.live(object).find((id) => this.entry(id).values[field] === value)

  /** The fields of an object; a field that goes takes its values with it. */
  setFields(object: string, fields: Fields): void {
    this.schemas.set(object, fields)
    for (const [id, entry] of this.records) {
      if (entry.object !== object) continue
      const kept = Object.entries<Json>(entry.values).filter(([name]) => fields.has(name))
      if (kept.length < Object.keys(entry.values).length) this.change(id, { values: Object.fromEntries(kept) })
    }
  }

  change(id: string, part: Partial<Entry>): void {
    this.records.set(id, { ...this.entry(id), ...part })
  }

  /** The references of a record along its fields to one. */
  references(object: string, id: string): Record<string, string | null> {
    const fields = relationFields(object).filter(({ toOne }) => toOne)
    const isLive = this.links.isLive(id)
    return Object.fromEntries(
      fields.map(({ relation: one, side, field }) => [
        field,
        (isLive ? this.links.linked(one, side, id)[0] : this.links.said(one, side, id)) ?? null,
      ]),
    )
  }

  /** The attributes that an answer shows of a record, without those that the server makes. */
  attributes(id: string): Record<string, Json> {
    const { object, values, mergedIds } = this.entry(id)
    const own = [...(this.schemas.get(object) as Fields)].map(([field, kind]): [string, Json] => [
      field,
      values[field] ?? (kind === 'labels' ? { items: [] } : null),
    ])
    return {
      ...Object.fromEntries(own),
      ...this.references(object, id),
      ...(mergedIds.length > 0 && { _merged_ids: mergedIds }),
    }
  }
}

export const exactly = (number: number): Version => ({ number, isExact: true })

/** After one more change. */
export const next = ({ number, isExact }: Version): Version => ({ number: number + 1, isExact })

/** Returns whether a version that was answered can be this one. */
export const fits = (version: Version, answered: number): boolean =>
  version.isExact ? answered === version.number : answered >= version.number
