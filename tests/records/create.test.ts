import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { freshAddress, nextNumber, pointersOf, recordsOf, recordsPath, unknownId } from '../harness/records.ts'
import { bad, good } from './value-forms.ts'

const app = await startApp()
const records = recordsOf(app)

const withRequired = (object: string, attributes: Json): Json =>
  object === 'task' ? { title: 'Call', ...attributes } : attributes
const shown = (value: Json): string => JSON.stringify(value).slice(0, 60)

/** Runs a call that must be refused, and says whether anything came of it. */
async function refused(object: string, call: () => ReturnType<typeof records.post>) {
  const before = await records.count(object)
  await app.events()
  const answer = await call()
  expect(await app.events()).toEqual([])
  expect(await records.count(object)).toBe(before)
  return answer
}

describe('value forms', () => {
  test.for(good.map((row) => [`${row[0]}.${row[1]} ${shown(row[2])}`, row] as const))(
    '%s is taken',
    async ([, [object, field, given, answered]]) => {
      const record = await records.create(object, withRequired(object, { [field]: given }))
      expect(record.attributes[field]).toEqual(answered)
      const read = await records.get(object, record.id)
      expect(read.body.data).toEqual(record)
      await app.api.delete(`${recordsPath(object)}/${record.id}`)
    },
  )

  test.for(bad.map((row) => [`${row[0]}.${row[1]} ${shown(row[2])}`, row] as const))(
    '%s is refused with its pointer',
    async ([, [object, field, given, below = '']]) => {
      const answer = await refused(object, () => records.post(object, withRequired(object, { [field]: given })))
      expect(answer.status).toBe(422)
      expect(pointersOf(answer)).toEqual([`/data/attributes/${field}${below}`])
    },
  )

  test('null is no value, in every field', async () => {
    for (const object of ['person', 'company', 'deal', 'meeting']) {
      const { body } = await app.api.get(`/workspaces/acme/schemas/objects/${object}`)
      const { properties, required = [] } = body.data.attributes
      const fields = Object.entries<Json>(properties).filter(
        ([name, { type, readOnly }]) => !readOnly && !type.includes('array') && !required.includes(name),
      )
      const record = await records.create(object, Object.fromEntries(fields.map(([name]) => [name, null])))
      for (const [name, { xSvcType }] of fields) {
        const isCollection = ['email_addresses', 'phone_numbers', 'domains', 'labels', 'participants'].includes(
          xSvcType,
        )
        expect(record.attributes[name], name).toEqual(isCollection ? { items: [] } : null)
      }
    }
  })
})

describe('the answer', () => {
  test('is the whole record, with who made it and when', async () => {
    await app.events()
    const address = freshAddress()
    const { status, headers, body } = await records.post('person', {
      job_title: 'Senator',
      email_addresses: { items: [address] },
    })
    expect(status).toBe(201)
    expect(headers['etag']).toBe('"1"')
    const { id, attributes } = body.data
    expect(body).toEqual({
      data: {
        type: 'person',
        id,
        attributes: {
          _id: id,
          name: null,
          email_addresses: { items: [address] },
          phone_numbers: { items: [] },
          job_title: 'Senator',
          company_id: null,
          linkedin: null,
          location: null,
          description: null,
          avatar_url: null,
          labels: { items: [] },
          owner_id: null,
          _created_at: attributes._created_at,
          _created_by: app.userIds.member,
          _updated_at: attributes._created_at,
          _updated_by: app.userIds.member,
        },
        relationships: { company_id: { data: null }, owner_id: { data: null } },
      },
    })
    expect(Math.abs(Date.parse(attributes._created_at) - app.now())).toBeLessThan(10_000)
    expect(await app.events()).toEqual([
      {
        type: 'record.created',
        object: 'person',
        record_id: id,
        silent: false,
        actor: { id: app.userIds.member, kind: 'user' },
        payload: {
          diff: [
            { op: 'add', path: ['email_addresses'], val: { items: [address] }, oldVal: null },
            { op: 'add', path: ['job_title'], val: 'Senator', oldVal: null },
          ],
        },
      },
    ])
  })

  test('shows references both ways', async () => {
    const company = await records.create('company', { name: 'Acme' })
    const { attributes, relationships } = await records.create('person', {
      company_id: company.id,
      owner_id: app.userIds.viewer,
    })
    expect([attributes.company_id, attributes.owner_id]).toEqual([company.id, app.userIds.viewer])
    expect(relationships).toEqual({
      company_id: { data: { type: 'company', id: company.id } },
      owner_id: { data: { type: 'user', id: app.userIds.viewer } },
    })
  })

  test('names a key that acts for the workspace as the creator', async () => {
    const { attributes } = await records.create('person', {}, { as: 'workspaceKey' })
    expect(attributes._created_by).toMatch(/^[0-9a-f-]{36}$/)
    expect(Object.values(app.userIds)).not.toContain(attributes._created_by)
    expect((await records.create('person', {}, { as: 'memberKey' })).attributes._created_by).toBe(app.userIds.member)
  })

  test.for(['person', 'record'])('takes the type %s', async (type) => {
    const { status, body } = await app.api.post(recordsPath('person'), { body: { data: { type, attributes: {} } } })
    expect([status, body.data.type]).toEqual([201, 'person'])
  })
})

