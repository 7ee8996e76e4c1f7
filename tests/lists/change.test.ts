import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
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
          // The end of the feed says which activities can still be joined, as the activities do.
          (row) =>
            row.replace(/\["feed_end".*/, '').includes(id) && !/^(event|outbox|activity|deleted_list) /.test(row),
        ),
      )
      .toEqual([])
  })
})
