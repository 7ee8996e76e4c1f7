import { encodeQuery } from '../../harness/api.ts'
import type { Json } from '../../harness/http.ts'
import { recordsPath, resourcesPath } from '../../harness/records.ts'
import { seenRecord, type Expected } from './answers.ts'
import * as effects from './effects.ts'
import { by, Pool, type Operation } from './operations.ts'
import { pageParts, shown } from './pages.ts'
import { fits, item, place, relationFields, unknownId, type State } from './state.ts'

type Attributes = { code?: Json } & Record<string, Json>

const { short } = Pool

/** 404, and where those are that were merged. */
export function missing(state: State, ids: readonly string[]): Expected {
  const mergedInto = [...new Set(ids.flatMap((id) => state.mergedInto.get(id) ?? []))]
    .filter((id) => state.links.isLive(id))
    .toSorted()
  return { status: 404, codes: ['not_found'], ...(mergedInto.length > 0 && { mergedInto }) }
}

/** The fault of attributes of a record, in the order of the checks. `id` is undefined for a new one. */
function refusal(state: State, object: string, id: string | undefined, attributes: Attributes): Expected | undefined {
  const known = state.schemas.get(object)!
  const references = new Map(relationFields(object).map(({ field }) => [field, effects.entityOf(object, field)]))
  const isWrong = ([name, value]: [string, Json]) =>
    references.has(name) ? value !== null && !state.isLive(references.get(name)!, value) : !known.has(name)
  if (Object.entries(attributes).some(isWrong)) return { status: 422, codes: ['invalid_body'] }
  return isTaken(state, object, id, attributes) ? { status: 409, codes: ['unique_violation'] } : undefined
}

const isTaken = (state: State, object: string, id: string | undefined, { code }: Attributes): boolean =>
  ![undefined, id].includes(state.holder(object, 'code', code))

/** Attributes of an item as a client may send them. */
function someAttributes(pool: Pool): Attributes {
  const { random } = pool
  const maybe = (chance: number, name: string, value: () => Json): Attributes =>
    random.chance(chance) ? { [name]: random.chance(0.2) ? null : value() } : {}
  return {
    ...maybe(0.5, 'n', () => random.below(5)),
    ...maybe(0.3, 'code', () => `${pool.mark}-${random.below(5)}`),
    ...maybe(0.3, 'tags', () => ({ items: [random.pick(['x', 'y', 'z'])] })),
    ...maybe(0.35, 'home_id', () => pool.id(place)),
    ...maybe(0.3, 'key_id', () => pool.id(place)),
    ...Object.assign({}, ...pool.extra.map((field) => maybe(0.2, field, () => random.word(3)))),
  }
}

const words = (attributes: Attributes): string =>
  JSON.stringify(attributes, (_key, value: Json) =>
    typeof value === 'string' && value.length === 36 ? short(value) : value,
  )

function createOne(state: State, id: string, attributes: Attributes, owner: string): { readonly next: State } {
  const next = state.copy()
  effects.create(next, item, [{ id, attributes }], owner)
  return { next }
}

export function createItem(pool: Pool): Operation {
  const attributes = { name: pool.name('N'), ...someAttributes(pool) }
  const owner = pool.people.member.id
  return {
    names: [attributes.name],
    words: `create ${words(attributes)}`,
    send: (send) => send('POST', recordsPath(item), by(pool, 'member', { data: { type: item, attributes } })),
    expect(state, [id = unknownId]) {
      const refused = refusal(state, item, undefined, attributes)
      if (refused !== undefined) return refused
      const { next } = createOne(state, id, attributes, owner)
      return { status: 201, body: { record: shown(next, id) }, version: next.entry(id).version, next }
    },
  }
}