describe('refused', () => {
  const cases: [string, string, Json, string[], string?][] = [
    ['a system attribute', 'person', { _id: unknownId }, ['/data/attributes/_id']],
    ['any name with an underscore', 'person', { _anything: 1 }, ['/data/attributes/_anything']],
    [
      'an unknown attribute, with the nearest',
      'person',
      { job_titel: 'x' },
      ['/data/attributes/job_titel'],
      'Did you mean "job_title"?',
    ],
    [
      'names that every object has',
      'person',
      { constructor: 2, toString: 3 },
      ['/data/attributes/constructor', '/data/attributes/toString'],
    ],
    ['a member that reaches the prototype', 'person', JSON.parse('{"__proto__":1}'), ['/data/attributes']],
    ['a relationship to many', 'person', { deals: [unknownId] }, ['/data/attributes/deals']],
    ['a read-only field', 'meeting', { notes: { text: [] } }, ['/data/attributes/notes']],
    ['a required one missing', 'task', { status: 'Done' }, ['/data/attributes/title']],
    ['a required one null', 'task', { title: null }, ['/data/attributes/title']],
    ['a required one empty', 'task', { title: '' }, ['/data/attributes/title']],
    ['a name that a pointer escapes', 'person', { 'a/b~c': 1 }, ['/data/attributes/a~1b~0c']],
    [
      'every fault at once',
      'task',
      { status: 'Later', due_date: 'soon', nothing: 1 },
      ['/data/attributes/status', '/data/attributes/due_date', '/data/attributes/nothing', '/data/attributes/title'],
    ],
  ]
  test.for(cases)('%s', async ([, object, attributes, pointers, hint]) => {
    const answer = await refused(object, () => records.post(object, attributes))
    expect([answer.status, answer.body.errors[0].code]).toEqual([422, 'invalid_body'])
    expect(pointersOf(answer).toSorted()).toEqual(pointers.toSorted())
    if (hint !== undefined) expect(answer.body.errors[0].detail).toContain(hint)
  })

  test('an id in a create, and another type', async () => {
    const wrong: [Json, string][] = [
      [{ type: 'person', id: unknownId, attributes: {} }, '/data/id'],
      [{ type: 'company', attributes: {} }, '/data/type'],
    ]
    for (const [data, pointer] of wrong) {
      const answer = await refused('person', () => app.api.post(recordsPath('person'), { body: { data } }))
      expect([answer.status, pointersOf(answer)]).toEqual([422, [pointer]])
    }
  })

  test('a reference to a record of another object, of another workspace, or deleted', async () => {
    const person = await records.create('person', {})
    const foreign = (
      await app.api.post('/workspaces/other/objects/company/records', {
        as: 'stranger',
        body: { data: { type: 'company', attributes: {} } },
      })
    ).body.data
    const gone = await records.create('company', {})
    await app.api.delete(`${recordsPath('company')}/${gone.id}`)
    for (const { id } of [person, foreign, gone]) {
      const answer = await refused('person', () => records.post('person', { company_id: id }))
      expect([answer.status, pointersOf(answer)]).toEqual([422, ['/data/attributes/company_id']])
    }
    const stranger = await refused('person', () => records.post('person', { owner_id: app.userIds.stranger }))
    expect(pointersOf(stranger)).toEqual(['/data/attributes/owner_id'])
  })

  test.for(['user', 'message'])('a record of %s, which the API does not write', async (object) => {
    const answer = await refused(object, () => records.post(object, { name: 'x' }, {}, { as: 'admin' }))
    expect([answer.status, answer.body.errors[0].code]).toEqual([403, 'forbidden'])
  })

  test('an object that is not there, with the nearest', async () => {
    const { status, body } = await records.post('persn', {})
    expect([status, body.errors[0].code]).toEqual([404, 'not_found'])
    expect(body.errors[0].detail).toContain('person')
  })
})

