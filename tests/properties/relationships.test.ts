import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Answer, Json } from '../harness/http.ts'
import { recordsOf, recordsPath, resourcesPath } from '../harness/records.ts'
import { schemasOf } from '../harness/schemas.ts'
import { runSeed, rounds } from '../harness/size.ts'
import { isToOne, Model, otherSide, type Relation, type Side } from './relationships/model.ts'

const app = await startApp()
const records = recordsOf(app)
const schemas = schemasOf(app)

const relation = (
  kind: Relation['kind'],
  [a, field]: readonly [string, string],
  [b, back]: readonly [string, string],
): Relation => ({ kind, a: { object: a, field }, b: { object: b, field: back } })

/** Every kind between two custom objects, of one with itself, to a built-in one, and to a read-only one. */
const relations: readonly Relation[] = [
  relation('many-to-one', ['c_left', 'boss_id'], ['c_right', 'minions']),
  relation('one-to-one', ['c_left', 'twin_id'], ['c_right', 'twin_id']),
  relation('many-to-many', ['c_left', 'mates'], ['c_right', 'mates']),
  relation('many-to-one', ['c_left', 'parent_id'], ['c_left', 'children']),
  relation('one-to-one', ['c_left', 'next_id'], ['c_left', 'previous_id']),
  relation('many-to-many', ['c_left', 'known'], ['c_left', 'knows']),
  relation('many-to-one', ['c_left', 'person_id'], ['person', 'lefts']),
  relation('one-to-one', ['c_left', 'alter_id'], ['person', 'alter_left_id']),
  relation('many-to-many', ['c_left', 'friends'], ['person', 'left_friends']),
  relation('many-to-one', ['c_left', 'keeper_id'], ['user', 'kept']),
  relation('many-to-many', ['c_left', 'watchers'], ['user', 'watched']),
]

await schemas.make({}, { name: 'Right' })
await schemas.make(
  Object.fromEntries(
    relations.map(({ kind, a, b }) => [
      a.field,
      { title: a.field, xSvcRelationship: { kind, entity: b.object, field: b.field } },
    ]),
  ),
  { name: 'Left' },
)

const written = ['c_left', 'c_right', 'person'] as const
type Written = (typeof written)[number]
type Ids = Readonly<Record<string, string[]>>
type RelationEnd = { readonly relation: Relation; readonly side: Side }

const sidesOf = (some: readonly Relation[], name: string): RelationEnd[] =>
  some.flatMap((one) =>
    (['a', 'b'] as const).filter((side) => one[side].object === name).map((side) => ({ relation: one, side })),
  )

type Step =
  | {
      readonly do: 'change'
      readonly place: RelationEnd
      readonly at: number
      readonly to: readonly number[]
      readonly how: 'replace' | 'add' | 'remove' | 'unlink'
    }
  | {
      readonly do: 'patch'
      readonly place: RelationEnd
      readonly items: readonly { readonly at: number; readonly to: number | null }[]
    }
  | {
      readonly do: 'create'
      readonly object: Written
      readonly links: readonly {
        readonly place: number
        readonly to: readonly number[]
        readonly asAttribute: boolean
      }[]
    }
  | { readonly do: 'createMany'; readonly place: RelationEnd; readonly to: readonly (number | null)[] }
  | { readonly do: 'remove' | 'restore'; readonly object: Written; readonly at: readonly number[] }
  | { readonly do: 'merge'; readonly object: Written; readonly into: number; readonly from: readonly number[] }

const at = fc.nat({ max: 3 })
const several = fc.uniqueArray(at, { minLength: 1, maxLength: 2 })

