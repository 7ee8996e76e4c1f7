import { describe, expect, test } from 'vitest'
import { isMutation, queryFields, type Endpoint, type QueryField } from '@kontor/contract'
import { startApp } from '../harness/app.ts'
import { turnOf } from '../harness/size.ts'
import { exampleInput, filtersByField, hasParameter, inQuery, mutations, select } from './endpoints.ts'
import { expectError, expectSuccess } from './expect.ts'
import { expectReadable } from './readable.ts'
import { pathOf, rest } from './surfaces.ts'

const app = await startApp()
const { api } = app

const leavesOf = ({ query }: Endpoint): Exclude<QueryField, { kind: 'free' | 'indexed' }>[] =>
  query === undefined ? [] : queryFields(query).filter((field) => field.kind !== 'free' && field.kind !== 'indexed')

/** A text that none of these kinds takes. */
const wrongFor = { number: 'many', boolean: 'perhaps', list: '' } as const

/** Endpoints that hand no other parameters on. */
const closedQueries = select(({ takesQuery }) => takesQuery === undefined)

const queried = select(({ query, takesQuery }) => query !== undefined && takesQuery === undefined)

describe('unknown parameters', () => {
  test.for(turnOf(3, closedQueries))('%s: 400 that says what is allowed', async ([name, endpoint]) => {
    const input = await exampleInput(app, name, endpoint)
    await app.events()
    for (const parameter of ['bogus', 'page[bogus]', '__proto__', 'constructor', 'filter', 'limit[]', 'Silent']) {
      const outcome = await rest(app, name, endpoint, input, { query: { [parameter]: 1 } })
      if (parameter === 'filter' && hasParameter(endpoint, 'filter')) continue
      expectError(endpoint, outcome, 'unknown_parameter')
      expectReadable(outcome.body.errors)
      expect(outcome.body.errors[0].source).toEqual({ parameter })
      for (const { name: leaf } of leavesOf(endpoint)) expect(outcome.body.errors[0].meta.allowed).toContain(leaf)
    }
    expect(await app.events()).toEqual([])
  })

  test.for(turnOf(4, queried))('%s: a misspelled one is told the nearest', async ([name, endpoint]) => {
    const input = await exampleInput(app, name, endpoint)
    for (const { name: leaf } of leavesOf(endpoint)) {
      const misspelled = leaf.endsWith(']') ? `${leaf.slice(0, -2)}]` : leaf.slice(0, -1)
      const outcome = await rest(app, name, endpoint, input, { query: { [misspelled]: 1 } })
      expectError(endpoint, outcome, 'unknown_parameter')
      expect(outcome.body.errors[0].detail).toContain(`Did you mean "${leaf}"?`)
    }
  })

  test.for(turnOf(5, closedQueries))('%s: every one of several is named', async ([name, endpoint]) => {
    const outcome = await rest(app, name, endpoint, await exampleInput(app, name, endpoint), {
      query: { bogus: 1, wrong: 2 },
    })
    expect(outcome.body.errors.map((error: { source: { parameter: string } }) => error.source.parameter)).toEqual([
      'bogus',
      'wrong',
    ])
  })
})

test.for<[string, string]>([
  ['limit', 'page[limit]'],
  ['page[size]', 'page[limit]'],
  ['per_page', 'page[limit]'],
  ['offset', 'page[offset]'],
  ['sort', 'sortOrder[column]'],
  ['order_by', 'sortOrder[column]'],
])('"%s", as other APIs call it, is told to be "%s"', async ([parameter, ours]) => {
  const { status, body } = await api.get('/workspaces/acme/objects/deal/resources', { query: { [parameter]: '1' } })
  expect([status, body.errors[0].detail]).toEqual([
    400,
    `There is no parameter "${parameter}". Did you mean "${ours}"?`,
  ])
})

