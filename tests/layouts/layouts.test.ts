import { beforeEach, describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { pointersOf, unknownId } from '../harness/records.ts'
import { changesOf, objectPath, schemasOf } from '../harness/schemas.ts'

const app = await startApp()
const { api } = app
const { make } = schemasOf(app)
const { edit, end } = changesOf(app)

const at = (id: string) => `/workspaces/acme/layouts/${id}`
const get = async (id: string) => (await api.get(at(id), { as: 'viewer' })).body
const replace = (id: string, tree: Json) =>
  api.patch(at(id), { as: 'member', body: { data: { type: 'layout', id, attributes: { tree } } } })
const reset = (id: string) => api.post(`${at(id)}/reset`, { as: 'member' })

const ids = ['list__person', 'record__deal', 'sidebar']
beforeEach(async () => {
  for (const id of ids) await reset(id)
  await app.events()
})

const tree = { type: 'list', children: [{ type: 'column', field: 'name', width: 240 }] }
const wrapped = (attributes: Json, more: Json = {}) => ({ data: { type: 'layout', attributes, ...more } })
const by = ({ _created_by, _updated_by }: Json): string[] => [_created_by, _updated_by]
const namesIn = (nodes: Json): string[] => nodes.map(({ field, object, type }: Json) => field ?? object ?? type)

describe('by default', () => {
  test('a list shows the first fields of its object, the name of a record before the others', async () => {
    const { _created_at, _updated_at, ...row } = await get('list__company')
    expect(row).toEqual({
      _id: 'list__company',
      _created_by: null,
      _updated_by: null,
      tree: {
        type: 'list',
        object: 'company',
        title: 'Companies',
        children: [
          { type: 'column', field: 'name', title: 'Name' },
          { type: 'column', field: 'domains', title: 'Domains' },
          { type: 'column', field: 'industry', title: 'Industry' },
          { type: 'column', field: 'employee_count', title: 'Employees' },
          { type: 'column', field: 'annual_revenue', title: 'Annual revenue' },
          { type: 'column', field: 'location', title: 'Location' },
          { type: 'column', field: 'linkedin', title: 'LinkedIn' },
          { type: 'column', field: 'description', title: 'Description' },
        ],
      },
    })
    expect([_created_at, _updated_at]).toEqual([expect.stringMatching(/Z$/), _created_at])
  })

  test('a record shows its fields, what it is linked to and what has happened', async () => {
    const { tree: shown } = await get('record__company')
    expect([shown.type, shown.object, shown.title]).toEqual(['record', 'company', 'Company'])
    expect(namesIn(shown.children)).toEqual(['section', 'people', 'deals', 'tasks', 'activities'])
    expect(namesIn(shown.children[0].children)).toContain('owner_id')
  })

  test('every object has a layout of its lists and of its records, and the sidebar shows it', async () => {
    const custom = await make({ weight: { xSvcType: 'number', title: 'Weight' } })
    const { data } = (await api.get('/workspaces/acme/schemas', { as: 'viewer' })).body
    const objects: string[] = data.map(({ attributes }: Json) => attributes.title)
    expect(objects).toContain(custom)
    for (const object of objects)
      for (const kind of ['list', 'record']) {
        const id = `${kind}__${object}`
        expect(await get(id)).toMatchObject({ _id: id, tree: { type: kind, object } })
      }
    const { tree: sidebar } = await get('sidebar')
    expect(namesIn(sidebar.children).slice(0, 2)).toEqual(['person', 'company'])
    expect(namesIn(sidebar.children).toSorted()).toEqual(objects.filter((object) => object !== 'user').toSorted())
  })

  test('it follows the schema: fields that come and go, and those that are hidden', async () => {
    const object = await make({ weight: { xSvcType: 'number', title: 'Weight' } })
    const fields = async () => namesIn((await get(`record__${object}`)).tree.children[0].children)
    expect(await fields()).toEqual(['name', 'weight'])
    await edit(object, (properties) => {
      properties.height = { xSvcType: 'number', title: 'Height' }
      properties.weight.xSvcPresentation = { hiddenInDetails: true }
    })
    expect(await fields()).toEqual(['name', 'height'])
  })
})

test('a change replaces the tree whole, says who made it, and leaves other layouts alone', async () => {
  const before = await get('record__deal')
  const { status, body } = await replace('list__person', tree)
  expect([status, body]).toMatchObject([200, { _id: 'list__person', tree }])
  expect(await get('list__person')).toEqual(body)
  expect(by(body)).toEqual([app.userIds.member, app.userIds.member])
  const next = await api.patch(at('list__person'), { body: { tree: [{ type: 'column' }] } })
  expect(next.body).toMatchObject({ tree: [{ type: 'column' }], _created_at: body._created_at })
  expect(by(next.body)).toEqual([app.userIds.member, app.userIds.admin])
  expect(await get('record__deal')).toEqual(before)
})

test('a reset gives the default back', async () => {
  const before = await get('sidebar')
  await replace('sidebar', tree)
  expect(await reset('sidebar')).toMatchObject({ status: 200, body: before })
  expect(await get('sidebar')).toEqual(before)
})

test('each change is told once; what changes nothing is not', async () => {
  await replace('list__person', (await get('list__person')).tree)
  await reset('list__person')
  expect(await app.events()).toEqual([])
  await replace('list__person', tree)
  await replace('list__person', tree)
  await reset('list__person')
  await reset('list__person')
  const told = (await app.events()).map(({ type, object, payload }) => ({ type, object, payload }))
  const once = { type: 'layout.updated', object: 'workspace', payload: { layout_id: 'list__person' } }
  expect(told).toEqual([once, once])
})

test('of two that change a default at once, both go through', async () => {
  const trees = [1, 2, 3, 4].map((width) => ({ type: 'list', width }))
  const answers = await Promise.all(trees.map((one) => replace('list__person', one)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(trees).toContainEqual((await get('list__person')).tree)
})

test('members of a tree keep their order', async () => {
  const ordered = { zebra: 1, apple: { yak: 1, bee: 2 }, mango: [] }
  await replace('sidebar', ordered)
  expect(JSON.stringify((await get('sidebar')).tree)).toBe(JSON.stringify(ordered))
})

test('an object that is made anew under an old name has the default', async () => {
  const name = 'Phoenix'
  const create = async () =>
    (await api.post('/workspaces/acme/schemas/objects', { body: { name, plural: 'Phoenixes' } })).body.data.attributes
      .title
  const object = await create()
  await replace(`list__${object}`, tree)
  const removed = await api.delete(objectPath(object))
  await end(removed.body.data.id)
  expect((await api.get(at(`list__${object}`))).status).toBe(404)
  expect(await create()).toBe(object)
  expect(by(await get(`list__${object}`))).toEqual([null, null])
})

test.for(['list__nothing', 'record__', 'list', 'board__person', 'Sidebar', 'record__constructor', unknownId])(
  'there is no layout "%s"',
  async (id) => {
    expect((await api.get(at(id))).status).toBe(404)
    expect((await replace(id, tree)).status).toBe(404)
    expect((await reset(id)).status).toBe(404)
  },
)

describe('refused, and nothing changes', () => {
  const cases: [string, Json, string][] = [
    ['a text', wrapped({ tree: 'list' }), '/data/attributes/tree'],
    ['null', wrapped({ tree: null }), '/data/attributes/tree'],
    ['no tree', wrapped({}), '/data/attributes/tree'],
    ['another member', wrapped({ tree, title: 'x' }), '/data/attributes/title'],
    ['another id', wrapped({ tree }, { id: 'sidebar' }), '/data/id'],
    ['a tree of 65,537 characters', wrapped({ tree: { text: 'x'.repeat(65_526) } }), '/data/attributes/tree'],
  ]
  test.for(cases)('%s', async ([, body, pointer]) => {
    const answer = await api.patch(at('list__person'), { body })
    expect([answer.status, pointersOf(answer)]).toEqual([422, [pointer]])
    expect(by(await get('list__person'))).toEqual([null, null])
  })

  test('by a viewer', async () => {
    expect((await api.patch(at('sidebar'), { as: 'viewer', body: { tree } })).status).toBe(403)
    expect((await api.post(`${at('sidebar')}/reset`, { as: 'viewer' })).status).toBe(403)
  })

  test('a tree of 65,536 characters is taken', async () => {
    expect((await replace('list__person', { text: 'x'.repeat(65_525) })).status).toBe(200)
  })
})