/** Steps along some relationships, of which every object takes part in one at least: of few, more happens to each. */
function stepsOf(chosen: readonly Relation[]): fc.Arbitrary<Step[]> {
  const places = written.flatMap((name) => sidesOf(chosen, name))
  const objects = fc.constantFrom(...new Set(places.map(({ relation: one, side }) => one[side].object as Written)))
  const place = fc.constantFrom(...places)
  const toOne = places.filter(({ relation: one, side }) => isToOne(one, side))
  const change = fc.record({
    do: fc.constant('change' as const),
    place,
    at,
    to: fc.array(at, { maxLength: 3 }),
    how: fc.constantFrom('replace', 'add', 'remove', 'unlink'),
  })
  const ofOne =
    toOne.length === 0
      ? []
      : [
          {
            weight: 6,
            arbitrary: fc.record({
              do: fc.constant('patch' as const),
              place: fc.constantFrom(...toOne),
              items: fc.uniqueArray(fc.record({ at, to: fc.option(at, { freq: 4 }) }), {
                selector: (one) => one.at,
                minLength: 1,
                maxLength: 3,
              }),
            }),
          },
          {
            weight: 1,
            arbitrary: fc.record({
              do: fc.constant('createMany' as const),
              place: fc.constantFrom(...toOne),
              to: fc.array(fc.option(at, { freq: 4 }), { minLength: 1, maxLength: 3 }),
            }),
          },
        ]
  const links = fc.uniqueArray(
    fc.record({ place: at, to: fc.array(at, { minLength: 1, maxLength: 2 }), asAttribute: fc.boolean() }),
    { selector: (one) => one.place, maxLength: 3 },
  )
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 5, arbitrary: change },
    ...ofOne,
    { weight: 1, arbitrary: fc.record({ do: fc.constant('create' as const), object: objects, links }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('remove' as const), object: objects, at: several }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('restore' as const), object: objects, at: several }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('merge' as const), object: objects, into: at, from: several }),
    },
  )
  return fc.array(step, { minLength: 1, maxLength: 24, size: 'max' })
}

type Run = { readonly chosen: readonly Relation[]; readonly steps: Step[] }

const run: fc.Arbitrary<Run> = fc
  .subarray([...relations], { minLength: 1, maxLength: 2 })
  .chain((chosen) => stepsOf(chosen).map((steps) => ({ chosen, steps })))

/** Acts over HTTP and in the model, which is told only of what has succeeded, and expects that it should have. */
class World {
  readonly model: Model
  readonly ids: Ids

  constructor(chosen: readonly Relation[], ids: Ids) {
    this.model = new Model(chosen)
    this.ids = ids
    for (const id of Object.values(ids).flat()) this.model.states.set(id, 'live')
  }

  sides = (name: string): RelationEnd[] => sidesOf(this.model.relations, name)

  id(name: string, index: number): string {
    const ids = this.ids[name] as string[]
    return ids[index % ids.length] as string
  }

  areLive = (ids: readonly (string | null | undefined)[]): boolean =>
    ids.every((id) => id === null || id === undefined || this.model.isLive(id))

  async take(one: Step): Promise<void> {
    if (one.do === 'change') await this.change(one)
    else if (one.do === 'patch') await this.patch(one)
    else if (one.do === 'create') await this.create(one)
    else if (one.do === 'createMany') await this.createMany(one)
    else await this.move(one)
  }

  async change({ place: { relation: one, side }, at: index, to, how }: Extract<Step, { do: 'change' }>): Promise<void> {
    const [own, there] = [one[side], one[otherSide(side)]]
    const toOne = isToOne(one, side)
    const id = this.id(own.object, index)
    const ids = [...new Set((toOne ? to.slice(0, 1) : to).map((other) => this.id(there.object, other)))]
    const data = [...(how === 'unlink' ? [null] : []), ...ids].map((other) => ({ type: there.object, id: other }))
    const method = how === 'add' ? 'post' : how === 'remove' ? 'delete' : 'patch'
    const { status } = await app.api[method](`${recordsPath(own.object)}/${id}/relationships/${own.field}`, {
      as: 'member',
      body: { data },
    })
    const isAsked = this.areLive([id]) && !(how === 'add' && toOne) && (how === 'remove' || this.areLive(ids))
    expect(status < 300, `${status}`).toBe(isAsked)
    if (!isAsked) return
    if (how === 'remove') return ids.forEach((other) => this.model.unlink(one, side, id, other))
    const isAdding = how === 'add' || (how === 'replace' && !toOne && isToOne(one, otherSide(side)))
    if (!isAdding) this.model.unlink(one, side, id)
    for (const other of ids) this.model.link(one, side, id, other)
  }

