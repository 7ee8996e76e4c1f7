import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'

const { api, origin } = await startApp()

const S = '/workspaces/acme/schemas'
const optionsOf = async (object: string, field: string) =>
  (await api.get(`${S}/objects/${object}`)).body.data.attributes.properties[field].enum
const builtin = ['company', 'deal', 'meeting', 'message', 'person', 'task', 'user']

describe('list', () => {
  test('has one document for each object', async () => {
    const { body } = await api.get(S, { as: 'viewer' })
    expect(body.data.map((one: Json) => one.attributes.title)).toEqual(builtin)
    expect(body.links).toEqual({ next: null })
    expect(body.meta).toBeUndefined()
    for (const { type, id, attributes } of body.data) {
      expect([type, id]).toEqual(['schema', `${origin}/schemas/entities/${attributes.title}`])
      expect(attributes.$id).toBe(id)
      expect((await api.get(`${S}/objects/${attributes.title}`)).body).toEqual({ data: { type, id, attributes } })
    }
  })

  test('is paged by cursor', async () => {
    const found: string[] = []
    let { body } = await api.get(S, { query: { 'page[limit]': 3 } })
    for (;;) {
      found.push(...body.data.map((one: Json) => one.attributes.title))
      expect(Object.keys(body.links)).toEqual(['next'])
      if (body.links.next === null) break
      ;({ body } = await api.get(body.links.next))
    }
    expect(found).toEqual(builtin)
    expect((await api.get(S, { query: { 'page[limit]': 7 } })).body.links.next).toBeNull()
  })

  test.for(['x', '!!!', Buffer.from('Ünknown').toString('base64url'), 'AA'])(
    'a cursor that is none of ours: %s',
    async (cursor) => {
      const { status, body } = await api.get(S, { query: { 'page[cursor]': cursor } })
      expect([status, body.errors?.[0].code, body.errors?.[0].source]).toEqual([
        400,
        'cursor_mismatch',
        { parameter: 'page[cursor]' },
      ])
    },
  )
})

describe('the documents', () => {
  test('say what records are validated by', async () => {
    const { attributes } = (await api.get(`${S}/objects/person`)).body.data
    expect(attributes).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      xSvcNamespace: 'objects',
      xSvcLabel: { singular: 'Person', plural: 'People' },
      xSvcAccess: { default: 'edit' },
      properties: {
        name: { xSvcType: 'person_name', xSvcPrimary: true },
        email_addresses: { xSvcType: 'email_addresses', xSvcUnique: true },
        company_id: {
          type: ['string', 'null'],
          xSvcRelationship: { kind: 'many-to-one', entity: 'company', field: 'people' },
        },
        deals: { xSvcRelationship: { kind: 'many-to-many', entity: 'deal', field: 'people' } },
      },
    })
  })

  test('have one primary field each, and both ends of every relationship', async () => {
    const { body } = await api.get(S)
    const documents = new Map<string, Json>(body.data.map((one: Json) => [one.attributes.title, one.attributes]))
    const mirrored: Record<string, string> = {
      'many-to-one': 'one-to-many',
      'one-to-many': 'many-to-one',
      'many-to-many': 'many-to-many',
      'one-to-one': 'one-to-one',
    }
    for (const [title, { properties }] of documents) {
      expect(
        Object.values<Json>(properties).filter(({ xSvcPrimary }) => xSvcPrimary),
        title,
      ).toHaveLength(1)
      for (const [field, { xSvcRelationship: there }] of Object.entries<Json>(properties)) {
        if (there === undefined) continue
        expect(documents.get(there.entity).properties[there.field]?.xSvcRelationship, `${title}.${field}`).toEqual({
          kind: mirrored[there.kind],
          entity: title,
          field,
        })
      }
    }
  })

  test('have the options of the built-in selects', async () => {
    expect(await optionsOf('deal', 'stage')).toEqual(['Lead', 'Qualified', 'Proposal', 'Negotiation', 'Won', 'Lost'])
    expect(await optionsOf('task', 'status')).toEqual(['To Do', 'In Progress', 'Done', 'Canceled'])
    expect(await optionsOf('task', 'priority')).toEqual(['Urgent', 'High', 'Medium', 'Low'])
  })

  const fields: [string, string[]][] = [
    [
      'person',
      [
        'name',
        'email_addresses',
        'phone_numbers',
        'job_title',
        'company_id',
        'linkedin',
        'location',
        'description',
        'avatar_url',
        'labels',
        'owner_id',
        'deals',
      ],
    ],
    [
      'company',
      [
        'name',
        'domains',
        'industry',
        'employee_count',
        'annual_revenue',
        'location',
        'linkedin',
        'description',
        'labels',
        'owner_id',
        'people',
        'deals',
      ],
    ],
    [
      'deal',
      [
        'name',
        'stage',
        'amount',
        'currency',
        'close_date',
        'company_id',
        'owner_id',
        'description',
        'labels',
        'people',
        'tasks',
      ],
    ],
    [
      'task',
      [
        'title',
        'description',
        'status',
        'priority',
        'due_date',
        'assignee_id',
        'person_id',
        'company_id',
        'deal_id',
        'meeting_id',
      ],
    ],
    [
      'meeting',
      [
        'title',
        'start',
        'end',
        'all_day',
        'participants',
        'recording_enabled',
        'visibility',
        'summary',
        'notes',
        'event_id',
        'ical_uid',
        'people',
      ],
    ],
  ]
  test.for(fields)('%s has its fields', async ([object, names]) => {
    expect(Object.keys((await api.get(`${S}/objects/${object}`)).body.data.attributes.properties)).toEqual(
      expect.arrayContaining(names),
    )
  })
})

test.for(['nothing', 'c_nothing', 'Person', '__proto__'])('no object: %s', async (object) => {
  const { status, body } = await api.get(`${S}/objects/${object}`)
  expect([status, body.errors[0].code]).toEqual([404, 'not_found'])
})
