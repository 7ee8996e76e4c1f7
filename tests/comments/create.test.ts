import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { commentsOf, commentsPath, paragraph } from '../harness/comments.ts'
import type { Json } from '../harness/http.ts'
import type { Caller } from '../harness/people.ts'
import { pointersOf, recordsOf, recordsPath, unknownId } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app)
const comments = commentsOf(app)
/** The errors of an answer, without the id that each request has. */
const told = ({ body }: { body: Json }) => body.errors.map(({ id: _id, ...error }: Json) => error)

const person = await records.create('person', {})

test('answers 201 with the bare row, everything filled in, and tells it', async () => {
  await app.events()
  const { status, body, headers } = await comments.post('person', person.id, paragraph('Called back'))
  expect(status).toBe(201)
  expect(headers['etag']).toBeUndefined()
  expect(body).toEqual({
    _id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    message: [
      {
        id: expect.any(String),
        type: 'paragraph',
        children: [],
        content: [{ type: 'text', text: 'Called back', styles: {} }],
      },
    ],
    owner_id: person.id,
    entity: 'person',
    _created_at: expect.stringMatching(/Z$/),
    _created_by: app.userIds.member,
    _updated_at: null,
    _updated_by: null,
  })
  const [event, ...others] = await app.events()
  expect(others).toEqual([])
  expect(event).toMatchObject({
    type: 'comment.created',
    object: 'person',
    record_id: person.id,
    silent: false,
    payload: { comment_id: body._id },
  })
  expect((await comments.get(body._id)).body).toEqual(body)
})

const post = (body: Json, as: Caller = 'member') => app.api.post(commentsPath, { as, body })
const own = (last: string) => `7c1b2f6e-1a00-4000-8000-0000000000${last}`

describe("an id of the client's own", () => {
  test('is taken; the same body again is the same comment, told once', async () => {
    const body = {
      _id: own('01'),
      entity: 'person',
      owner_id: person.id,
      message: [{ type: 'quote', content: [{ type: 'text', text: 'Mine' }], children: paragraph('within') }],
    }
    await app.events()
    const first = await post(body)
    expect([first.status, first.body._id]).toEqual([201, body._id])
    const again = await post(body)
    expect([again.status, again.body]).toEqual([200, first.body])
    expect((await post({ ...body, _id: own('01').toUpperCase() })).body).toEqual(first.body)
    expect(await app.events()).toMatchObject([{ type: 'comment.created', payload: { comment_id: body._id } }])
  })

  test('with another body, on another record or by another author is a conflict', async () => {
    const other = await records.create('person', {})
    const body = { _id: own('02'), entity: 'person', owner_id: person.id, message: paragraph('First') }
    expect((await post(body)).status).toBe(201)
    for (const [given, as] of [
      [{ ...body, message: paragraph('Second') }, 'member'],
      [{ ...body, owner_id: other.id }, 'member'],
      [body, 'admin'],
    ] as const) {
      const { status, body: answer } = await post(given, as)
      expect([status, answer.errors[0].code, answer.errors[0].source]).toEqual([
        409,
        'unique_violation',
        { pointer: '/_id' },
      ])
    }
    expect((await comments.get(body._id)).body.message[0].content[0].text).toBe('First')
  })

  test('is one comment, however many send it at once', async () => {
    const body = { _id: own('03'), entity: 'person', owner_id: person.id, message: paragraph('At once') }
    await app.events()
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(body)))
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      200, 200, 200, 200, 200, 200, 200, 201,
    ])
    expect(await app.events()).toHaveLength(1)
  })

  test('is a UUID', async () => {
    const answer = await post({ _id: 'mine', entity: 'person', owner_id: person.id, message: paragraph('x') })
    expect([answer.status, pointersOf(answer)]).toEqual([422, ['/_id']])
  })
})

test('leaves the record as it is, its version included', async () => {
  const record = await records.create('deal', {})
  const before = await records.get('deal', record.id)
  await comments.create('deal', record.id)
  const after = await records.get('deal', record.id)
  expect([after.body, after.headers['etag']]).toEqual([before.body, before.headers['etag']])
})

test('silent is in the event for notifiers, and changes nothing else', async () => {
  await app.events()
  const { status } = await comments.post('person', person.id, paragraph('Hush'), { query: { silent: true } })
  expect(status).toBe(201)
  expect(await app.events()).toMatchObject([{ type: 'comment.created', silent: true }])
})