  /** As if its items came one after another. */
  async patch({ place: { relation: one, side }, items }: Extract<Step, { do: 'patch' }>): Promise<void> {
    const [own, there] = [one[side], one[otherSide(side)]]
    const given = [
      ...new Map(
        items.map((item) => [this.id(own.object, item.at), item.to === null ? null : this.id(there.object, item.to)]),
      ),
    ]
    const { status } = await app.api.patch(recordsPath(own.object), {
      as: 'member',
      body: { data: given.map(([id, to]) => ({ type: own.object, id, attributes: { [own.field]: to } })) },
    })
    const isAsked = this.areLive(given.flat())
    expect(status < 300, `${status}`).toBe(isAsked)
    if (isAsked) for (const [id, to] of given) this.assign({ relation: one, side }, id, to)
  }

  assign({ relation: one, side }: RelationEnd, id: string, to: string | null): void {
    if (to === null) this.model.unlink(one, side, id)
    else this.model.link(one, side, id, to)
  }

  async create({ object: name, links }: Extract<Step, { do: 'create' }>): Promise<void> {
    const sides = this.sides(name)
    const given = [...new Map(links.map((link) => [sides[link.place % sides.length] as RelationEnd, link]))].map(
      ([place, link]) => {
        const ids = [...new Set(link.to.map((index) => this.id(place.relation[otherSide(place.side)].object, index)))]
        const toOne = isToOne(place.relation, place.side)
        return {
          ...place,
          field: place.relation[place.side].field,
          toOne,
          asAttribute: toOne && link.asAttribute,
          ids: toOne ? ids.slice(0, 1) : ids,
        }
      },
    )
    const identifier = (one: (typeof given)[number], id: string | undefined) => ({
      type: one.relation[otherSide(one.side)].object,
      id,
    })
    const attributes = Object.fromEntries(given.filter((one) => one.asAttribute).map((one) => [one.field, one.ids[0]]))
    const relationships = Object.fromEntries(
      given
        .filter((one) => !one.asAttribute)
        .map((one) => [
          one.field,
          { data: one.toOne ? identifier(one, one.ids[0]) : one.ids.map((id) => identifier(one, id)) },
        ]),
    )
    const { status, body } = await app.api.post(resourcesPath(name), {
      as: 'member',
      body: { data: { type: name, attributes, relationships } },
    })
    const isAsked = this.areLive(given.flatMap(({ ids }) => ids))
    expect(status < 300, `${status} ${JSON.stringify(body)}`).toBe(isAsked)
    if (!isAsked) return
    this.add(name, body.data.id)
    for (const one of given) for (const id of one.ids) this.model.link(one.relation, one.side, body.data.id, id)
  }

  async createMany({ place: { relation: one, side }, to }: Extract<Step, { do: 'createMany' }>): Promise<void> {
    const [own, there] = [one[side], one[otherSide(side)]]
    const ids = to.map((index) => (index === null ? null : this.id(there.object, index)))
    const { status, body } = await app.api.post(`${recordsPath(own.object)}/bulk`, {
      as: 'member',
      body: { data: ids.map((id) => ({ type: own.object, attributes: { [own.field]: id } })) },
    })
    const isAsked = this.areLive(ids)
    expect(status < 300, `${status} ${JSON.stringify(body)}`).toBe(isAsked)
    if (!isAsked) return
    body.data.forEach(({ id }: Json, index: number) => {
      this.add(own.object, id)
      this.assign({ relation: one, side }, id, ids[index] as string | null)
    })
  }

  add(name: string, id: string): void {
    ;(this.ids[name] as string[]).push(id)
    this.model.states.set(id, 'live')
  }

  async move(one: Extract<Step, { do: 'remove' | 'restore' | 'merge' }>): Promise<void> {
    const ids = [...new Set((one.do === 'merge' ? one.from : one.at).map((index) => this.id(one.object, index)))]
    const into = one.do === 'merge' ? this.id(one.object, one.into) : undefined
    const { status } = await this.send(one, ids, into)
    const wanted = one.do === 'restore' ? 'deleted' : 'live'
    const isAsked =
      ids.every((id) => this.model.states.get(id) === wanted) && this.areLive([into]) && !ids.includes(into as string)
    expect(status < 300, `${status}`).toBe(isAsked)
    if (!isAsked) return
    if (one.do === 'merge') this.model.merge(one.object, into as string, ids)
    else if (one.do === 'remove') this.model.remove(one.object, ids)
    else this.model.restore(ids)
  }

