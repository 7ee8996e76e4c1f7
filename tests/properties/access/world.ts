import { expect } from 'vitest'
import type { TestApp } from '../../harness/app.ts'
import type { Random } from '../../harness/random.ts'
import { grantOf, type Level } from '../../harness/grants.ts'
import type { Answer, Json } from '../../harness/http.ts'
import { recordsOf, recordsPath } from '../../harness/records.ts'
import { changesOf, schemasOf } from '../../harness/schemas.ts'
import { Model, reaches, type Rank, type Thing, type Who } from './model.ts'

const W = '/workspaces/acme'
const given = ['view', 'comment', 'edit', 'manage'] as const satisfies readonly Level[]
const defaults = ['none', 'view', 'comment', 'edit'] as const satisfies readonly Rank[]
const groups = ['alpha', 'bravo', 'charlie', 'delta'] as const

/** One that is private, to which all lead, and others with every default. */
export const closed = 'c_closed'
export const objects = [closed, 'c_read', 'c_talk', 'c_open'] as const
const firstDefaults: Readonly<Record<(typeof objects)[number], Rank>> = {
  c_closed: 'none',
  c_read: 'view',
  c_talk: 'comment',
  c_open: 'edit',
}

/** Of each kind: of more, a long run would be slower and find no more. */
const enough = { live: 110, gone: 25 }

/** The ways back from the closed object. */
export const backOf = (object: string): string => `of_${object}`

/** The things in the app and on paper, and everything that happens to both. Each happening is a comparison as well. */
export class World {
  readonly app: TestApp
  readonly model = new Model()
  readonly random: Random
  readonly people: readonly Who[]
  #serial = 0
  compared = 0

  constructor(app: TestApp, random: Random, people: readonly Who[]) {
    this.app = app
    this.random = random
    this.people = people
  }

  async begin(): Promise<void> {
    const schemas = schemasOf(this.app)
    for (const object of objects) {
      const properties = {
        name: { type: 'string', xSvcPrimary: true },
        rank: { type: 'number' },
        code: { type: 'string', xSvcUnique: true },
        ref: { xSvcRelationship: { kind: 'many-to-one', entity: closed, field: backOf(object) } },
        links: { xSvcRelationship: { kind: 'many-to-many', entity: closed, field: `linked_${object}` } },
      }
      await schemas.make(properties, { name: object.slice('c_'.length) })
      await this.setDefault(object, firstDefaults[object])
    }
    for (let made = 0; made < 60; made++) await this.create()
  }

  async setDefault(object: string, rank: Rank): Promise<void> {
    const { state } = await changesOf(this.app).edit(
      object,
      (_properties, document) => (document.xSvcAccess = { default: rank }),
    )
    expect(state).toBe('completed')
    this.model.defaults.set(object, rank)
  }

  who = (): Who => this.random.pick(this.people)

