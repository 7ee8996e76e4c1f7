import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { changesOf, schemasOf } from '../harness/schemas.ts'
import { until } from '../harness/until.ts'

test('where the fields change that are searched, records are soon found by others, custom objects too', async () => {
  const app = await startApp()
  const { make } = schemasOf(app)
  const { edit } = changesOf(app)
  const records = recordsOf(app, 'admin')
  const searched = async (object: string, query: string) =>
    (await records.list(object, { search: query })).body.meta.total_records
  const text = { type: ['string', 'null'], xSvcType: 'text' }
  const object = await make({
    name: { type: 'string', xSvcPrimary: true },
    port: text,
    notes: { ...text, xSvcType: 'long_text' },
    flag: text,
  })
  await records.createMany(
    object,
    Array.from({ length: 120 }, (_, index) => ({
      name: `Ship ${index}`,
      port: 'Gdańsk',
      notes: 'Sails on Monday',
      flag: 'Panama',
    })),
  )
  expect([
    await searched(object, 'gdansk'),
    await searched(object, 'monday'),
    await searched(object, 'panama'),
  ]).toEqual([120, 0, 120])
  await edit(object, (properties: Json) => {
    properties.notes.xSvcSearchable = true
    properties.port.xSvcSearchable = false
    delete properties.flag
  })
  await until(async () => (await searched(object, 'monday')) === 120, { everyMs: 50 })
  expect([
    await searched(object, 'gdansk'),
    await searched(object, 'monday'),
    await searched(object, 'panama'),
    await searched(object, 'ship 7'),
  ]).toEqual([0, 120, 0, 11])
  expect(
    (await app.api.post('/workspaces/acme/search', { as: 'admin', body: { query: 'monday ship 77' } })).body,
  ).toMatchObject({ data: [{ type: object, attributes: { name: 'Ship 77' } }], meta: { total_records: 1 } })
})
