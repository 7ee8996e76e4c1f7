import { expect, test } from 'vitest'
import { startApp, type TestApp } from '../harness/app.ts'
import type { Answer, Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { changesOf, faultsOf, schemasOf } from '../harness/schemas.ts'

/** Its jobs run when a test says so: until then a change that was accepted stays under way. */
async function standing(starting: Promise<TestApp> = startApp()) {
  const app = await starting
  const { make, get } = schemasOf(app)
  const { end, put } = changesOf(app)
  const name = { type: 'string', xSvcPrimary: true }
  const object = await make({ name, color: { enum: ['red', 'blue'] }, size: { type: 'number' }, note: {} })
  const written: Json = await get(object)
  /** Sends the document as it was before all of the changes, with one of its own. */
  const change = (edit: (properties: Json, document: Json) => void): Promise<Answer> => {
    const document = structuredClone(written)
    edit(document.properties, document)
    return put(object, document)
  }
  const cancel = ({ body }: Answer) => app.api.post(`/workspaces/acme/async-tasks/${body.data.id}/cancel`)
  return { app, object, get: () => get(object), end, change, cancel }
}

const queued = ({ status, body }: Answer) => [status, body.data?.attributes.state ?? body.errors[0].detail]

test('whole documents in a row, all written for the same version: each adds its own, none undoes another', async () => {
  const { app, object, get, end, change } = await standing()
  const record = await recordsOf(app).create(object, { name: 'Stays', color: 'red', size: 3, note: 'Gone' })
  const answers = [
    await change((properties) => (properties.first = { type: 'number' })),
    await change((properties, document) => {
      properties.shade = { ...properties.color, xSvcPrevName: 'color' }
      delete properties.color
      document.required = ['size']
    }),
    await change((properties) => (properties.color.enum = ['red', 'blue', 'green'])),
    await change((properties, document) => {
      properties.color.enum = ['black', 'red', 'blue']
      delete properties.note
      document.xSvcLabel = { ...document.xSvcLabel, singular: 'Paint' }
    }),
    await change((properties) => (properties.size = { ...properties.size, minimum: 0 })),
    // The same again, as a client sends that has seen no sign of it.
    await change((properties) => (properties.first = { type: 'number' })),
    await change((properties, document) => {
      document.properties = { note: properties.note, name: properties.name, size: properties.size, last: {} }
    }),
  ]
  for (const answer of answers.slice(0, -1)) expect(queued(answer)).toEqual([200, 'queued'])
  // It drops what others change.
  expect(answers.at(-1)!.body.errors[0].code).toBe('schema_modification_in_progress')
  for (const { body } of answers.slice(0, -1))
    expect(await end(body.data.id)).toMatchObject({ state: 'completed', error_code: null })
  const { properties, required, xSvcLabel } = await get()
  expect(Object.keys(properties)).toEqual(['name', 'size', 'shade', 'first'])
  expect(properties.shade.enum).toEqual(['red', 'blue', 'green', 'black'])
  expect(properties.size).toMatchObject({ type: 'number', minimum: 0 })
  expect([required, xSvcLabel.singular]).toEqual([['size'], 'Paint'])
  expect((await recordsOf(app).get(object, record.id)).body.data.attributes).toMatchObject({
    name: 'Stays',
    shade: 'red',
    size: 3,
    first: null,
  })
  await app.cleaned()
  expect(await app.tableFaults([])).toEqual([])
})

/** For changes that need not end. */
const still = startApp()

test.for<[string, (properties: Json, document: Json) => void, (properties: Json, document: Json) => void, string]>([
  ['a field', (fields) => (fields.size.title = 'A'), (fields) => (fields.size.title = 'B'), '/properties/size/title'],
  ['a new field', (fields) => (fields.x = {}), (fields) => (fields.x = { type: 'number' }), '/properties/x'],
  ['a field that goes', (fields) => delete fields.size, (fields) => (fields.size.minimum = 1), '/properties/size'],
  [
    'a name',
    (fields) => (fields.x = {}),
    (fields) => {
      fields.x = { ...fields.note, xSvcPrevName: 'note' }
      delete fields.note
    },
    '/properties/x',
  ],
  [
    'the label',
    (_, document) => (document.xSvcLabel = { singular: 'A', plural: 'As' }),
    (_, document) => (document.xSvcLabel = { singular: 'B', plural: 'Bs' }),
    '/xSvcLabel/singular',
  ],
])('two that change %s to different ends: the second is refused, and says where', async ([, one, other, at]) => {
  const { change } = await standing(still)
  expect(queued(await change(one))).toEqual([200, 'queued'])
  const { status, body, headers } = await change(other)
  expect([status, body.errors?.[0].code, body.errors?.[0].source, headers['retry-after']]).toEqual([
    409,
    'schema_modification_in_progress',
    { pointer: at },
    '1',
  ])
})

test('what does not fit together with what comes before is told at once', async () => {
  const { change } = await standing(still)
  expect(queued(await change((properties) => (properties.size.minimum = 10)))).toEqual([200, 'queued'])
  expect(faultsOf(await change((properties) => (properties.size.maximum = 5)))).toEqual([
    expect.stringMatching(/^\/properties\/size\/(minimum|maximum): /),
  ])
})

test('one whose forerunner is cancelled is made by itself', async () => {
  const { get, end, change, cancel } = await standing()
  const first = await change((properties) => (properties.size.minimum = 10))
  const second = await change((properties) => (properties.last = {}))
  expect((await cancel(first)).status).toBe(200)
  expect(await end(second.body.data.id)).toMatchObject({ state: 'completed' })
  const { properties } = await get()
  expect([Object.keys(properties), properties.size]).toEqual([
    ['name', 'color', 'size', 'note', 'last'],
    { type: 'number' },
  ])
})

test('the next one begins as the one before it ends: no time has to pass', async () => {
  const { app, get, change } = await standing()
  for (const field of ['a', 'b', 'c', 'd'])
    expect(queued(await change((properties) => (properties[field] = {})))).toEqual([200, 'queued'])
  app.stopClock(app.now())
  await app.idle()
  expect(Object.keys((await get()).properties)).toEqual(['name', 'color', 'size', 'note', 'a', 'b', 'c', 'd'])
})