describe('unique values', () => {
  test('are one record, in any spelling; 409 names the field and the record', async () => {
    const number = nextNumber()
    const { id } = await records.create('person', {
      email_addresses: { items: [`first-${number}@example.com`, `Zoë-${number}@example.com`] },
    })
    for (const address of [
      `first-${number}@example.com`,
      `FIRST-${number}@EXAMPLE.com`,
      ` zoë-${number}@example.com `,
      `ZOË-${number}@example.com`,
    ]) {
      const answer = await refused('person', () =>
        records.post('person', { email_addresses: { items: [freshAddress(), address] } }),
      )
      expect([answer.status, answer.body.errors[0].code]).toEqual([409, 'unique_violation'])
      expect(answer.body.errors[0]).toMatchObject({
        source: { pointer: '/data/attributes/email_addresses' },
        meta: { field: 'email_addresses', existing_id: id },
      })
    }
  })

  test('a dry run tells of them, as the real call would', async () => {
    const address = freshAddress()
    const holder = await records.create('person', { email_addresses: { items: [address] } })
    const other = await records.create('person', {})
    const attributes = { email_addresses: { items: [address] } }
    for (const write of [
      () => records.post('person', attributes, {}, { query: { dry_run: true } }),
      () => records.patch('person', other.id, attributes, {}, { query: { dry_run: true } }),
    ]) {
      const answer = await refused('person', write)
      expect([answer.status, answer.body.errors[0].meta.existing_id]).toEqual([409, holder.id])
    }
  })

  test('of a text fold too', async () => {
    const { id } = await records.create('deal', { name: 'Großauftrag' })
    for (const name of ['Großauftrag', 'GROßAUFTRAG', 'Großauftrag'.normalize('NFD')]) {
      expect((await records.post('deal', { name })).body.errors[0].meta).toMatchObject({
        field: 'name',
        existing_id: id,
      })
    }
    expect((await records.post('deal', { name: 'Großauftrag 2' })).status).toBe(201)
  })

  test('long ones are told apart beyond what an index keeps', async () => {
    const name = 'x'.repeat(5000)
    await records.create('deal', { name: `${name}a` })
    expect((await records.post('deal', { name: `${name}b` })).status).toBe(201)
    expect((await records.post('deal', { name: `${name.toUpperCase()}A` })).status).toBe(409)
  })

  test('belong to a workspace', async () => {
    const address = freshAddress()
    await records.create('person', { email_addresses: { items: [address] } })
    const body = { data: { type: 'person', attributes: { email_addresses: { items: [address] } } } }
    expect((await app.api.post('/workspaces/other/objects/person/records', { as: 'stranger', body })).status).toBe(201)
  })
})
