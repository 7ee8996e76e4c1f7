import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { pointersOf, recordsOf, recordsPath, unknownId } from '../harness/records.ts'
import { refusedOf } from './refused.ts'
import { bad, good } from './value-forms.ts'

const app = await startApp()
const records = recordsOf(app)
const refused = refusedOf(app)

const withRequired = (object: string, attributes: Json): Json =>
  object === 'task' ? { title: 'Call', ...attributes } : attributes
const shown = (value: Json): string => JSON.stringify(value).slice(0, 60)

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

  test('an unknown attribute, with all that can be written', async () => {
    const answer = await refused('person', () => records.post('person', { qwertyuiop: 1 }))
    const { detail, meta } = answer.body.errors[0]
    expect(detail).toBe('person has no attribute "qwertyuiop".')
    expect(meta.allowed).toEqual(expect.arrayContaining(['name', 'job_title', 'company_id']))
    expect(meta.allowed).not.toContain('_created_at')
    expect(meta.allowed).not.toContain('deals')
  })

  test('many unknown attributes, of which the first ten list what is allowed', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`unknown_${index}`, 1]))
    const answer = await refused('person', () => records.post('person', unknown))
    expect(answer.body.errors.map(({ meta }: { meta?: object }) => meta !== undefined)).toEqual([
      ...Array.from({ length: 10 }, () => true),
      false,
      false,
    ])
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
