import { expect } from 'vitest'
import type { Json } from '../../harness/http.ts'
import { recordsPath, resourcesPath } from '../../harness/records.ts'
import { inList, list, stats } from './list-questions.ts'
import { reaches, type Rank, type Thing } from './model.ts'
import { expectStatus, idsOf, pick, type Make, type Question } from './question.ts'
import { backOf, closed, objects } from './world.ts'

const W = '/workspaces/acme'

const path = ({ object, id }: Thing): string => `${recordsPath(object)}/${id}`

const get: Make = ({ app, model }, who, random) => {
  const thing = random.pick(model.all())
  return {
    what: 'get',
    said: [thing.id],
    ask: () => app.api.get(path(thing), { as: who.as }),
    check(answer) {
      expectStatus(answer, model.sees(who, thing) ? 200 : 404)
      if (answer.status !== 200) return
      const { attributes, relationships } = answer.body.data
      const to = model.ref(who, thing)
      expect([attributes.name, attributes.rank, attributes.code, attributes.ref]).toEqual([
        thing.name,
        thing.rank,
        thing.code,
        to,
      ])
      expect(relationships.ref).toEqual({ data: to === null ? null : { type: closed, id: to } })
    },
  }
}

const include: Make = (world, who, random) => {
  const { app, model } = world
  const thing = pick(world, random)
  const back = random.pick(objects)
  const isClosed = thing.object === closed
  return {
    what: 'include',
    said: [thing.id],
    ask: () =>
      app.api.get(`${resourcesPath(thing.object)}/${thing.id}`, {
        as: who.as,
        query: { include: isClosed ? `ref,links,${backOf(back)}.ref` : 'ref.links,links' },
      }),
    check(answer) {
      expectStatus(answer, model.sees(who, thing) ? 200 : 404)
      if (answer.status !== 200) return
      const { relationships } = answer.body.data
      expect(relationships.ref.data?.id ?? null).toBe(model.ref(who, thing))
      expect([idsOf(relationships.links.data), relationships.links.meta.count]).toEqual([
        model.links(who, thing),
        model.links(who, thing).length,
      ])
      if (!isClosed) return
      const backs = model
        .seen(who, back)
        .filter(({ ref }) => ref === thing.id)
        .map(({ id }) => id)
        .toSorted()
      expect([idsOf(relationships[backOf(back)].data), relationships[backOf(back)].meta.count]).toEqual([
        backs,
        backs.length,
      ])
    },
  }
}

const related: Make = (world, who, random) => {
  const { app, model } = world
  const thing = pick(world, random)
  const back = random.pick(objects)
  const name = random.pick(thing.object === closed ? ['ref', 'links', backOf(back)] : ['ref', 'links'])
  const wanted = (): string[] => {
    if (name === 'links') return model.links(who, thing)
    return name === 'ref'
      ? [model.ref(who, thing) ?? []].flat()
      : model
          .seen(who, back)
          .filter(({ ref }) => ref === thing.id)
          .map(({ id }) => id)
          .toSorted()
  }
  return {
    what: `related ${name}`,
    said: [thing.id],
    ask: () =>
      app.api.get(`${path(thing)}/relationships/${name}`, {
        as: who.as,
        query: random.chance(0.3) ? { 'page[limit]': 1 } : {},
      }),
    check(answer) {
      expectStatus(answer, model.sees(who, thing) ? 200 : 404)
      if (answer.status !== 200) return
      const limit = answer.body.meta.limit
      expect([idsOf(answer.body.data), answer.body.meta.total_records]).toEqual([
        wanted().slice(0, limit),
        wanted().length,
      ])
    },
  }
}

const search: Make = (world, who, random) => {
  const { app, model } = world
  const object = random.pick(objects)
  const thing = pick(world, random)
  const words = random.pick([thing.group, thing.name.split(' ')[1] as string])
  const across = random.chance(0.5)
  const among = across ? objects : [object]
  return {
    what: `search ${words}`,
    said: [words],
    ask: () =>
      across
        ? app.api.post(`${W}/search`, { as: who.as, body: { query: words, entities: [...objects], limit: 50 } })
        : app.api.get(resourcesPath(object), { as: who.as, query: { search: words, 'page[limit]': 1000 } }),
    check(answer) {
      expectStatus(answer, 200)
      const found = among
        .flatMap((one) => model.seen(who, one))
        .filter(({ name }) => name.includes(words))
        .map(({ id }) => id)
      expect(answer.body.meta.total_records).toBe(found.length)
      if (found.length <= 50) expect(idsOf(answer.body.data).toSorted()).toEqual(found.toSorted())
    },
  }
}

const feed: Make = ({ app, model }, who, random) => {
  const thing = random.pick(model.all())
  return {
    what: 'activities',
    said: [thing.id],
    ask: () => app.api.get(`${path(thing)}/activities`, { as: who.as }),
    check: (answer) => expectStatus(answer, model.sees(who, thing) ? 200 : 404),
  }
}

const comment: Make = ({ app, model }, who, random) => {
  const thing = random.pick(
    model
      .all()
      .filter(({ comments }) => comments.length > 0)
      .concat(model.live()),
  )
  const id = thing.comments[0] ?? thing.id
  return {
    what: 'comment',
    said: [thing.id],
    ask: () => app.api.get(`${W}/comments/${id}`, { as: who.as }),
    check: (answer) => expectStatus(answer, thing.comments.length > 0 && model.sees(who, thing) ? 200 : 404),
  }
}