/** Creates, or merges into the one that has the code. */
export function upsertItem(pool: Pool): Operation {
  const attributes = {
    name: pool.name('U'),
    ...someAttributes(pool),
    code: `${pool.mark}-${pool.random.below(5)}`,
  }
  return {
    names: [attributes.name],
    words: `upsert ${words(attributes)}`,
    send: (send) =>
      send('POST', recordsPath(item), by(pool, 'member', { data: { type: item, attributes }, match_on: 'code' })),
    expect(state, [id = unknownId]) {
      const holder = state.holder(item, 'code', attributes.code)
      const refused = refusal(state, item, holder, attributes)
      if (refused !== undefined) return refused
      if (holder === undefined) {
        const { next } = createOne(state, id, attributes, pool.people.member.id)
        return { status: 201, body: { record: shown(next, id) }, version: next.entry(id).version, next }
      }
      return { ...updated(state, holder, joined(state, holder, attributes, 'unite')) }
    },
  }
}

function updated(state: State, id: string, attributes: Attributes): Expected {
  const next = state.copy()
  const isChanged = effects.update(next, id, attributes)
  return { status: 200, body: { record: shown(next, id) }, version: next.entry(id).version, ...(isChanged && { next }) }
}

const counts = (created: number) => ({ created, updated: 0, unchanged: 0 })

/** Several at once, all or none, or each by itself. */
export function createItems(pool: Pool): Operation {
  const isAtomic = pool.random.chance(0.5)
  const given = Array.from({ length: pool.random.between(2, 3) }, () => ({
    name: pool.name('B'),
    ...someAttributes(pool),
  }))
  const owner = pool.people.member.id
  const data = given.map((attributes) => ({ type: item, attributes }))
  return {
    names: given.map(({ name }) => name),
    words: `create ${isAtomic ? 'all of' : 'each of'} ${given.map(words).join(' ')}`,
    send: (send) =>
      send('POST', `${recordsPath(item)}/bulk`, by(pool, 'member', { data }, { query: { atomic: isAtomic } })),
    see: ({ data: records, results, meta }: Json) => ({
      ...(records ? { records: records.length } : { statuses: results.map(({ status }: Json) => status) }),
      counts: { created: meta.created, updated: meta.updated, unchanged: meta.unchanged },
    }),
    expect(state, made) {
      const next = state.copy()
      const accepted: { id: string; attributes: Attributes }[] = []
      const refusals = given.map((attributes, index) => {
        const isTwice = accepted.some(
          (one) =>
            one.attributes.code !== null && one.attributes.code === attributes.code && attributes.code !== undefined,
        )
        const refused =
          refusal(state, item, undefined, attributes) ??
          (isTwice ? { status: 409, codes: ['unique_violation'] } : undefined)
        if (refused === undefined) accepted.push({ id: made[index] ?? `${unknownId} ${index}`, attributes })
        return refused
      })
      effects.create(next, item, accepted, owner)
      const wrong = refusals.filter((one) => one !== undefined)
      const created = given.length - wrong.length
      const isChanged = created > 0 && { next }
      if (!isAtomic)
        return {
          status: 200,
          body: { statuses: refusals.map((one) => one?.status ?? 201), counts: counts(created) },
          ...isChanged,
        }
      if (wrong.length > 0) return wrong.find(({ status }) => status === 422) ?? wrong[0]!
      return { status: 201, body: { records: given.length, counts: counts(given.length) }, next }
    },
  }
}

