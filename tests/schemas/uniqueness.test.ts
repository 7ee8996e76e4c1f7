import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { pointersOf, recordsOf } from '../harness/records.ts'
import { changesOf, objectPath, schemasOf } from '../harness/schemas.ts'

const app = await startApp()
const { get } = schemasOf(app)
const { edit } = changesOf(app)
const { create, createMany, remove } = recordsOf(app)

test('admins lift the uniqueness of any field, and set it again once no value is there twice', async () => {
  const body = { data: { type: 'company', attributes: { domains: { items: ['shared.example'] } } } }
  const post = () => app.api.post('/workspaces/acme/objects/company/records', { body })
  const first = await create('company', body.data.attributes)
  expect((await post()).status).toBe(409)
  await edit('company', (properties) => delete properties.domains.xSvcUnique)
  const second = await post()
  expect(second.status).toBe(201)

  const document = await get('company')
  document.properties.domains.xSvcUnique = true
  const set = () => app.api.put(objectPath('company'), { body: document })
  const refused = await set()
  expect([refused.status, pointersOf(refused), refused.body.errors[0].meta]).toEqual([
    409,
    ['/properties/domains/xSvcUnique'],
    {
      field: 'domains',
      duplicates: [{ value: 'shared.example', count: 2, record_ids: [first.id, second.body.data.id] }],
    },
  ])
  await remove('company', [second.body.data.id])
  await edit('company', (properties) => (properties.domains.xSvcUnique = true))
  expect((await post()).status).toBe(409)
})

test('the 409 of a value that is there already says how to let it repeat', async () => {
  await create('deal', { name: 'Renewal' })
  const again = { data: { type: 'deal', attributes: { name: 'Renewal' } } }
  const { status, body } = await app.api.post('/workspaces/acme/objects/deal/records', { body: again })
  expect([status, body.errors[0].detail]).toEqual([
    409,
    'Another deal already has this name. If values of this field may repeat, an admin can set its `xSvcUnique` to ' +
      'false in the schema.',
  ])
  await edit('deal', (properties) => (properties.name.xSvcUnique = false))
  expect((await app.api.post('/workspaces/acme/objects/deal/records', { body: again })).status).toBe(201)
})

test('a field that was not unique becomes so', async () => {
  await createMany('company', [
    { name: 'One', industry: 'Rail' },
    { name: 'Two', industry: 'Air' },
  ])
  await edit('company', (properties) => (properties.industry.xSvcUnique = true))
  const again = { data: { type: 'company', attributes: { name: 'Three', industry: 'rail' } } }
  expect((await app.api.post('/workspaces/acme/objects/company/records', { body: again })).status).toBe(409)
})
