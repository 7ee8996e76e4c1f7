import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { QueryText } from '../harness/api.ts'
import type { Json } from '../harness/http.ts'
import type { Caller } from '../harness/people.ts'
import { recordsOf, recordsPath, resourcesPath } from '../harness/records.ts'
import { changesOf, schemasOf } from '../harness/schemas.ts'

// Whatever happens to an included record, it stands in the next answer as it is then.
const app = await startApp()
const node = await startApp({ beside: { databaseUrl: app.databaseUrl, credentials: app.credentials } })
// Of the administrator, who goes on seeing them; the member does not own them.
const records = recordsOf(app, 'admin')
const changes = changesOf(app)
const { make } = schemasOf(app)

const owner = await make({ name: { xSvcType: 'text', xSvcPrimary: true } }, { name: 'Owner', plural: 'Owners' })
const house = await make(
  {
    name: { xSvcType: 'text', xSvcPrimary: true },
    colour: { xSvcType: 'select', enum: ['red', 'blue'] },
    owner_id: { xSvcRelationship: { kind: 'many-to-one', entity: owner, field: 'houses' } },
    residents: { xSvcRelationship: { kind: 'one-to-many', entity: 'person', field: 'house_id' } },
  },
  { name: 'House', plural: 'Houses' },
)
const lord = await records.create(owner, { name: 'Lord' })
const home = await records.create(house, { name: 'Home', colour: 'red', owner_id: lord.id })
const [one, two] = await records.createMany('person', [{ house_id: home.id }, { house_id: home.id }])

/** The house as it stands below its residents, and beside them, which must be one. */
async function included(as: Caller = 'member', query: QueryText = {}): Promise<Json> {
  const { status, body } = await app.api.get(resourcesPath('person'), {
    as,
    query: { 'filter[_id][One of]': `${one.id},${two.id}`, include: 'house_id', ...query },
  })
  expect(status, JSON.stringify(body.errors)).toBe(200)
  const below = body.data.map(({ relationships }: Json) => relationships.house_id.data)
  const [first] = body.included
  expect(body.included.length).toBeLessThanOrEqual(1)
  expect(below).toEqual(body.data.map(() => (first === undefined ? null : first)))
  return first
}

const alone = async (as: Caller = 'member'): Promise<Json> =>
  (await app.api.get(`${recordsPath(house)}/${home.id}`, { as })).body.data

async function expectAsAlone(): Promise<void> {
  for (let time = 0; time < 2; time++)
    for (const as of ['member', 'admin'] as const) expect(await included(as)).toEqual(await alone(as))
}

test('as it is by itself, again and again', expectAsAlone)

test('after a change of it, and of what it refers to', async () => {
  await records.patch(house, home.id, { name: 'Castle' })
  expect((await included()).attributes.name).toBe('Castle')
  await expectAsAlone()
  for (const owner_id of [null, lord.id]) {
    await records.patch(house, home.id, { owner_id })
    await expectAsAlone()
  }
})

test('after a change by another app, and while one after the other changes it', async () => {
  await expectAsAlone()
  await recordsOf(node, 'admin').patch(house, home.id, { name: 'Palace' })
  expect((await included()).attributes.name).toBe('Palace')
  for (let time = 0; time < 10; time++) {
    await recordsOf(time % 2 === 0 ? node : app, 'admin').patch(house, home.id, { name: `Palace ${time}` })
    expect((await included()).attributes.name).toBe(`Palace ${time}`)
  }
  await expectAsAlone()
})

test('with the fields that are asked for, and with what is below it', async () => {
  await included()
  expect(Object.keys((await included('member', { [`fields[${house}]`]: 'name' })).attributes)).not.toContain('colour')
  await expectAsAlone()
  const { body } = await app.api.get(`${recordsPath('person')}/${one.id}`, {
    as: 'member',
    query: { include: 'house_id.owner_id' },
  })
  expect(body.data.relationships.house_id.data.relationships.owner_id.data.attributes.name).toBe('Lord')
  await expectAsAlone()
})

test('after it was deleted and restored', async () => {
  await records.remove(house, [home.id])
  expect(await included()).toBeUndefined()
  await records.restore(house, [home.id])
  await expectAsAlone()
  expect((await included()).id).toBe(home.id)
})

test('after another one was merged into it', async () => {
  const other = await records.create(house, { name: 'Hut' })
  expect((await records.merge(house, home.id, [other.id])).status).toBe(204)
  expect((await included()).attributes._merged_ids).toEqual([other.id])
  await expectAsAlone()
})

test('after its schema was changed', async () => {
  await changes.edit(house, (properties: Json) => {
    properties.tint = { ...properties.colour, enum: ['blue'], xSvcPrevName: 'colour' }
    delete properties.colour
  })
  expect((await included()).attributes).toMatchObject({ tint: null })
  await app.cleaned()
  await expectAsAlone()
})

test('for those who may not see what it refers to, or it', async () => {
  await expectAsAlone()
  await changes.edit(owner, (_properties: Json, document: Json) => (document.xSvcAccess = { default: 'none' }))
  expect((await included()).attributes.owner_id).toBeNull()
  expect((await included('admin')).attributes.owner_id).toBe(lord.id)
  await expectAsAlone()
  await changes.edit(house, (_properties: Json, document: Json) => (document.xSvcAccess = { default: 'none' }))
  expect(await included()).toBeUndefined()
  expect((await included('admin')).id).toBe(home.id)
})
