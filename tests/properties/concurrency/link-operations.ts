import type { Json } from '../../harness/http.ts'
import { recordsPath } from '../../harness/records.ts'
import * as effects from './effects.ts'
import { by, Pool, type Operation } from './operations.ts'
import { pageParts } from './pages.ts'
import { missing } from './record-operations.ts'
import { item, place, relationFields, type RelationField } from './state.ts'

const { short } = Pool

type At = {
  readonly object: string
  readonly id: string
  readonly end: RelationField
  readonly entity: string
  readonly path: string
}

function somewhere(pool: Pool): At {
  const object = pool.random.pick([item, place])
  const id = pool.id(object)
  const end = pool.random.pick(relationFields(object))
  return {
    object,
    id,
    end,
    entity: effects.entityOf(object, end.field),
    path: `${recordsPath(object)}/${id}/relationships/${end.field}`,
  }
}

const methods = { add: 'POST', replace: 'PATCH', remove: 'DELETE' } as const

/** Links a record with others, or ends links, from either end of a relationship. */
export function changeLinks(pool: Pool): Operation {
  const { object, id, end, entity, path } = somewhere(pool)
  const how = pool.random.pick(['add', 'replace', 'remove'] as const)
  const ids = end.toOne ? [pool.id(entity)] : pool.some(entity, 2)
  return {
    words: `${how} ${end.field} of ${short(id)}: ${ids.map(short).join(' ')}`,
    send: (send) =>
      send(methods[how], path, by(pool, 'member', { data: ids.map((other) => ({ type: entity, id: other })) })),
    expect(state) {
      if (!state.isLive(object, id)) return missing(state, [id])
      if (end.toOne && how === 'add') return { status: 422, codes: ['invalid_body'] }
      if (how !== 'remove' && ids.some((other) => !state.isLive(entity, other)))
        return { status: 404, codes: ['related_not_found'] }
      const next = state.copy()
      effects.changeLinks(next, id, end.field, how, ids)
      return { status: 200, body: {}, ...(next.fingerprint() !== state.fingerprint() && { next }) }
    },
  }
}

/** A page of related records, with the total. */
export function listLinked(pool: Pool): Operation {
  const { object, id, end, path } = somewhere(pool)
  return {
    words: `list ${end.field} of ${short(id)}`,
    isRead: true,
    send: (send) => send('GET', path, by(pool, 'member')),
    see: () => ({}),
    expect: (state) => (state.isLive(object, id) ? { status: 200 } : missing(state, [id])),
    parts: (body: Json) => pageParts(pool, body, (state) => state.links.linked(end.relation, end.side, id)),
  }
}

/** A record with those that it is linked to, along every relationship. */
export function getWithLinked(pool: Pool): Operation {
  const object = pool.random.pick([item, place])
  const id = pool.id(object)
  const ends = relationFields(object)
  return {
    words: `get ${short(id)} with all that it is linked to`,
    isRead: true,
    send: (send) =>
      send(
        'GET',
        `${recordsPath(object)}/${id}?include=${ends.map(({ field }) => field).join(',')}`,
        by(pool, 'member'),
      ),
    see: () => ({}),
    expect: (state) =>
      state.isLive(object, id) ? { status: 200, version: state.entry(id).version } : missing(state, [id]),
    parts: ({ data }: Json) =>
      ends.map(({ field, relation, side }) => ({
        seen: [data.relationships[field]?.data ?? []].flat().map((one: Json) => one.id),
        expected: (state) => state.links.linked(relation, side, id),
      })),
  }
}
