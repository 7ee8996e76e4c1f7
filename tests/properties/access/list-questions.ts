import { expect } from 'vitest'
import type { QueryText } from '../../harness/api.ts'
import { resourcesPath } from '../../harness/records.ts'
import { filterOf, orderOf } from './filters.ts'
import { byCreation, type Thing } from './model.ts'
import { expectStatus, idsOf, type Make } from './question.ts'
import { objects } from './world.ts'

const W = '/workspaces/acme'

/** A page of a list, filtered and in some order, as a query or as a body. */
export const list: Make = (world, who, random) => {
  const { app, model } = world
  const object = random.pick(objects)
  const filters = Array.from({ length: random.pick([0, 1, 1, 2]) }, () => filterOf(world, who, random, object))
  const order = orderOf(world, who, random)
  const asBody = random.chance(0.4)
  const denied = asBody && random.chance(0.3)
  const [offset, limit] = random.pick([
    [0, 1000],
    [0, 1000],
    [0, 5],
    [3, 5],
  ])
  const sort = order && { column: order.column, dir: order.dir }
  const body = {
    ...(filters.length > 0 && {
      filter: denied ? { not: { or: filters.map(({ tree }) => tree) } } : { and: filters.map(({ tree }) => tree) },
    }),
    ...(sort && { sort: [sort] }),
    page: { offset, limit },
  }
  const query = Object.assign(
    {
      'page[offset]': offset,
      'page[limit]': limit,
      ...(sort && { 'sortOrder[column]': sort.column, 'sortOrder[dir]': sort.dir }),
    },
    ...filters.map((one) => one.query),
  ) as QueryText
  // Two conditions with one operator on one field are one member of a query: only the later one is sent.
  const sent = asBody
    ? filters
    : filters.filter(({ query: own }) => Object.entries(own).every(([name, value]) => query[name] === value))
  const matches = (thing: Thing): boolean =>
    denied
      ? filters.length === 0 || !filters.some(({ holds }) => holds(thing))
      : sent.every(({ holds }) => holds(thing))
  return {
    what: `list ${object} ${JSON.stringify(asBody ? body : query)}`,
    said: filters.flatMap(({ said = [] }) => said),
    ask: () =>
      asBody
        ? app.api.post(`${resourcesPath(object)}/query`, { as: who.as, body })
        : app.api.get(resourcesPath(object), { as: who.as, query }),
    check(answer) {
      expectStatus(answer, 200)
      const all = model
        .seen(who, object)
        .filter(matches)
        .toSorted(order?.compare ?? byCreation)
      expect([idsOf(answer.body.data), answer.body.meta.total_records]).toEqual([
        all.slice(offset, offset + limit).map(({ id }) => id),
        all.length,
      ])
      for (const { id, attributes } of answer.body.data)
        expect(attributes.ref).toBe(model.ref(who, model.things.get(id) as Thing))
    },
  }
}

/** A question about a list that every member sees: about its entries, or about its filter. */
export const inList: Make = (world, who, random) => {
  const { app, model } = world
  const object = random.pick(objects)
  const filter = random.chance(0.6) ? filterOf(world, who, random, object) : undefined
  const entries = new Set(
    model
      .live(object)
      .filter(() => random.chance(0.5))
      .map(({ id }) => id),
  )
  const asFile = random.chance(0.3)
  const make = async (): Promise<string> => {
    const given = {
      title: 'Law',
      permission: 'workspace',
      ...(filter === undefined ? { type: 'static' } : { type: 'dynamic', query: { filter: filter.tree } }),
    }
    const { status, body } = await app.api.post(`${W}/objects/${object}/lists`, { body: given })
    if (status !== 201) throw new Error(`no list: ${JSON.stringify(body)}`)
    const data = [...entries].map((id) => ({ type: object, id }))
    if (filter === undefined && data.length > 0)
      expectStatus(
        await app.api.post(`${W}/objects/${object}/lists/${body.data.id}/resources`, { body: { data } }),
        200,
      )
    return `${W}/objects/${object}/lists/${body.data.id}`
  }
  return {
    what: `${asFile ? 'file' : 'list'}-of-list ${object} ${JSON.stringify(filter?.tree ?? 'static')}`,
    said: filter?.said ?? [],
    ask: async () =>
      asFile
        ? app.api.post(`${await make()}/rows/csv`, { as: who.as })
        : app.api.get(`${await make()}/resources`, { as: who.as, query: { 'page[limit]': 1000 } }),
    check(answer) {
      expectStatus(answer, 200)
      const all = model
        .seen(who, object)
        .filter((thing) => (filter === undefined ? entries.has(thing.id) : filter.holds(thing)))
      const ids =
        filter === undefined ? all.map(({ id }) => id).toSorted() : all.toSorted(byCreation).map(({ id }) => id)
      if (asFile)
        return expect(
          answer.body
            .split('\r\n')
            .slice(1, -1)
            .map((line: string) => line.slice(0, line.indexOf(','))),
        ).toEqual(ids)
      expect([idsOf(answer.body.data), answer.body.meta.total_records]).toEqual([ids, ids.length])
    },
  }
}

/** The number of records that the caller sees. */
export const stats: Make = ({ app, model }, who, random) => {
  const object = random.pick(objects)
  return {
    what: 'stats',
    said: [],
    ask: () => app.api.get(`${W}/objects/${object}/stats`, { as: who.as }),
    check(answer) {
      expectStatus(answer, 200)
      expect(answer.body.data.attributes.count).toBe(model.seen(who, object).length)
    },
  }
}
