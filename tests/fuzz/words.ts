import type { Json } from '../harness/http.ts'
import type { Random } from '../harness/random.ts'

/** Remembers the newest of what it was given. */
class Recent<T> {
  readonly items: T[] = []
  readonly #max: number
  #next = 0

  constructor(max: number) {
    this.#max = max
  }

  add(item: T): void {
    this.items[this.#next % this.#max] = item
    this.#next++
  }

  forget(item: T): void {
    const index = this.items.indexOf(item)
    if (index === -1) return
    this.items.splice(index, 1)
    this.#next = this.items.length
  }
}

/** Objects of the workspace by name, with their schema documents. */
export type Objects = ReadonlyMap<string, Json>

/** Ids and texts of another workspace that a caller may have got hold of. */
export type Foreign = {
  readonly ids: readonly string[]
  readonly texts: readonly string[]
  readonly cursors: readonly string[]
}

/** A grant, and the record that it is of. */
type Grant = { readonly object: string; readonly id: string; readonly grant: string }

/** A static list, and the object whose records it takes. */
type StaticList = { readonly object: string; readonly list: string }

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

const unknownId = '019b2f6e-7a00-7000-8000-00000000dead'

/**
 * The knowledge of a caller of the API: names from the schemas, ids, cursors and keys from earlier answers. A word that
 * is right makes a request get further, so that its faults are met deeper in.
 */
export class Words {
  objects: Objects
  readonly #foreign: Foreign
  readonly #ids = new Map<string, Recent<string>>()
  readonly #cursors = new Recent<string>(200)
  readonly #keys = new Recent<string>(12)
  readonly #tags = new Recent<string>(20)
  readonly #grants = new Recent<Grant>(50)
  readonly #staticLists = new Recent<StaticList>(50)

  constructor(objects: Objects, foreign: Foreign) {
    this.objects = objects
    this.#foreign = foreign
  }

  /** Mostly one that has records. */
  object(random: Random): string {
    const names = [...this.objects.keys()]
    const filled = names.filter((name) => this.#ids.has(name))
    return random.pick(filled.length > 0 && random.chance(0.85) ? filled : names)
  }

  fields(object: string): Readonly<Record<string, Json>> {
    return this.objects.get(object)?.properties ?? {}
  }

  field(random: Random, object: string): string {
    const names = Object.keys(this.fields(object))
    return names.length === 0 || random.chance(0.15)
      ? random.pick(['_id', '_created_at', '_updated_at', '_created_by', '_updated_by'])
      : random.pick(names)
  }

  /** An id of a kind: the name of an object, or the collection in a path. */
  id(random: Random, kind: string): string {
    const known = this.#ids.get(kind)?.items ?? this.#ids.get(kind.replace(/s$/, ''))?.items ?? []
    return known.length === 0 ? unknownId : random.pick(known)
  }

  anyId(random: Random): string {
    return this.#ids.size === 0 ? unknownId : this.id(random, random.pick([...this.#ids.keys()]))
  }

  foreignId(random: Random): string {
    return random.pick(this.#foreign.ids)
  }

  foreignText(random: Random): string {
    return random.pick(this.#foreign.texts)
  }

  cursor(random: Random): string {
    const known = random.chance(0.1) ? this.#foreign.cursors : this.#cursors.items
    return known.length === 0 ? 'WyJ4Il0' : random.pick(known)
  }

  key(random: Random): string | undefined {
    return this.#keys.items.length === 0 ? undefined : random.pick(this.#keys.items)
  }

  tag(random: Random): string {
    return this.#tags.items.length === 0 ? '"1"' : random.pick(this.#tags.items)
  }

  /** A grant of which an answer has told. */
  grant(random: Random): Grant | undefined {
    return this.#grants.items.length === 0 ? undefined : random.pick(this.#grants.items)
  }

  /** A static list of which an answer has told. */
  staticList(random: Random): StaticList | undefined {
    return this.#staticLists.items.length === 0 ? undefined : random.pick(this.#staticLists.items)
  }

  /** Learns from the answer about the grants of a record. */
  learnGrants(object: string, id: string, body: Json): void {
    for (const { id: grant } of [body?.data ?? []].flat().slice(0, 3))
      if (typeof grant === 'string') this.#grants.add({ object, id, grant })
  }

  /** Learns from an answer; `collection` is the one that its path ends in. */
  learn(collection: string, body: Json, tag: string | undefined): void {
    if (tag !== undefined) this.#tags.add(tag)
    if (typeof body?._id === 'string') this.#addId(collection, body._id)
    this.#visit(body, 0)
    for (const item of [body?.data].flat().slice(0, 20))
      if (typeof item?.id === 'string') this.#addId(collection, item.id)
    for (const link of [body?.links?.next, body?.links?.prev]) {
      if (typeof link !== 'string') continue
      for (const [name, value] of new URL(link).searchParams)
        if (/^page\[(after|before|cursor)\]$/.test(name)) this.#cursors.add(value)
    }
    const key: unknown = body?.data?.attributes?.cleartext_api_key
    if (typeof key === 'string') this.#keys.add(key)
  }

  /** Ids of what was deleted; a few are kept, since callers do not know everything either. */
  forget(text: string): void {
    for (const [id] of text.matchAll(uuid)) if (!id.endsWith('0')) this.#forgetId(id)
  }

  #forgetId(id: string): void {
    for (const known of this.#ids.values()) known.forget(id)
    for (const gone of this.#staticLists.items.filter(({ list }) => list === id)) this.#staticLists.forget(gone)
  }

  #addId(kind: string, id: string): void {
    const known = this.#ids.get(kind) ?? new Recent<string>(150)
    this.#ids.set(kind, known)
    if (!known.items.includes(id)) known.add(id)
  }

  #addList({ object, list }: StaticList): void {
    if (this.#staticLists.items.every((known) => known.list !== list)) this.#staticLists.add({ object, list })
  }

  /** Everything with a type and an id, wherever it stands. */
  #visit(value: Json, depth: number): void {
    if (typeof value !== 'object' || value === null || depth > 5) return
    if (Array.isArray(value)) return value.slice(0, 20).forEach((item) => this.#visit(item, depth + 1))
    if (typeof value.type === 'string' && typeof value.id === 'string' && this.objects.has(value.type))
      this.#addId(value.type, value.id)
    if (value.type === 'list' && typeof value.id === 'string' && value.attributes?.type === 'static')
      this.#addList({ object: value.attributes.entity, list: value.id })
    for (const inner of Object.values(value)) this.#visit(inner, depth + 1)
  }
}
