import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { pointersOf, recordsOf } from '../harness/records.ts'
import { listsOf } from './lists.ts'

const app = await startApp()
const records = recordsOf(app)
const lists = listsOf(app)
const openToEdit = 'workspace_edit'

describe('creating', () => {
  test('gives a private list with what was left out filled in', async () => {
    await app.events()
    const { status, body, headers } = await lists.post('person', { title: '  Key people ', type: 'static' })
    const { id } = body.data
    expect([status, headers['etag']]).toEqual([201, '"1"'])
    const { _created_at: at, ...attributes } = body.data.attributes
    expect(attributes).toEqual({
      _id: id,
      user_id: app.userIds.member,
      entity: 'person',
      title: 'Key people',
      emoji: '',
      description: '',
      type: 'static',
      state: 'published',
      layout: 'table',
      options: {},
      owner_id: app.userIds.member,
      permission: 'private',
      rank: 0,
      applied_version_id: null,
      list_evaluation_status: 'idle',
      list_evaluation_started_at: null,
      last_list_evaluation_at: null,
      _created_by: app.userIds.member,
      _updated_at: at,
      _updated_by: app.userIds.member,
    })
    expect(body.data.relationships).toEqual({ owner_id: { data: { type: 'user', id: app.userIds.member } } })
    expect((await lists.get('person', id)).body).toEqual(body)
    expect((await app.events()).map(({ type, object, record_id }) => [type, object, record_id])).toEqual([
      ['list.created', 'list', id],
    ])
  })

  test('keeps the version of a query, as clients count them, and publishes a list without a state', async () => {
    for (const version of ['2026-01', 7]) {
      const query = { sql: 'SELECT * FROM person', version }
      const made = await lists.post('person', {
        title: 'Versioned',
        type: 'dynamic',
        query,
        emoji: null,
        description: null,
      })
      expect(made.status).toBe(201)
      expect(made.body.data.attributes).toMatchObject({ query, state: 'published', emoji: '', description: '' })
      expect((await lists.get('person', made.body.data.id)).body.data.attributes.query).toEqual(query)
    }
    const filter = { field: 'job_title', op: 'Is', value: 'Senator' }
    const { id } = await lists.create('person', { query: { filter, version: 1 } })
    const changed = await lists.patch('person', id, { query: { filter, version: 2 } })
    expect(changed.body.data.attributes.query).toEqual({ filter, version: 2 })
  })

  test('takes the envelope of a resource, too', async () => {
    const attributes = {
      title: 'Board',
      type: 'static',
      layout: 'board',
      options: { group: 'stage' },
      emoji: '⭐',
      description: 'All of them',
      rank: 2.5,
      state: 'published',
    }
    const { body } = await lists.post('deal', { data: { type: 'list', attributes } })
    expect(body.data.attributes).toMatchObject(attributes)
  })

  test('says of a query what is wrong with it, and where', async () => {
    const query = {
      filter: {
        or: [
          { field: 'job_title', op: 'Is', value: 'Senator' },
          { field: 'job_titel', op: 'Is', value: 'x' },
        ],
      },
    }
    const bare = await lists.post('person', { title: 'x', type: 'dynamic', query })
    expect([bare.status, bare.body.errors[0].code, ...pointersOf(bare)]).toEqual([
      400,
      'unknown_field',
      '/query/filter/or/1',
    ])
    const wrapped = await lists.post('person', {
      data: { type: 'list', attributes: { title: 'x', type: 'dynamic', query } },
    })
    expect(pointersOf(wrapped)).toEqual(['/data/attributes/query/filter/or/1'])
    expect((await lists.post('person', { title: 'x', type: 'dynamic' })).body.errors[0]).toMatchObject({
      code: 'invalid_body',
      source: { pointer: '/query' },
    })
    expect(
      (await lists.post('person', { title: 'x', type: 'static', query: { filter: query.filter.or[0] } })).body
        .errors[0],
    ).toMatchObject({ code: 'invalid_body', source: { pointer: '/query' } })
  })

  test('by a workspace key, which owns nothing, makes a list for all members', async () => {
    const { attributes, relationships, id } = await lists.create('person', {}, { as: 'workspaceKey' })
    expect([attributes.permission, relationships.owner_id.data]).toEqual([openToEdit, null])
    expect((await lists.get('person', id, { as: 'workspaceKey' })).status).toBe(200)
    expect((await lists.patch('person', id, { title: 'Renamed' }, { as: 'workspaceKey' })).status).toBe(200)
  })
})