  send(
    one: Extract<Step, { do: 'remove' | 'restore' | 'merge' }>,
    ids: readonly string[],
    into: string | undefined,
  ): Promise<Answer> {
    if (one.do === 'merge') return records.merge(one.object, into as string, ids)
    return one.do === 'remove' ? records.remove(one.object, ids) : records.restore(one.object, ids)
  }

  /** By record and field, whom the model links it to. */
  expected(name: string): Record<string, Record<string, readonly string[]>> {
    const live = (this.ids[name] as string[]).filter((id) => this.model.isLive(id))
    return Object.fromEntries(
      live.map((id) => [
        id,
        Object.fromEntries(
          this.sides(name).map(({ relation: one, side }) => [one[side].field, this.model.linked(one, side, id)]),
        ),
      ]),
    )
  }
}

/** Compares includes; the value of a field to one is the record included for it, and counts are exact. */
async function included(world: World, name: string): Promise<Record<string, Record<string, readonly string[]>>> {
  const sides = world.sides(name)
  const query = {
    'filter[_id][One of]': (world.ids[name] as string[]).join(','),
    include: sides.map(({ relation: one, side }) => one[side].field).join(','),
    'page[limit]': 100,
  }
  const { status, body } = await app.api.get(resourcesPath(name), { as: 'member', query })
  expect(status, JSON.stringify(body)).toBe(200)
  const linked = ({ attributes, relationships }: Json) =>
    sides.map(({ relation: one, side }) => {
      const { field } = one[side]
      const { data, meta } = relationships[field] ?? { data: null }
      const ids: string[] = [data ?? []].flat().map((related: Json) => related.id)
      if (isToOne(one, side)) expect([attributes[field] ?? []].flat()).toEqual(ids)
      else expect(meta.count).toBe(ids.length)
      return [field, ids] as const
    })
  return Object.fromEntries(body.data.map((record: Json) => [record.id, Object.fromEntries(linked(record))]))
}

/** Compares lists of related records, and filters along the relationship; of users, only their lists. */
async function listed(world: World, name: string): Promise<void> {
  for (const { relation: one, side } of world.sides(name)) {
    const [own, there] = [one[side], one[otherSide(side)]]
    for (const id of (world.ids[name] as string[]).filter((one_) => world.model.isLive(one_))) {
      const { body } = await app.api.get(`${recordsPath(name)}/${id}/relationships/${own.field}`, { as: 'member' })
      const ids = world.model.linked(one, side, id)
      expect([body.data.map((related: Json) => related.id), body.meta.total_records], `${own.field} of ${id}`).toEqual([
        ids,
        ids.length,
      ])
      const { body: filtered } = await records.list(there.object, {
        [`filter[${there.field}._id]`]: id,
        'sortOrder[column]': '_id',
        'sortOrder[dir]': 'ASC',
      })
      expect(filtered.errors, JSON.stringify(filtered.errors)).toBeUndefined()
      expect(
        [filtered.data.map((related: Json) => related.id), filtered.meta.total_records],
        `${there.object} by ${there.field}`,
      ).toEqual([ids, ids.length])
    }
  }
}

test('both ends of every kind of relationship stay in step with a reference model', { timeout: 300_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(run, async ({ chosen, steps }) => {
      const ids: Record<string, string[]> = { user: [app.userIds.admin, app.userIds.member] }
      for (const name of written) ids[name] = (await records.createMany(name, [{}, {}, {}])).map(({ id }) => id)
      const world = new World(chosen, ids)
      const objects = written.filter((name) => world.sides(name).length > 0)
      for (const one of steps) {
        await world.take(one)
        for (const name of objects)
          expect(await included(world, name), `${name}, after ${one.do}`).toEqual(world.expected(name))
      }
      expect(await app.linkFaults()).toEqual([])
      for (const name of objects) await listed(world, name)
      // Users outlive a run, and filters by them find what earlier runs have left.
      for (const name of written)
        await records.remove(
          name,
          (ids[name] as string[]).filter((id) => world.model.isLive(id)),
        )
    }),
    { numRuns: rounds(40, 2), seed: runSeed },
  )
})
