import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { openAt } from '../harness/database.ts'
import type { Json } from '../harness/http.ts'
import { listsOf } from './lists.ts'

const app = await startApp()
const lists = listsOf(app)

const refused = async (query: Record<string, string>) => {
  const { status, body } = await lists.all(query)
  return [status, body.errors[0].code, body.errors[0].source.parameter]
}

test('a stored value of an operator that needs none is ignored, as it was when it was stored', async () => {
  const filter = { field: 'name', op: 'Is not empty' }
  const { id } = await lists.create('deal', { query: { filter } })
  const database = openAt(app.databaseUrl)
  const query = { filter: { ...filter, value: 'anything' } }
  expect((await lists.patch('deal', id, { query })).status).toBe(400)
  await database.write((tx) => tx.updateByKey('list', ['id'], [{ id, query }]))
  await database.close()
  expect((await lists.records('deal', id)).status).toBe(200)
})

describe('all lists', () => {
  test('come without dynamic ones, unless a filter fits them', async () => {
    const filter = { field: 'name', op: 'Is not empty' }
    const one = await lists.create('company', { title: 'Zürich ROCKETS' })
    const two = await lists.create('company', { title: 'zürich dynamos', query: { filter } })
    const ids = async (query: Record<string, string>) =>
      (await lists.all({ 'filter[entity]': 'company', ...query })).body.data.map((list: Json) => list.id)
    expect(await ids({})).toEqual([one.id, two.id])
    expect(await ids({ 'filter[type]': 'dynamic' })).toEqual([two.id])
    expect(await ids({ 'filter[type]': 'static,dynamic', search: 'ZÜRICH' })).toEqual([one.id, two.id])
    expect(await ids({ 'filter[type]': 'static,dynamic', search: 'rocket' })).toEqual([one.id])
    expect(
      await ids({ 'filter[type]': 'static,dynamic', 'sortOrder[column]': 'title', 'sortOrder[dir]': 'ASC' }),
    ).toEqual([two.id, one.id])
    expect(await ids({ search: 'zürich' })).toEqual([one.id, two.id])
    const unfiltered = (await lists.all({ 'page[limit]': 500 })).body.data.map((list: Json) => list.id)
    expect([unfiltered.includes(one.id), unfiltered.includes(two.id)]).toEqual([true, false])
    expect(await ids({ 'filter[owner_id]': app.userIds.admin })).toEqual([])
    expect(await ids({ 'filter[owner_id]': 'no-id' })).toEqual([])
    expect(
      await ids({
        'filter[state]': 'draft',
        'filter[layout]': 'table',
        'filter[permission]': 'private',
        'filter[owner_id]': app.userIds.member,
      }),
    ).toEqual([one.id, two.id])
  })

  test('of one object are those of either type that the caller may see', async () => {
    const one = await lists.create('meeting', { title: 'B', state: 'published' })
    const two = await lists.create('meeting', { title: 'a', query: { sql: 'SELECT * FROM meeting' } })
    const hidden = await lists.create('meeting', { title: 'C' }, { as: 'admin' })
    const path = '/workspaces/acme/objects/meeting/lists'
    const ids = async (query: Record<string, string | number>, as: 'member' | 'admin' = 'member') =>
      (await app.api.get(path, { as, query })).body.data.map((list: Json) => list.id)
    expect(await ids({})).toEqual([one.id, two.id])
    expect(await ids({}, 'admin')).toEqual([one.id, two.id, hidden.id])
    expect(await ids({ 'sortOrder[column]': 'title', 'sortOrder[dir]': 'ASC' })).toEqual([two.id, one.id])
    expect(await ids({ 'filter[type]': 'static' })).toEqual([one.id])
    expect(await ids({ 'filter[state]': 'draft' })).toEqual([two.id])
    expect(await ids({ 'filter[owner_id]': app.userIds.admin }, 'admin')).toEqual([hidden.id])
    expect(await ids({ search: 'A' })).toEqual([two.id])
    const { body } = await app.api.get(path, { as: 'member', query: { 'page[limit]': 1 } })
    expect(body.meta).toEqual({ total_records: 2, total_pages: 2, offset: 0, limit: 1 })
    expect((await app.api.get(body.links.next, { as: 'member' })).body.data[0].id).toBe(two.id)
    expect((await app.api.get('/workspaces/acme/objects/c_nothing/lists', { as: 'member' })).status).toBe(404)
    const unknown = await app.api.get(path, { as: 'member', query: { 'filter[entity]': 'person' } })
    expect(unknown.status).toBe(400)
  })

  test('refuse what they cannot sort or filter by', async () => {
    expect(await refused({ 'filter[entity]': 'persn' })).toEqual([400, 'unknown_value', 'filter[entity]'])
    expect(await refused({ 'filter[type]': 'magic' })).toEqual([400, 'invalid_parameter', 'filter[type][0]'])
    expect(await refused({ 'sortOrder[column]': 'emoji', 'sortOrder[dir]': 'ASC' })).toEqual([
      400,
      'unknown_field',
      'sortOrder[column]',
    ])
  })

  test('come page by page', async () => {
    for (let made = 0; made < 5; made++) await lists.create('task', { title: `Page ${made}` })
    const found: string[] = []
    let page = await lists.all({ 'filter[entity]': 'task', 'page[limit]': 2 })
    for (;;) {
      found.push(...page.body.data.map((list: Json) => list.attributes.title))
      expect(page.body.meta).toMatchObject({ total_records: 5, total_pages: 3, limit: 2 })
      if (page.body.links.next === null) break
      page = await app.api.get(page.body.links.next, { as: 'member' })
    }
    expect(found).toEqual(['Page 0', 'Page 1', 'Page 2', 'Page 3', 'Page 4'])
  })
})