  /** Now and then a caller who may do it, or else nothing ever happens. */
  #able(thing: Thing): Who {
    const able = this.people.filter((who) => who.role !== 'viewer' && reaches(this.model.level(who, thing), 'edit'))
    return this.random.chance(0.7) ? this.random.pick(able) : this.who()
  }

  async happen(): Promise<void> {
    this.#forget()
    await this.random.weighted<() => Promise<void>>([
      [this.model.live().length > enough.live ? 1 : 9, () => this.create()],
      [8, () => this.update()],
      [this.model.deleted().length > enough.gone ? 0 : 3, () => this.remove()],
      [2, () => this.restore()],
      [12, () => this.share()],
      [6, () => this.revoke()],
      [8, () => this.link()],
      [3, () => this.comment()],
      [4, () => this.merge()],
      [0.4, () => this.setDefault(this.random.pick(objects), this.random.pick(defaults))],
    ])()
  }

  /** Of what was merged, the last ones are enough to ask for. */
  #forget(): void {
    const merged = this.model.all().filter(({ state }) => state === 'merged')
    for (const { id } of merged.slice(0, Math.max(0, merged.length - enough.gone))) this.model.things.delete(id)
  }

  /** A change that is answered as it must be. */
  #answered({ status, body }: Answer, wanted: number, what: string): void {
    expect(status, `${what}: ${JSON.stringify(body)}`).toBe(wanted)
    this.compared++
  }

  /** The status of a change of a record, by what the caller may do. */
  statusOf(who: Who, thing: Thing, needed: Rank, done: number): number {
    if (who.role === 'viewer') return 403
    const level = this.model.level(who, thing)
    return !reaches(level, 'view') ? 404 : reaches(level, needed) ? done : 403
  }

  #fresh = (): { name: string; group: string; code: string } => {
    const number = ++this.#serial
    const group = this.random.pick(groups)
    return { name: `${group} unique${String(number).padStart(6, '0')}`, group, code: `code-${number}` }
  }

  async create(): Promise<void> {
    const { model, random } = this
    const object = random.pick(objects)
    const able = this.people.filter((one) => model.mayCreate(one, object))
    const who = random.chance(0.8) ? random.pick(able) : this.who()
    const to = random.chance(0.4) ? this.#target(who) : undefined
    const { group, ...fresh } = this.#fresh()
    const rank = random.chance(0.8) ? random.below(10) : null
    const answer = await recordsOf(this.app, who.as).post(object, { ...fresh, rank, ref: to?.id ?? null })
    const wanted = !model.mayCreate(who, object) ? 403 : to !== undefined && !model.sees(who, to) ? 422 : 201
    this.#answered(answer, wanted, `${who.name} creates ${object}`)
    if (wanted !== 201) return
    const { id, attributes } = answer.body.data
    model.things.set(id, {
      id,
      object,
      owner: who.id,
      createdAt: attributes._created_at,
      ...fresh,
      group,
      rank,
      ref: to?.id ?? null,
      links: new Set(),
      comments: [],
      grants: new Map(),
      formerOwners: new Set(),
      takings: new Set(),
      state: 'live',
    })
  }

  /** Chooses a target of a reference: mostly something that may be referred to. */
  #target(who: Who): Thing | undefined {
    const { model, random } = this
    return random.pick([undefined, ...(random.chance(0.85) ? model.seen(who, closed) : model.live(closed))])
  }

  async update(): Promise<void> {
    const { model, random } = this
    const thing = random.pick(model.live())
    const who = this.#able(thing)
    const to = this.#target(who)
    const { name, group } = this.#fresh()
    const changes = random.pick<Json>([
      { name },
      { rank: random.below(10) },
      { rank: null },
      { ref: to?.id ?? null },
      { ref: null },
    ])
    const answer = await recordsOf(this.app, who.as).patch(thing.object, thing.id, changes)
    const may = this.statusOf(who, thing, 'edit', 200)
    const wanted = may === 200 && typeof changes.ref === 'string' && !model.sees(who, to as Thing) ? 422 : may
    this.#answered(answer, wanted, `${who.name} changes ${thing.object}`)
    if (wanted !== 200) return
    // No caller empties a reference that is empty to them.
    if (changes.ref === null && model.ref(who, thing) === null) return
    Object.assign(thing, changes, 'name' in changes && { group })
  }

  async remove(): Promise<void> {
    const some = this.model.live().filter(this.model.isAlone)
    if (some.length === 0) return
    const thing = this.random.pick(some)
    const who = this.#able(thing)
    const wanted = this.statusOf(who, thing, 'edit', 200)
    this.#answered(
      await recordsOf(this.app, who.as).remove(thing.object, [thing.id]),
      wanted,
      `${who.name} removes ${thing.object}`,
    )
    if (wanted === 200) thing.state = 'deleted'
  }

  async restore(): Promise<void> {
    const some = this.model.deleted()
    if (some.length === 0) return
    const thing = this.random.pick(some)
    const who = this.#able(thing)
    const wanted = this.statusOf(who, thing, 'edit', 200)
    this.#answered(
      await recordsOf(this.app, who.as).restore(thing.object, [thing.id]),
      wanted,
      `${who.name} restores ${thing.object}`,
    )
    if (wanted === 200) thing.state = 'live'
  }

  accessPath = ({ object, id }: Thing): string => `${recordsPath(object)}/${id}/access`

  async share(): Promise<void> {
    const { model, random } = this
    const thing = random.pick(model.live())
    const able = this.people.filter((one) => one.id !== null && reaches(model.level(one, thing), 'manage'))
    const who = random.chance(0.8) ? random.pick(able) : this.who()
    const grantee = random.pick([...this.people.flatMap(({ id }) => id ?? []), 'workspace'])
    const level = random.pick(given)
    const before = thing.grants.get(grantee)
    const answer = await this.app.api.post(this.accessPath(thing), {
      as: who.as,
      body: { data: grantOf(grantee, level) },
    })
    const may = who.id === null ? 403 : this.statusOf(who, thing, 'manage', before === undefined ? 201 : 200)
    const wanted = may < 300 && level !== 'manage' && model.isKept(who, thing, grantee) ? 403 : may
    this.#answered(answer, wanted, `${who.name} shares ${thing.object}`)
    if (wanted < 300) thing.grants.set(grantee, { id: answer.body.data.id, level })
  }

  async revoke(): Promise<void> {
    const { model, random } = this
    const some = model.live().filter(({ grants }) => grants.size > 0)
    if (some.length === 0) return
    const thing = random.pick(some)
    const able = this.people.filter((one) => one.id !== null && reaches(model.level(one, thing), 'manage'))
    const who = random.chance(0.8) ? random.pick(able) : this.who()
    const [grantee, grant] = random.pick([...thing.grants])
    const may = who.id === null ? 403 : this.statusOf(who, thing, 'manage', 202)
    const wanted = may === 202 && model.isKept(who, thing, grantee) ? 403 : may
    this.#answered(
      await this.app.api.delete(`${this.accessPath(thing)}/${grant.id}`, { as: who.as }),
      wanted,
      `${who.name} revokes`,
    )
    if (wanted === 202) thing.grants.delete(grantee)
  }

  /** Links to the closed object: added, removed, or put in the place of others. */
  async link(): Promise<void> {
    const { model, random } = this
    const linked = model.live().filter(({ links }) => links.size > 0)
    const thing = random.pick(linked.length > 0 && random.chance(0.6) ? linked : model.live())
    const who = this.#able(thing)
    const seenThere = model.seen(who, closed)
    const from = seenThere.length > 0 && random.chance(0.85) ? seenThere : model.live(closed)
    const others = [...new Set(Array.from({ length: random.below(3) + 1 }, () => random.pick(from).id))]
    const verb = random.pick(['post', 'delete', 'patch'] as const)
    const answer = await this.app.api[verb](`${recordsPath(thing.object)}/${thing.id}/relationships/links`, {
      as: who.as,
      body: { data: others.map((id) => ({ type: closed, id })) },
    })
    const may = this.statusOf(who, thing, 'edit', 200)
    const areSeen = others.every((id) => model.sees(who, model.things.get(id) as Thing))
    const wanted = may === 200 && verb !== 'delete' && !areSeen ? 404 : may
    this.#answered(answer, wanted, `${who.name} ${verb} links`)
    if (wanted !== 200) return
    const seen = model.links(who, thing)
    if (verb !== 'post') for (const id of seen) if (verb === 'patch' || others.includes(id)) thing.links.delete(id)
    if (verb !== 'delete') for (const id of others) thing.links.add(id)
  }

  async comment(): Promise<void> {
    const thing = this.random.pick(this.model.live())
    const who = this.#able(thing)
    const message = [{ type: 'paragraph', content: [{ type: 'text', text: 'Said' }] }]
    const answer = await this.app.api.post(`${W}/comments`, {
      as: who.as,
      body: { entity: thing.object, owner_id: thing.id, message },
    })
    const wanted = who.role !== 'viewer' && reaches(this.model.level(who, thing), 'comment') ? 201 : 403
    this.#answered(answer, wanted, `${who.name} comments`)
    if (wanted === 201) thing.comments.push(answer.body._id)
  }

  /** Of two that lead nowhere. */
  async merge(): Promise<void> {
    const { model, random } = this
    const object = random.pick([closed, ...objects])
    const some = model.live(object).filter(model.isAlone)
    if (some.length < 2) return
    const target = random.pick(some)
    const others = some.filter((one) => one !== target)
    const shared = others.filter(({ grants }) => grants.size > 0)
    const source = random.pick(shared.length > 0 ? shared : others)
    const who = this.#able(target)
    const answer = await recordsOf(this.app, who.as).merge(object, target.id, [source.id])
    const needed = model.defaults.get(object) === 'edit' ? 'edit' : 'manage'
    const first = this.statusOf(who, target, needed, 204)
    const wanted = first === 204 ? this.statusOf(who, source, needed, 204) : first
    this.#answered(answer, wanted, `${who.name} merges ${object}`)
    if (wanted !== 204) return
    const levels = model.mergedLevels(who, target, source)
    source.state = 'merged'
    target.rank ??= source.rank
    target.comments.push(...source.comments.splice(0))
    for (const taking of [
      ...(source.owner === null || who.id === null ? [] : [`${source.owner} ${who.id}`]),
      ...source.takings,
    ])
      target.takings.add(taking)
    for (const owner of [source.owner, ...source.formerOwners]) if (owner !== null) target.formerOwners.add(owner)
    const { body } = await this.app.api.get(`${recordsPath(object)}/${target.id}/access`)
    target.grants.clear()
    for (const { id, attributes } of body.data)
      target.grants.set(attributes.grantee_id ?? 'workspace', { id, level: attributes.access_level })
    expect(
      new Map([...target.grants].map(([grantee, { level }]) => [grantee, level])),
      `${who.name} has merged ${object}`,
    ).toEqual(levels)
    this.compared++
  }
}