describe('known parameters', () => {
  test.for(turnOf(6, queried))('%s: of another type 400, spelled as sent', async ([name, endpoint]) => {
    const input = await exampleInput(app, name, endpoint)
    for (const { name: leaf, kind, ...field } of leavesOf(endpoint)) {
      if (kind === 'string' || ('item' in field && field.item === 'string')) continue
      const outcome = await rest(app, name, endpoint, input, { query: { [leaf]: wrongFor[kind] } })
      expectError(endpoint, outcome, 'invalid_parameter')
      expect(outcome.body.errors[0].source).toEqual({ parameter: leaf })
    }
  })

  test.for(turnOf(7, queried))('%s: given twice 400', async ([name, endpoint]) => {
    const path = pathOf(endpoint, await exampleInput(app, name, endpoint))
    for (const { name: leaf, kind } of leavesOf(endpoint)) {
      if (kind === 'list') continue
      const outcome = await api.send(endpoint.method, `${path}?${encodeURIComponent(leaf)}=1&${leaf}=1`)
      expectError(endpoint, outcome, 'invalid_parameter')
      expect(outcome.body.errors[0]).toMatchObject({
        source: { parameter: leaf },
        detail: expect.stringContaining('twice'),
      })
    }
  })

  test.for(
    turnOf(
      8,
      select(({ query }) => query !== undefined && 'page' in query.shape),
    ),
  )('%s: pages by whole numbers within bounds', async ([name, endpoint]) => {
    const input = await exampleInput(app, name, endpoint)
    const bad = {
      'page[limit]': ['0', '-1', '1.5', '1e2', '', ' 5', '0x10', '99999999999999999999'],
      'page[offset]': ['-1', '0.5', 'x', '99999999999999999999'],
    }
    for (const [leaf, values] of Object.entries(bad)) {
      if (!leavesOf(endpoint).some((field) => field.name === leaf)) continue
      for (const value of values) {
        const outcome = await rest(app, name, endpoint, input, { query: { [leaf]: value } })
        expectError(endpoint, outcome, 'invalid_parameter')
        expect(outcome.body.errors[0].source, value).toEqual({ parameter: leaf })
      }
    }
    const path = pathOf(endpoint, input)
    for (const spelled of [
      'page[limit]=2',
      'page%5Blimit%5D=2',
      'page%5blimit%5d=2',
      'page[limit]=2&',
      '&page[limit]=2',
    ])
      expectSuccess(
        endpoint,
        await api.send(
          endpoint.method,
          `${path}?${spelled}`,
          input['body'] === undefined ? {} : { body: input['body'] },
        ),
      )
  })
})

const freeOf = ({ query }: Endpoint) =>
  query === undefined ? [] : queryFields(query).filter((field) => field.kind === 'free')

describe('open parameters', () => {
  const inherited = ['toString', 'valueOf', 'hasOwnProperty', '__lookupSetter__', 'isPrototypeOf']

  test.for(
    turnOf(
      9,
      select((endpoint) => freeOf(endpoint).length > 0),
    ),
  )('%s: names that every object has are as unknown as others', async ([name, endpoint]) => {
    const input = inQuery(await exampleInput(app, name, endpoint), endpoint)
    for (const { name: free, isBare } of freeOf(endpoint)) {
      for (const member of inherited) {
        const outcome = await rest(app, name, endpoint, input, { query: { [`${free}[${member}]`]: 'x' } })
        expectError(endpoint, outcome, isBare === true ? 'unknown_operator' : 'unknown_field')
        expect(outcome.body.errors[0].source).toEqual({ parameter: `${free}[${member}]` })
      }
    }
    if (!filtersByField(endpoint)) return
    const field = name === 'resources.listDeleted' ? '_deleted_at' : '_id'
    const outcome = await rest(app, name, endpoint, input, {
      query: { [`filter[${field}][Is]`]: '2026-01-31', [`filter[${field}][toString]`]: 'y' },
    })
    expectError(endpoint, outcome, 'unknown_operator')
  })
})

describe('silent', () => {
  test.for(turnOf(10, mutations))('%s takes it, and its events carry it', async ([name, endpoint]) => {
    await app.events()
    const input = await exampleInput(app, name, endpoint)
    await app.events()
    expectSuccess(endpoint, await rest(app, name, endpoint, { ...input, silent: true }))
    const events = await app.events()
    expect(events.filter((event) => !event.silent)).toEqual([])
    if (endpoint.scope?.startsWith('records:')) expect(events.length).toBeGreaterThan(0)
  })

  test.for(
    turnOf(
      11,
      select((endpoint) => !isMutation(endpoint)),
    ),
  )('%s, a read, refuses it', async ([name, endpoint]) => {
    expectError(
      endpoint,
      await rest(app, name, endpoint, await exampleInput(app, name, endpoint), { query: { silent: true } }),
      'unknown_parameter',
    )
  })
})
