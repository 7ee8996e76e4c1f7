import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { changesOf, faultsOf, schemasOf } from '../harness/schemas.ts'

const app = await startApp()
const { get } = schemasOf(app)
const { put, edit } = changesOf(app)
const { create, list } = recordsOf(app)

describe('built-in objects', () => {
  test('take fields of one’s own, other words and options', async () => {
    await edit('company', (properties, document) => {
      properties.tier = { enum: ['Gold', 'Silver'], default: 'Silver' }
      properties.industry.title = 'Branch'
      document.xSvcLabel = { singular: 'Organisation', plural: 'Organisations' }
    })
    expect((await create('company', { name: 'Acme' })).attributes.tier).toBe('Silver')
    await edit('deal', (properties) => (properties.stage.enum = ['Lead', 'Won', 'Lost', 'Parked']))
    expect((await create('deal', { name: 'Deal', stage: 'Parked' })).attributes.stage).toBe('Parked')
    await edit('company', (properties) => {
      properties.level = { ...properties.tier, xSvcPrevName: 'tier' }
      delete properties.tier
    })
    expect((await list('company')).body.data[0].attributes.level).toBe('Silver')
  })

  test.for<[string, string, (properties: Json, document: Json) => void, string]>([
    [
      'person',
      'dropped',
      (properties) => delete properties.job_title,
      '/properties: "job_title" is a system field and cannot be removed.',
    ],
    [
      'person',
      'renamed',
      (properties) => {
        properties.role = { ...properties.job_title, xSvcPrevName: 'job_title' }
        delete properties.job_title
      },
      '/properties/role/xSvcPrevName: "job_title" is a system field and cannot be renamed.',
    ],
    [
      'person',
      'of another type',
      (properties) => (properties.job_title.xSvcType = 'long_text'),
      '/properties/job_title/xSvcType: "job_title" is a system field; only these can be changed: title, ' +
        'description, examples, deprecated, default, enum, xSvcUnique, xSvcEnumMetadata, xSvcSearchable, ' +
        'xSvcPresentation.',
    ],
    [
      'company',
      'no longer primary',
      (properties) => {
        delete properties.name.xSvcPrimary
        properties.other = { type: 'string', xSvcPrimary: true }
      },
      '/properties/name/xSvcPrimary: "name" is a system field; only these can be changed: title, description, ' +
        'examples, deprecated, default, enum, xSvcUnique, xSvcEnumMetadata, xSvcSearchable, xSvcPresentation.',
    ],
    [
      'company',
      'required',
      (_properties, document) => (document.required = ['industry']),
      '/required: "industry" is a system field: whether it is required cannot be changed.',
    ],
    [
      'user',
      'more',
      (properties) => (properties.nick = { type: 'string' }),
      '/properties/nick: user records are read-only: only relationships can be added.',
    ],
    [
      'user',
      'written',
      (_properties, document) => delete document.readOnly,
      '/readOnly: user is built in: this cannot be changed.',
    ],
  ])('%s: no field of theirs is %s', async ([object, _what, change, fault]) => {
    const document = await get(object)
    change(document.properties, document)
    const answer = await put(object, document)
    expect([answer.status, ...faultsOf(answer)]).toContain(fault)
    expect(answer.status).toBe(422)
  })
})