const deleted: Make = ({ app, model }, who, random) => {
  const object = random.pick(objects)
  return {
    what: 'deleted',
    said: [],
    ask: () => app.api.get(`${W}/objects/${object}/deleted-resources`, { as: who.as, query: { 'page[limit]': 1000 } }),
    check(answer) {
      expectStatus(answer, 200)
      const all = model
        .deleted(object)
        .filter((thing) => model.mayView(who, thing))
        .map(({ id }) => id)
      expect([idsOf(answer.body.data).toSorted(), answer.body.meta.total_records]).toEqual([all.toSorted(), all.length])
    },
  }
}

const grants: Make = (world, who, random) => {
  const { app, model } = world
  const thing = pick(world, random)
  return {
    what: 'grants',
    said: [thing.id],
    ask: () => app.api.get(world.accessPath(thing), { as: who.as }),
    check(answer) {
      expectStatus(answer, who.id === null ? 403 : model.sees(who, thing) ? 200 : 404)
      if (answer.status !== 200) return
      const listed = answer.body.data.map(({ attributes }: Json) => [
        attributes.grantee_id ?? 'workspace',
        attributes.access_level,
      ])
      expect(Object.fromEntries(listed)).toEqual(
        Object.fromEntries([...thing.grants].map(([grantee, { level }]) => [grantee, level])),
      )
      expect(listed).toHaveLength(thing.grants.size)
      expect(answer.body.meta.viewerAccess[0].access_level).toBe(model.level(who, thing))
    },
  }
}

const explain: Make = (world, who, random) => {
  const { app, model } = world
  const thing = pick(world, random)
  const other = random.pick(world.people.filter(({ id }) => id !== null))
  return {
    what: 'explain',
    said: [thing.id],
    ask: () => app.api.get(`${world.accessPath(thing)}/explain`, { as: who.as, query: { user: other.id as string } }),
    check(answer) {
      expectStatus(answer, who.id === null ? 403 : model.sees(who, thing) ? 200 : 404)
      if (answer.status === 200) expect(answer.body.data.attributes.access_level).toBe(model.level(other, thing))
    },
  }
}

/** Writes that are checked and not done: what they answer says as much as reading does. */
const rehearse: Make = (world, who, random) => {
  const { app, model } = world
  const thing = pick(world, random)
  const others = [thing, ...Array.from({ length: random.below(3) }, () => random.pick(model.live(thing.object)))]
  const to = random.pick(model.live(closed))
  const send = { as: who.as, query: { dry_run: true } }
  const type = thing.object
  const change = (needed: Rank): number => world.statusOf(who, thing, needed, 200)
  const several = (): number => {
    const all = others.map((one) => world.statusOf(who, one, 'edit', 200))
    return [404, 403, 200].find((status) => all.includes(status)) as number
  }
  const creating = (otherwise: number): number => (model.mayCreate(who, type) ? otherwise : 403)
  const level = model.level(who, thing)
  return random.pick<Question>([
    {
      what: 'patch',
      said: [thing.id],
      ask: () => app.api.patch(path(thing), { ...send, body: { data: { type, attributes: { rank: 77 } } } }),
      check: (answer) => expectStatus(answer, change('edit')),
    },
    {
      what: 'remove many',
      said: others.map(({ id }) => id),
      ask: () =>
        app.api.delete(recordsPath(type), { ...send, body: { items: [...new Set(others.map(({ id }) => id))] } }),
      check: (answer) => expectStatus(answer, several()),
    },
    {
      what: 'refer',
      said: [to.id],
      ask: () => app.api.post(recordsPath(type), { ...send, body: { data: { type, attributes: { ref: to.id } } } }),
      check: (answer) => expectStatus(answer, creating(model.sees(who, to) ? 201 : 422)),
    },
    {
      what: 'take a code',
      said: [thing.code],
      ask: () =>
        app.api.post(recordsPath(type), { ...send, body: { data: { type, attributes: { code: thing.code } } } }),
      check(answer) {
        expectStatus(answer, creating(409))
        if (answer.status === 409)
          expect(answer.body.errors[0].meta.existing_id).toBe(model.sees(who, thing) ? thing.id : undefined)
      },
    },
    {
      what: 'match a code',
      said: [thing.code],
      ask: () =>
        app.api.post(recordsPath(type), {
          ...send,
          body: { data: { type, attributes: { code: thing.code } }, match_on: 'code' },
        }),
      check: (answer) =>
        expectStatus(answer, creating(!reaches(level, 'view') ? 409 : reaches(level, 'edit') ? 200 : 403)),
    },
    {
      what: 'move references here',
      said: [thing.id, to.id],
      ask: () =>
        app.api.patch(`${path(thing)}/relationships/ref`, { ...send, body: { data: { type: closed, id: to.id } } }),
      check(answer) {
        const may = change('edit')
        expectStatus(answer, may === 200 && !model.sees(who, to) ? 404 : may)
      },
    },
  ])
}

const restoring: Make = (world, who, random) => {
  const thing = pick(world, random, 'deleted')
  return {
    what: 'restore',
    said: [thing.id],
    ask: () =>
      world.app.api.post(`${recordsPath(thing.object)}/restore`, {
        as: who.as,
        query: { dry_run: true },
        body: { items: [thing.id] },
      }),
    check: (answer) =>
      expectStatus(
        answer,
        who.role === 'viewer' ? 403 : thing.state === 'live' ? 404 : world.statusOf(who, thing, 'edit', 200),
      ),
  }
}

/** As often as each tells something new. */
export const questions: readonly (readonly [weight: number, make: Make])[] = [
  [3, get],
  [3, include],
  [3, related],
  [9, list],
  [3, inList],
  [1, stats],
  [2, search],
  [2, feed],
  [1, comment],
  [1, deleted],
  [2, grants],
  [2, explain],
  [5, rehearse],
  [1, restoring],
]
