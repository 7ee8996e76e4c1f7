import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { faultsOf, schemasOf, schemasPath } from '../harness/schemas.ts'

const app = await startApp()
const { make, get } = schemasOf(app)

const reorder = (object: string, order: Json) =>
  app.api.patch(`${schemasPath}/${object}/fields-order`, {
    body: { data: { type: 'schema-property-order', attributes: { order } } },
  })
const show = (object: string, hiddenInDetails: Json) =>
  app.api.patch(`${schemasPath}/${object}/fields-visibility`, {
    body: { data: { type: 'schema-property-visibility', attributes: { hiddenInDetails } } },
  })

const properties = {
  name: { type: 'string', xSvcPrimary: true },
  b: { type: 'number', xSvcPresentation: { hiddenInDetails: true } },
  a: {},
}

describe('the order of fields', () => {
  test('is that of the document and of their ranks, and the answer has no body', async () => {
    const object = await make(properties)
    const answer = await reorder(object, ['a', 'b', 'name'])
    expect([answer.status, answer.body]).toEqual([202, undefined])
    expect(JSON.stringify((await get(object)).properties)).toBe(
      JSON.stringify({
        a: { xSvcPresentation: { rank: 0 } },
        b: { type: 'number', xSvcPresentation: { hiddenInDetails: true, rank: 1 } },
        name: { type: 'string', xSvcPrimary: true, xSvcPresentation: { rank: 2 } },
      }),
    )
  })

  test.for<[string, string[], string[]]>([
    ['a field that is missing', ['a', 'name'], [': Must list every field; missing: b.']],
    [
      'a field that is not there',
      ['a', 'b', 'name', 'nam'],
      ['/3: c_ordered has no field "nam". Did you mean "name"?'],
    ],
    ['one field twice', ['a', 'b', 'name', 'a'], ['/3: This field is already listed.']],
    ['nothing', [], [': Must list every field; missing: name, b, a.']],
  ])('is whole: %s is refused', async ([_what, order, faults]) => {
    if ((await app.api.get(`${schemasPath}/objects/c_ordered`)).status === 404)
      await make(properties, { name: 'Ordered' })
    const answer = await reorder('c_ordered', order)
    expect([answer.status, ...faultsOf(answer)]).toEqual([
      422,
      ...faults.map((fault) => `/data/attributes/order${fault}`),
    ])
  })

  test('can be changed of built-in objects', async () => {
    const order = Object.keys((await get('task')).properties).toReversed()
    expect((await reorder('task', order)).status).toBe(202)
    expect(Object.keys((await get('task')).properties)).toEqual(order)
  })
})

describe('what is hidden', () => {
  test('is said of those that are named, and the answer has no body', async () => {
    const object = await make(properties)
    const answer = await show(object, { a: true, b: false })
    expect([answer.status, answer.body]).toEqual([204, undefined])
    expect((await get(object)).properties).toEqual({
      ...properties,
      b: { type: 'number', xSvcPresentation: { hiddenInDetails: false } },
      a: { xSvcPresentation: { hiddenInDetails: true } },
    })
  })

  test('is said of fields that there are', async () => {
    expect(faultsOf(await show('deal', { stag: true }))).toEqual([
      '/data/attributes/hiddenInDetails/stag: deal has no field "stag". Did you mean "stage"?',
    ])
    expect(faultsOf(await show('deal', { stage: 'yes' }))[0]).toContain('/data/attributes/hiddenInDetails/stage: ')
  })
})