describe('rich text', () => {
  test('everything that was sent is kept, also blocks of unknown kinds, and what is missing is filled in', async () => {
    const message = [
      {
        id: 'first',
        type: 'heading',
        props: { level: 2 },
        content: [{ type: 'text', text: 'Übersicht', styles: { bold: true } }],
      },
      {
        type: 'bulletListItem',
        children: [{ type: 'paragraph', content: [{ type: 'mention', entity: 'user', id: app.userIds.admin }] }],
      },
      { type: 'hologram', angle: 45, content: [{ type: 'sound', hz: 440 }] },
    ]
    const { status, body } = await comments.post('person', person.id, message)
    expect(status).toBe(201)
    expect(body.message).toEqual([
      { ...message[0], children: [] },
      {
        id: expect.any(String),
        type: 'bulletListItem',
        content: [],
        children: [
          {
            id: expect.any(String),
            type: 'paragraph',
            children: [],
            content: [{ type: 'mention', entity: 'user', id: app.userIds.admin }],
          },
        ],
      },
      { id: expect.any(String), children: [], ...message[2] },
    ])
    expect((await comments.get(body._id)).body).toEqual(body)
    expect(await app.mentions(body._id)).toEqual([{ entity: 'user', id: app.userIds.admin }])
  })

  const empty: [string, Json][] = [
    ['no blocks', []],
    ['a block without content', [{ type: 'paragraph' }]],
    ['blanks', [{ type: 'paragraph', content: [{ type: 'text', text: ' \n\t\u00a0' }] }]],
    [
      'blank children',
      [{ type: 'bulletListItem', children: [{ type: 'paragraph', content: [{ type: 'text', text: '' }] }] }],
    ],
  ]
  test.for(empty)('%s: 422, and nothing happens', async ([, message]) => {
    await app.events()
    const answer = await comments.post('person', person.id, message)
    expect([answer.status, pointersOf(answer)]).toEqual([422, ['/message']])
    expect(await app.events()).toEqual([])
  })

  const wrong: [string, Json, string][] = [
    ['a block without a type', [{ content: [] }], '/message/0/type'],
    ['a run without a type', [{ type: 'paragraph', content: [{ text: 'x' }] }], '/message/0/content/0/type'],
    ['an id that is no text', [{ type: 'paragraph', id: 5 }], '/message/0/id'],
    ['children that are no blocks', [{ type: 'paragraph', children: ['x'] }], '/message/0/children/0'],
    ['a text instead of blocks', 'Hello', '/message'],
  ]
  test.for(wrong)('%s: 422 with its pointer', async ([, message, pointer]) => {
    const answer = await comments.post('person', person.id, message)
    expect([answer.status, pointersOf(answer)]).toEqual([422, [pointer]])
  })

  test('blocks nested without end are refused', async () => {
    const nested = (depth: number): Json =>
      depth === 0 ? paragraph('x')[0] : { type: 'bulletListItem', children: [nested(depth - 1)] }
    expect((await comments.post('person', person.id, [nested(15)])).status).toBe(201)
    expect((await comments.post('person', person.id, [nested(25)])).status).toBe(422)
  })
})

describe('what is commented on', () => {
  const mute = ['user', 'list', 'message', 'nothing', 'Person', '__proto__', 'constructor']
  test.for(mute)('%s takes no comments: 422', async (entity) => {
    await app.events()
    const answer = await comments.post(entity, app.userIds.admin, paragraph('x'))
    expect([answer.status, pointersOf(answer)]).toEqual([422, ['/entity']])
    expect(await app.events()).toEqual([])
  })

  test('a record that is unknown, deleted, of another object or another workspace, or no id at all: 403', async () => {
    const { id: deleted } = await records.create('person', {})
    await app.api.delete(`${recordsPath('person')}/${deleted}`)
    const company = await records.create('company', {})
    const foreign = await app.api.post('/workspaces/other/objects/person/records', {
      as: 'stranger',
      body: { data: { type: 'person', attributes: {} } },
    })
    await app.events()
    for (const id of [unknownId, deleted, company.id, foreign.body.data.id, 'nothing', person.id.toUpperCase()]) {
      const { status, body } = await comments.post('person', id, paragraph('x'))
      expect([status, body.errors[0].code], id).toEqual([403, 'forbidden'])
    }
    expect(await app.events()).toEqual([])
  })

  test('a meeting that is private to another member: 403, as if it did not exist', async () => {
    const meeting = await records.create('meeting', { title: 'Theirs' }, { as: 'admin' })
    const hidden = await comments.post('meeting', meeting.id, paragraph('x'))
    const absent = await comments.post('meeting', unknownId, paragraph('x'))
    expect([hidden.status, told(hidden)]).toEqual([403, told(absent)])
    expect((await comments.post('meeting', meeting.id, paragraph('x'), { as: 'admin' })).status).toBe(201)
  })
})

describe('who comments', () => {
  const who: [Caller, number][] = [
    ['admin', 201],
    ['member', 201],
    ['memberKey', 201],
    ['workspaceKey', 201],
    ['viewer', 403],
    ['stranger', 404],
    ['anonymous', 401],
  ]
  test.for(who)('%s: %i', async ([as, status]) => {
    await app.events()
    const answer = await comments.post('person', person.id, paragraph('x'), { as })
    expect(answer.status).toBe(status)
    expect(await app.events()).toHaveLength(status === 201 ? 1 : 0)
  })

  test('a personal key writes in the name of its owner', async () => {
    expect((await comments.create('person', person.id, 'x', { as: 'memberKey' }))._created_by).toBe(app.userIds.member)
  })
})

test('unknown members are refused, wrapped bodies too', async () => {
  const body = { entity: 'person', owner_id: person.id, message: paragraph('x') }
  expect((await app.api.post(commentsPath, { body: { ...body, author: 'me' } })).status).toBe(422)
  expect((await app.api.post(commentsPath, { body: { data: body } })).status).toBe(422)
})
