import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, resourcesPath } from '../harness/records.ts'
import { schemasOf } from '../harness/schemas.ts'

const app = await startApp()
const records = recordsOf(app)
const options = ['Won', 'Lost', 'Won, big', 'Won,Lost', '"quoted", \'so\'', 'null', '!null', '!=Won', '*Won*', '>5']
const object = await schemasOf(app).make({
  name: { type: 'string', xSvcPrimary: true },
  stage: { enum: options },
  tags: { xSvcType: 'multi_select', enum: options },
})
await records.createMany(object, [
  ...options.map((option) => ({ name: option, stage: option, tags: { items: [option] } })),
  { name: 'none' },
])

const pathOf = (search: string): string => `${resourcesPath(object)}?page[limit]=100&${search.replaceAll(' ', '+')}`
const found = async (search: string): Promise<string[]> => {
  const { status, body } = await app.api.get(pathOf(search), { as: 'member' })
  expect(status, `${search}: ${JSON.stringify(body.errors)}`).toBe(200)
  return body.data.map(({ attributes }: Json) => attributes.name)
}
const query = async (filter: Json): Promise<Json> =>
  app.api.post(`${resourcesPath(object)}/query`, { as: 'member', body: { filter, page: { limit: 100 } } })
const queried = async (filter: Json): Promise<string[]> => {
  const { status, body } = await query(filter)
  expect(status, JSON.stringify(body.errors)).toBe(200)
  return body.data.map(({ attributes }: Json) => attributes.name)
}
const q = encodeURIComponent
const allBut = (...left: string[]): string[] => [...options, 'none'].filter((name) => !left.includes(name))

test('an option as a whole is that option, whatever is in it', async () => {
  for (const [index, option] of options.entries()) {
    const one = q(option)
    const field = index % 2 === 0 ? 'stage' : 'tags'
    expect(await found(`filter[${field}]=${one}`), option).toEqual([option])
    expect(await found(`filter[${field === 'tags' ? 'stage' : 'tags'}][]=${one}`), option).toEqual([option])
    expect(await found(`filter[stage][One of]=${one}`), option).toEqual([option])
    expect(await found(`filter[stage][nin]=${one}`), option).toEqual(allBut(option))
    expect(await queried({ field: 'stage', op: 'in', value: option }), option).toEqual([option])
  }
  expect(await found('filter[stage]=!=Won,+big')).toEqual(allBut('Won, big'))
  expect(await queried({ field: 'tags', op: 'Is', value: 'Won,Lost' })).toEqual(['Won,Lost'])
  expect(await queried({ field: 'stage', op: 'Not one of', value: 'Won,Lost' })).toEqual(allBut('Won,Lost'))
})

test('many values come in a URL as a list with commas, repeated, or as name[]', async () => {
  const both = ['Won', 'Won, big']
  for (const field of ['stage', 'tags', `${object}.stage`]) {
    for (const search of [
      `filter[${field}]=Won&filter[${field}]=Won,+big`,
      `filter[${field}][]=Won&filter[${field}][]=Won,+big`,
      `filter[${field}][Is]=Won&filter[${field}][Is]=Won,+big`,
      `filter[${field}][eq][]=Won,+big&filter[${field}][eq][]=Won`,
    ])
      expect(await found(search), search).toEqual(both)
    expect(await found(`filter[${field}]=Won,null`)).toEqual(['Won', 'null'])
    expect(await found(`filter[${field}]=Won,null&filter[${field}]=Won,+big`)).toEqual(['Won', 'Won, big', 'null'])
    expect(await found(`filter[${field}][Is not]=Won&filter[${field}][Is not]=Won,+big`)).toEqual(allBut(...both))
  }
  expect(await found('filter[stage][One of][]=Won&filter[stage][One of][]=Won,+big')).toEqual(both)
  expect(await found('filter[stage][nin]=Won&filter[stage][nin]=Won,+big')).toEqual(allBut(...both))
  expect(await found('filter[stage]=Won&filter[stage]=Lost&filter[stage][Is not]=Won')).toEqual(['Lost'])
  expect(await found('filter[name]=won&filter[name]=lost'), 'texts too').toEqual(['Won', 'Lost'])
  expect(await found('filter[name]=Won,Lost'), 'a text is never split').toEqual(['Won,Lost'])
  expect(await found(`fields[${object}][]=name&filter[stage]=Won`)).toEqual(['Won'])
})

test('what is none of them is refused, with the options', async () => {
  for (const search of [
    'filter[stage]=Won,Los',
    'filter[stage][One of]=Won,big',
    'filter[stage][]=Won&filter[stage][]=x',
  ]) {
    const { status, body } = await app.api.get(pathOf(search))
    expect([status, body.errors[0].code, body.errors[0].meta.allowed], search).toEqual([400, 'unknown_value', options])
  }
  for (const search of ['filter[name]=a*&filter[name]=b', 'filter[name][]=null&filter[name][]=b']) {
    const { status, body } = await app.api.get(pathOf(search))
    expect([status, body.errors[0].code, body.errors[0].source], search).toEqual([
      400,
      'invalid_parameter',
      { parameter: 'filter[name]' },
    ])
  }
})

test('in a body a text is one value, and only an array is many', async () => {
  expect(await queried({ field: 'stage', op: 'One of', value: 'Won,Lost' })).toEqual(['Won,Lost'])
  expect(await queried({ field: 'stage', op: 'One of', value: ['Won', 'Lost'] })).toEqual(['Won', 'Lost'])
  const { status, body } = await query({ field: 'stage', op: 'One of', value: 'Won,null' })
  expect([status, body.errors[0].code, body.errors[0].source]).toEqual([400, 'unknown_value', { pointer: '/filter' }])
})

test('the links of a page ask for the same', async () => {
  const walk = async (first: string): Promise<string[]> => {
    const names: string[] = []
    for (let next: string | null = first; next !== null;) {
      const { status, body } = await app.api.get(next.replace(/^.*\/v1/, ''), { as: 'member' })
      expect(status, `${next}: ${JSON.stringify(body.errors)}`).toBe(200)
      names.push(...body.data.map(({ attributes }: Json) => attributes.name))
      next = body.links.next
    }
    return names
  }
  const from = (search: string) => walk(pathOf(`page[limit]=1&${search}`).replace('page[limit]=100&', ''))
  expect(await from('filter[stage][]=Won&filter[stage][]=Won,+big')).toEqual(['Won', 'Won, big'])
  expect(await from('filter[stage]=Won,Lost&filter[stage]=null')).toEqual(['Won,Lost', 'null'])
  expect(await from('filter[stage][in]=Won,null&filter[stage]=Won&filter[stage]=Lost')).toEqual(['Won'])
  expect(await from('filter[name]=Won&filter[name]=Won,Lost')).toEqual(['Won', 'Won,Lost'])
  const { body } = await app.api.send('POST', `${app.origin}/actions/resources.list`, {
    as: 'member',
    body: {
      workspace: 'acme',
      object,
      page: { limit: 1 },
      filter: { stage: ['Won, big', 'Lost'], tags: { 'Is not': ['Won'] } },
    },
  })
  expect(await walk(body.links.next)).toEqual(['Won, big'])
})
