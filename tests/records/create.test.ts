import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { freshAddress, nextNumber, recordsOf, recordsPath } from '../harness/records.ts'
import { refusedOf } from './refused.ts'

const app = await startApp()
const records = recordsOf(app)
const refused = refusedOf(app)

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
