import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { recordsOf } from '../harness/records.ts'
import { changesOf, schemasOf } from '../harness/schemas.ts'
import { explained, numbered } from './index-builds.ts'

const app = await startApp({ fieldIndexThreshold: 20_000 })
const build = (object: string, fields: readonly string[], forParts = false) =>
  app.admin.buildIndexes({ workspace: 'acme', object, fields, forParts })

test('an operator has indexes built before a list asks for them, once', async () => {
  await recordsOf(app).createMany('company', numbered(0, 300))
  const added = await build('company', ['industry', 'employee_count', 'industry'])
  expect(added).toEqual([
    { object: 'company', field: 'industry', kind: 'text' },
    { object: 'company', field: 'employee_count', kind: 'number' },
  ])
  expect(await build('company', ['description'], true)).toHaveLength(1)
  expect(await build('company', ['industry'])).toEqual([])
  await app.startJobs()
  await app.indexes.ready()
  expect((await app.indexes.states()).map(({ state, filled }) => [state, filled])).toEqual(
    Array.from({ length: 3 }, () => ['ready', 300]),
  )
  expect((await explained(app, { 'filter[industry]': 'Tech' })).indexes).toEqual([
    { object: 'company', field: 'industry', kind: 'text', state: 'ready' },
  ])
})

test.each([
  ['planet', ['name'], false, 'There is no object "planet".'],
  ['company', ['colour'], false, '"company" has no field "colour".'],
  ['company', ['employee_count'], true, '"employee_count" has no index for parts of a text.'],
  ['company', ['_created_at'], false, '"_created_at" is indexed from the first record on.'],
  ['company', ['name'], false, '"name" is indexed from the first record on.'],
])('what cannot be built is refused, and nothing with it: %s %j', async (object, fields, forParts, message) => {
  const before = await app.indexes.states()
  await expect(build(object, ['linkedin', ...fields], forParts)).rejects.toThrow(message)
  expect(await app.indexes.states()).toEqual(before)
})

test('an index is shown and requested by the name that its field has now', async () => {
  const name = { type: 'string', xSvcPrimary: true }
  const object = await schemasOf(app).make({ name, score: { type: 'number' } })
  const { edit } = changesOf(app)
  await edit(object, (_properties, document) => {
    document.properties = { name, points: { type: 'number', xSvcPrevName: 'score' } }
  })
  const index = { object, field: 'points', kind: 'number' }
  expect(await build(object, ['points'])).toEqual([index])
  expect((await app.admin.indexes()).filter((one) => one.object === object)).toMatchObject([index])
  // Of another type, it is another field with another key.
  await edit(object, (properties) => (properties['points'] = { type: 'string' }))
  await build(object, ['points'])
  await app.cleaned()
  expect((await app.admin.indexes()).filter((one) => one.object === object)).toMatchObject([
    { object, field: 'points', kind: 'text' },
  ])
})