describe('changing', () => {
  test('null clears the emoji and the description', async () => {
    const { id } = await lists.create('person', { emoji: '⭐', description: 'All' })
    const { status, body } = await lists.patch('person', id, { emoji: null, description: null })
    expect([status, body.data.attributes.emoji, body.data.attributes.description]).toEqual([200, '', ''])
    expect((await lists.get('person', id)).body).toEqual(body)
  })

  test('leaves what is absent, and leaves no trace where nothing changes', async () => {
    const { id } = await lists.create('person', { description: 'Whom to call', rank: 1 })
    await app.events()
    const changed = await lists.patch('person', id, { title: 'New', options: { a: [1] } })
    expect([changed.status, changed.headers['etag'], changed.body.data.attributes]).toEqual([
      200,
      '"2"',
      expect.objectContaining({ title: 'New', description: 'Whom to call', rank: 1, options: { a: [1] } }),
    ])
    const same = await lists.patch('person', id, {
      data: { type: 'list', id, attributes: { title: 'New', options: { a: [1] } } },
    })
    expect([same.headers['etag'], same.body]).toEqual(['"2"', changed.body])
    expect((await app.events()).map(({ type }) => type)).toEqual(['list.updated'])
    expect(
      pointersOf(await lists.patch('person', id, { data: { type: 'list', id: app.userIds.member, attributes: {} } })),
    ).toEqual(['/data/id'])
  })

  test('a published list is a draft again when it is unpublished', async () => {
    const { id } = await lists.create('person')
    const published = await lists.publish('person', id)
    expect([published.status, published.body.data.attributes.state, published.headers['etag']]).toEqual([
      201,
      'published',
      '"2"',
    ])
    expect((await lists.publish('person', id)).headers['etag'], 'once is enough').toBe('"2"')
    expect((await lists.unpublish('person', id)).body.data.attributes.state).toBe('draft')
  })

  test('a list that is deleted is gone with its entries; its records stay', async () => {
    await app.startJobs()
    const person = await records.create('person', {})
    const { id } = await lists.create('person')
    await lists.add('person', id, [person.id])
    const { status, body } = await lists.remove('person', id)
    expect([status, body]).toEqual([202, {}])
    for (const answer of [
      await lists.get('person', id),
      await lists.records('person', id),
      await lists.remove('person', id),
    ])
      expect(answer.status).toBe(404)
    expect((await records.get('person', person.id)).status).toBe(200)
    await expect
      .poll(async () =>
        (await app.rows(await app.workspaceId('acme'))).filter(
          (row) => row.includes(id) && !/^(event|outbox|activity) /.test(row),
        ),
      )
      .toEqual([])
  })
})

const asked = async (id: string, as: 'admin' | 'member' | 'viewer' | 'workspaceKey') => [
  (await lists.get('person', id, { as })).status,
  (await lists.records('person', id, {}, { as })).status,
  (await lists.patch('person', id, { title: `By ${as}` }, { as })).status,
  (await lists.patch('person', id, { permission: 'private', rank: 0 }, { as, headers: { 'If-Match': '"0"' } })).status,
  (await lists.all({ 'page[limit]': 1000 }, { as })).body.data.some((list: Json) => list.id === id),
]

describe('who may what', () => {
  test('a private list is its owners and the admins', async () => {
    const { id } = await lists.create('person')
    expect(await asked(id, 'member')).toEqual([200, 200, 200, 412, true])
    expect(await asked(id, 'admin')).toEqual([200, 200, 200, 412, true])
    for (const as of ['viewer', 'workspaceKey'] as const)
      expect((await asked(id, as)).toSpliced(2, 2)).toEqual([404, 404, false])
    const { id: own } = await lists.create('person', {}, { as: 'admin' })
    expect(await asked(own, 'member')).toEqual([404, 404, 404, 404, false])
  })

  test(
    'one of the workspace is seen by all of it, and one for editing changed by its members; its permission and ' +
      'its end are the owners',
    async () => {
      const { id } = await lists.create('person', { permission: 'workspace' }, { as: 'admin' })
      expect(await asked(id, 'member')).toEqual([200, 200, 403, 403, true])
      expect(await asked(id, 'viewer')).toEqual([200, 200, 403, 403, true])
      await lists.patch('person', id, { permission: openToEdit }, { as: 'admin' })
      expect(await asked(id, 'member')).toEqual([200, 200, 200, 403, true])
      expect(await asked(id, 'workspaceKey')).toEqual([200, 200, 200, 403, true])
      expect((await lists.remove('person', id)).status).toBe(403)
      expect((await lists.remove('person', id, { as: 'admin' })).status).toBe(202)
    },
  )

  test('a list is a list of its own object alone', async () => {
    const { id } = await lists.create('person')
    for (const answer of [
      await lists.get('company', id),
      await lists.records('company', id),
      await lists.patch('company', id, { title: 'x' }),
    ])
      expect(answer.status).toBe(404)
  })
})

const refused = async (query: Record<string, string>) => {
  const { status, body } = await lists.all(query)
  return [status, body.errors[0].code, body.errors[0].source.parameter]
}

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
