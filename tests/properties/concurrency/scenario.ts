import type { TestApp } from '../../harness/app.ts'
import type { Json } from '../../harness/http.ts'
import { createKey } from '../../harness/people.ts'
import { recordsOf } from '../../harness/records.ts'
import { changesOf, schemasOf } from '../../harness/schemas.ts'
import type { Person, Pool } from './operations.ts'
import { exactly, item, note, place, relations, elsewhere, State, type Fields } from './state.ts'

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

export type People = Readonly<Record<Person, Pool['people'][Person]>>

export async function peopleOf(app: TestApp): Promise<People> {
  const second = await app.addMember('member', 'second')
  // By keys: a long run outlives an access token.
  const { key } = await createKey(app.api.post, second.as)
  return {
    admin: { as: 'adminKey', id: app.userIds.admin },
    member: { as: 'memberKey', id: app.userIds.member },
    second: { as: { authorization: `api-key ${key}` }, id: second.id },
  }
}
