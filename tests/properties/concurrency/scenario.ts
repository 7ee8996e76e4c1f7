import type { TestApp } from '../../harness/app.ts'
import type { Json } from '../../harness/http.ts'
import { recordsOf, resourcesPath } from '../../harness/records.ts'
import { changesOf, schemasOf } from '../../harness/schemas.ts'
import { canonical, plain } from './answers.ts'
import { commentIn, listed } from './belonging-operations.ts'
import { Pool, type Person } from './operations.ts'
import { exactly, fits, item, note, place, relations, elsewhere, State, type Fields } from './state.ts'

const name = { type: 'string', xSvcPrimary: true }

const fields: Readonly<Record<string, Fields>> = {
  [item]: new Map([
    ['name', 'text'],
    ['code', 'text'],
    ['n', 'number'],
    ['tags', 'labels'],
  ]),
  [place]: new Map([['name', 'text']]),
  [note]: new Map([
    ['name', 'text'],
    ['n', 'number'],
  ]),
}

/** An object is named by what stands behind its prefix. */
const nameOf = (object: string): string => object.slice('c_'.length)

/** Makes the objects of the scenario. */
export async function makeObjects(app: TestApp): Promise<void> {
  const { make } = schemasOf(app)
  await make({ name }, { name: nameOf(place) })
  await make({ name }, { name: nameOf(elsewhere) })
  const links = relations.map(
    ({ kind, a, b }) => [a.field, { xSvcRelationship: { kind, entity: b.object, field: b.field } }] as const,
  )
  await make(
    {
      name,
      code: { type: 'string', xSvcUnique: true },
      n: { type: 'number' },
      tags: { xSvcType: 'labels' },
      ...Object.fromEntries(links),
    },
    { name: nameOf(item) },
  )
  await make({ name, n: { type: 'number' } }, { name: nameOf(note) })
  await changesOf(app).edit(note, (_properties, document) => (document.xSvcAccess = { default: 'none' }))
}

/** Fields that were added to the other object, above which it loses all of them: a schema takes 500. */
const sideFieldsMax = 100

/** Records that operations meet at: few, so that they do. Their schemas are those that the set before has left. */
export async function begin(app: TestApp, pool: Pool, before: State | undefined): Promise<State> {
  const { createMany } = recordsOf(app)
  app.forgetMemberships()
  const document = await schemasOf(app).get(elsewhere)
  if (Object.keys(document.properties).length > sideFieldsMax) {
    await changesOf(app).replace(elsewhere, { ...document, properties: { name: document.properties.name } })
  }
  const { people, mark } = pool
  const state = new State()
  for (const [object, known] of before?.schemas ?? Object.entries(fields)) state.schemas.set(object, known)
  const { properties } = await schemasOf(app).get(item)
  const there = pool.extra.filter((field) => properties[field] !== undefined)
  state.schemas.set(item, new Map([...fields[item]!, ...there.map((field) => [field, 'text'] as const)]))
  const rows = { [place]: 3, [item]: 4, [note]: 2 }
  pool.list = await makeList(app)
  for (const [object, count] of Object.entries(rows)) {
    for (const { id, attributes } of await createMany(
      object,
      Array.from({ length: count }, (_, index) => ({ name: `${mark} ${index}` })),
    )) {
      pool.known(object, id)
      state.records.set(id, {
        object,
        values: ownValues(object, attributes),
        version: exactly(1),
        mergedIds: [],
        owner: people.member.id,
        grants: new Map(),
        isListed: false,
      })
      state.links.states.set(id, 'live')
    }
  }
  return state
}

const ownValues = (object: string, attributes: Json): Json =>
  Object.fromEntries(
    [...fields[object]!.keys()]
      .map((field) => [field, attributes[field]])
      .filter(([, value]) => value !== null && value?.items?.length !== 0),
  )

async function makeList(app: TestApp): Promise<string> {
  const body = { title: 'Items', type: 'static' }
  const { body: made } = await app.api.post(`/workspaces/acme/objects/${item}/lists`, { as: 'member', body })
  return made.data.id
}

/** Everything that there is of some records, as an admin finds it once all has come to rest; the model makes the same of a state. */
export type Found = {
  readonly live: Json
  readonly deleted: Json
  /** What hangs on them, a line each: links, comments, entries of the list, grants. */
  readonly rest: readonly string[]
  readonly versions: Readonly<Record<string, number>>
}

export async function find(app: TestApp, pool: Pool): Promise<Found> {
  const live: Json = {}
  const deleted: Json = {}
  app.forgetMemberships()
  for (const object of [item, place, note]) {
    const ids = new Set(pool.ids[object])
    const { body } = await app.api.get(resourcesPath(object), {
      query: { 'filter[_id][One of]': [...ids].join(','), 'page[limit]': 1000 },
    })
    for (const { id, attributes } of body.data) live[id] = plain(attributes)
    const gone = await app.api.get(`/workspaces/acme/objects/${object}/deleted-resources`, {
      query: { 'page[limit]': 1000 },
    })
    for (const { id, attributes } of gone.body.data) if (ids.has(id)) deleted[id] = plain(attributes)
  }
  return {
    live,
    deleted,
    rest: [...(await linksIn(app, pool)), ...(await belongingsIn(app, pool))],
    versions: await app.versions(Object.values(pool.ids).flat()),
  }
}