export function updateItem(pool: Pool): Operation {
  const id = pool.id(item)
  const strategy = pool.random.pick(['append', 'remove', 'replace', undefined, undefined])
  const attributes = someAttributes(pool)
  const ifMatch = pool.random.chance(0.3) ? pool.versions.get(id) : undefined
  const meta = strategy === undefined ? {} : { meta: { tags: { collection: strategy } } }
  return {
    words:
      `update ${short(id)} ${words(attributes)}` +
      `${strategy === undefined ? '' : ` tags ${strategy}`}${ifMatch === undefined ? '' : ` if it is at ${ifMatch}`}`,
    send: (send) =>
      send(
        'PATCH',
        `${recordsPath(item)}/${id}`,
        by(
          pool,
          'member',
          { data: { type: item, attributes }, ...meta },
          { headers: ifMatch === undefined ? {} : { 'If-Match': `"${ifMatch}"` } },
        ),
      ),
    expect(state) {
      if (!state.isLive(item, id)) return missing(state, [id])
      if (ifMatch !== undefined && !fits(state.entry(id).version, ifMatch))
        return { status: 412, codes: ['version_mismatch'] }
      return refusal(state, item, id, attributes) ?? updated(state, id, joined(state, id, attributes, strategy))
    },
  }
}

/** Labels as they are after a strategy. */
function joined(state: State, id: string, attributes: Attributes, strategy: string | undefined): Attributes {
  const given: Json = attributes['tags']
  if (given === undefined || given === null || strategy === undefined || strategy === 'replace') return attributes
  const before: string[] = state.entry(id).values['tags']?.items ?? []
  const items =
    strategy === 'append'
      ? [...new Set([...before, ...given.items])]
      : strategy === 'unite'
        ? [...new Set([...given.items, ...before])]
        : before.filter((one) => !given.items.includes(one))
  return { ...attributes, tags: items.length === 0 ? null : { items } }
}

export function updateItems(pool: Pool): Operation {
  const ids = pool.some(item, 3)
  // References would have to be told apart by who is direct and who is a partner.
  const given = ids.map((id) => ({
    id,
    attributes: { n: pool.random.below(5), ...(pool.random.chance(0.3) && { home_id: pool.id(place) }) } as Attributes,
  }))
  return {
    words: `update all of ${given.map(({ id, attributes }) => `${short(id)} ${words(attributes)}`).join(', ')}`,
    send: (send) =>
      send(
        'PATCH',
        recordsPath(item),
        by(pool, 'member', { data: given.map(({ id, attributes }) => ({ type: item, id, attributes })) }),
      ),
    expect(state) {
      const gone = ids.filter((id) => !state.isLive(item, id))
      if (gone.length > 0) return missing(state, gone)
      const refused = given
        .map(({ id, attributes }) => refusal(state, item, id, attributes))
        .find((one) => one !== undefined)
      if (refused !== undefined) return refused
      const next = state.copy()
      const changed = given.map(({ id, attributes }) => effects.update(next, id, attributes, new Set(ids)))
      return {
        status: 200,
        body: { records: ids.map((id) => shown(next, id)) },
        ...(changed.includes(true) && { next }),
      }
    },
  }
}

export function getItem(pool: Pool): Operation {
  const id = pool.id(item)
  return {
    words: `get ${short(id)}`,
    isRead: true,
    send: (send) => send('GET', `${recordsPath(item)}/${id}`, by(pool, 'member')),
    see: ({ data }: Json) => ({ record: pool.read(seenRecord(data)) }),
    expect: (state) =>
      state.isLive(item, id)
        ? { status: 200, body: { record: pool.read(shown(state, id)) }, version: state.entry(id).version }
        : missing(state, [id]),
  }
}

/** All records of the set, with their total. */
export function listRecords(pool: Pool): Operation {
  const object = pool.random.pick([item, place])
  const ids = [...pool.ids[object]!]
  const query = {
    'filter[_id][One of]': ids.join(','),
    'sortOrder[column]': '_id',
    'sortOrder[dir]': 'ASC',
    'page[limit]': 200,
  }
  return {
    words: `list ${object}`,
    isRead: true,
    send: (send) => send('GET', `${resourcesPath(object)}?${encodeQuery(query)}`, by(pool, 'member')),
    see: () => ({}),
    expect: () => ({ status: 200 }),
    parts: (body: Json) => pageParts(pool, body, (state) => ids.filter((id) => state.isLive(object, id)).toSorted()),
  }
}
