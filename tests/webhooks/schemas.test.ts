import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { receiver } from '../harness/receiver.ts'
import { recordsOf } from '../harness/records.ts'
import { changesOf, schemasOf } from '../harness/schemas.ts'
import { until } from '../harness/until.ts'
import { webhooksOf, webhooksPath } from '../harness/webhooks.ts'

const app = await startApp()
const hooks = webhooksOf(app)
const records = recordsOf(app)
const { make } = schemasOf(app)
const { edit } = changesOf(app)
await app.startJobs()

const attributesOf = async (id: string): Promise<Json> =>
  (await app.api.get(`${webhooksPath}/${id}`)).body.data.attributes

test('a filter follows its fields under their new names, and loses the options that are removed', async () => {
  const object = await make({
    name: { type: 'string', xSvcPrimary: true },
    size: { type: 'number' },
    stage: { enum: ['A', 'A,B', 'B', 'C'] },
  })
  const there = await receiver()
  const { _id } = await hooks.create({
    url: there.url,
    events: ['record.updated'],
    filter: { object, changed: ['size', 'name'], where: { field: 'stage', op: 'One of', value: ['A', 'A,B'] } },
  })
  const [right, wrong] = await records.createMany(object, [{ stage: 'A,B' }, { stage: 'B' }])
  const { state } = await edit(object, (properties) => {
    properties.stage = { type: 'number', xSvcPrevName: 'size' }
    properties.phase = { enum: ['A,B', 'B', 'C'], xSvcPrevName: 'stage' }
    delete properties.size
  })
  expect(state).toBe('completed')
  expect((await attributesOf(_id)).filter).toEqual({
    object,
    changed: ['stage', 'name'],
    where: { field: 'phase', op: 'One of', value: ['A,B'] },
  })
  for (const { id } of [wrong, right]) expect((await records.patch(object, id, { stage: 7 })).status).toBe(200)
  await until(() => there.got.length > 0)
  expect(there.got.map(({ body }) => body.record_id)).toEqual([right.id])
  await edit(object, (properties) => {
    properties.phase.enum = ['B', 'C']
  })
  expect((await attributesOf(_id)).filter.where).toEqual({ field: '_id', op: 'One of', value: [] })
})

test('a filter whose fields are gone disables its webhook instead of keeping it silent', async () => {
  const object = await make({ name: { type: 'string', xSvcPrimary: true }, size: { type: 'number' } })
  const there = await receiver()
  const filter = { object, changed: ['size'] }
  const { _id } = await hooks.create({ url: there.url, events: ['record.updated'], filter })
  const { id } = await records.create(object, { size: 1 })
  // Another field takes the name in the same change.
  await edit(object, (properties) => {
    properties.size = { type: 'string', xSvcPrevName: 'name', xSvcPrimary: true }
    delete properties.name
  })
  await records.patch(object, id, { size: 'x' })
  await until(async () => (await attributesOf(_id)).disabled_reason === 'filter_broken')
  expect(there.got).toEqual([])
})