const restOf = (what: string, ...parts: readonly string[]): string => [what, ...parts].join(' ')

async function belongingsIn(app: TestApp, pool: Pool): Promise<string[]> {
  const get = async (path: string, as: 'admin' | 'member' = 'admin'): Promise<Json> =>
    (await app.api.get(`/workspaces/acme/${path}`, { as, query: {} })).body
  const comments = await Promise.all(pool.comments.map((id) => get(`comments/${id}`, 'member')))
  const entries = await get(`objects/${item}/lists/${pool.list}/resources?page[limit]=1000`, 'member')
  const grants = await Promise.all(pool.ids[note]!.map((id) => get(`objects/${note}/records/${id}/access`, 'member')))
  return [
    ...comments.flatMap(({ _id, owner_id, message }) =>
      _id === undefined ? [] : [restOf('comment', _id, owner_id, message[0].content[0].text)],
    ),
    ...entries.data.map(({ id }: Json) => restOf('entry', id)),
    ...grants.flatMap(({ data }: Json) =>
      data.map(({ id, attributes }: Json) => restOf('grant', id, attributes.object_id, attributes.access_level)),
    ),
  ]
}

/** Links as they are stored: no answer tells which of them wait for a deleted record. */
async function linksIn(app: TestApp, pool: Pool): Promise<string[]> {
  const rows = await app.linksAmong(Object.values(pool.ids).flat())
  const paired = new Set(relations.filter(({ kind }) => kind === 'one-to-one').map(({ b }) => `${b.object}.${b.field}`))
  return (
    rows
      // A field that came later is kept under its name and the version of its object.
      .map((row) => ({ ...row, relationship: row.relationship.replace(/~\d+$/, '') }))
      .filter(({ relationship }) => !paired.has(relationship))
      .map(({ relationship, from_id, to_id, hidden_by }) =>
        [relationship, from_id, to_id, hidden_by === null ? 'live' : 'waiting'].join(' '),
      )
      .toSorted()
  )
}

/** What would be found if a state were that of the workspace. */
function expectedIn(state: State): Omit<Found, 'versions'> {
  const of = (is: 'live' | 'deleted') =>
    Object.fromEntries(
      [...state.records.keys()]
        .filter((id) => state.links.states.get(id) === is)
        .map((id) => [id, state.attributes(id)]),
    )
  return {
    live: of('live'),
    deleted: of('deleted'),
    rest: [
      ...state.links.links().map((link) => link.join(' ')),
      ...[...state.comments.keys()].flatMap((id) => {
        const comment = commentIn(state, id)
        return comment === undefined ? [] : [restOf('comment', id, comment.owner, comment.text)]
      }),
      ...listed(state).map((id) => restOf('entry', id)),
      ...[...state.records].flatMap(([id, { grants }]) =>
        [...grants.values()].map((grant) => restOf('grant', grant.id, id, grant.level)),
      ),
    ],
  }
}

const only = (who: string, own: readonly string[], other: readonly string[]): string[] =>
  own.filter((link) => !other.includes(link)).map((link) => `only ${who} has ${link}`)

/** What differs between a state and what was found, a line each. */
export function differences(state: State, found: Found): string[] {
  const expected = expectedIn(state)
  const parts = ['live', 'deleted'] as const
  const lines = parts.flatMap((part) =>
    [...new Set([...Object.keys(expected[part]), ...Object.keys(found[part])])].flatMap((id) => {
      const [wanted, is] = [canonical(expected[part][id] ?? null), canonical(found[part][id] ?? null)]
      return wanted === is ? [] : [`${part} ${Pool.short(id)}: the model has ${wanted}, the server ${is}`]
    }),
  )
  const versions = [...state.records].flatMap(([id, { version }]) => {
    const is = found.versions[id]
    return is === undefined || fits(version, is)
      ? []
      : [`the model has ${Pool.short(id)} at ${version.number}, the server at ${is}`]
  })
  return [
    ...lines,
    ...only('the model', expected.rest, found.rest),
    ...only('the server', found.rest, expected.rest),
    ...versions,
  ]
}

/** A state with the versions that were found. */
export function withVersions(state: State, { versions }: Found): State {
  const exact = state.copy()
  for (const [id, version] of Object.entries(versions)) exact.change(id, { version: exactly(version) })
  return exact
}

export type People = Readonly<Record<Person, Pool['people'][Person]>>

export async function peopleOf(app: TestApp): Promise<People> {
  return {
    admin: { as: 'admin', id: app.userIds.admin },
    member: { as: 'memberKey', id: app.userIds.member },
    second: await app.addMember('member', 'second'),
  }
}
