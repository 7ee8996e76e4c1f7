import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { errorBody, errorCodesOf, isMutation, type Endpoint } from '@kontor/contract'
import { all, exampleInput, withBody, type Input } from '../conformance/endpoints.ts'
import { pathOf, surfaces, type Outcome } from '../conformance/surfaces.ts'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, recordsPath, resourcesPath } from '../harness/records.ts'
import { sized, someOf, turnOf } from '../harness/size.ts'

// A 500 is logged, and startApp fails the file for it; answers are compared with the contract by the app itself.
const app = await startApp()
const records = recordsOf(app)

/** Whatever came in: an answer of the contract, or an error that the endpoint declares. */
function expectDeclared(endpoint: Endpoint, { status, body }: Outcome, what: string): void {
  expect(status, `${what}: ${JSON.stringify(body)?.slice(0, 300)}`).toBeLessThan(500)
  if (status < 300) return
  expect(errorBody.strict().safeParse(body).error, what).toBeUndefined()
  for (const { code } of body.errors) expect(errorCodesOf(endpoint), what).toContain(code)
}

const texts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\uD800',
  'x\uDC00y',
  '__proto__',
  'constructor',
  "' or 1=1; drop table record --",
  '"; select pg_sleep(9) --',
  '%',
  '%00',
  '$1 ? ?? :name',
  '{{trigger.state}}',
  '../../etc/passwd',
  '\u2028\u2029\uFEFF\u202E',
  'NaN',
  '1e999',
  '-0',
  'null',
  'true',
  '[object Object]',
  '\uFFFF\uFFFE',
  '🦊'.repeat(3000),
  'x'.repeat(20_000),
]

const nested = (depth: number, open: string, close: string): string => open.repeat(depth) + close.repeat(depth)

/** Every place in a value, each with the value changed there. */
function* replaced(value: Json, by: Json): Generator<Json> {
  yield by
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) for (const inner of replaced(item, by)) yield value.with(index, inner)
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value))
      for (const inner of replaced(item, by)) yield { ...value, [key]: inner }
}

/** Node itself ends requests of more than 16 KB in their head; and an empty last part is another path. */
function fitsUrl(endpoint: Endpoint, input: Input, surface: string): boolean {
  // tRPC puts the whole input of a query into the URL, its body too.
  if (surface === 'trpc') return isMutation(endpoint) || JSON.stringify(input).length < 1000
  const { body: _body, ...flat } = input
  return Object.values(flat).every(
    (value) => typeof value !== 'string' || (value !== '' && value.length < 1000 && value.isWellFormed()),
  )
}

/** Sends one value; what was taken must be read as it was answered. */
async function expectKept(object: string, field: string, value: Json): Promise<void> {
  const answer = await records.post(object, { ...(object === 'task' && { title: 'x' }), [field]: value })
  expect([201, 409, 422], `${field} ${JSON.stringify(value).slice(0, 60)}`).toContain(answer.status)
  if (answer.status !== 201) return
  expect((await records.get(object, answer.body.data.id)).body.data).toEqual(answer.body.data)
  await app.api.delete(`${recordsPath(object)}/${answer.body.data.id}`)
}

describe('strings', () => {
  test.for(turnOf(28, all))('%s: any text in any place of the call, the surfaces in turn', async ([name, endpoint]) => {
    const input = await exampleInput(app, name, endpoint)
    let turn = 0
    for (const text of someOf(texts, 1)) {
      for (const changed of replaced(input, text)) {
        if (typeof changed !== 'object') continue
        const [surface, call] = Object.entries(surfaces)[turn++ % Object.keys(surfaces).length]!
        if (surface !== 'actions' && !fitsUrl(endpoint, changed, surface)) continue
        expectDeclared(
          endpoint,
          await call(app, name, endpoint, changed),
          `${surface} ${JSON.stringify(text).slice(0, 40)}`,
        )
      }
    }
  })

  test('in a field of every type: refused, or read back as it was answered', async () => {
    const types = new Set<string>()
    for (const object of ['person', 'company', 'deal', 'task', 'meeting']) {
      const { properties } = (await app.api.get(`/workspaces/acme/schemas/objects/${object}`)).body.data.attributes
      for (const [field, { xSvcType }] of Object.entries<Json>(properties)) {
        if (types.has(xSvcType)) continue
        types.add(xSvcType)
        for (const text of someOf(texts, 1)) {
          const values = [
            text,
            { items: [text] },
            { [text]: text },
            { text: [{ type: text, content: [{ type: 'text', text }] }] },
            { first_name: text },
          ]
          for (const value of values) await expectKept(object, field, value)
        }
      }
    }
  })

  test('as names of fields, operators, cursors and columns of a list', async () => {
    for (const text of someOf(
      texts.filter((one) => one.isWellFormed() && one.length < 1000),
      4,
    )) {
      const encoded = encodeURIComponent(text)
      const queries = [
        `filter[${encoded}]=x`,
        `filter[job_title][${encoded}]=x`,
        `filter[job_title]=${encoded}`,
        `filter[job_title][Contains]=${encoded}`,
        `filter[labels]=${encoded}`,
        `filter[company_id]=${encoded}`,
        `filter[_id]=${encoded}`,
        `filter[_created_at][Is after]=${encoded}`,
        `filter[name][Starts with]=${encoded}`,
        `filter[name][Ends with]=${encoded}`,
        `filter[location][Contains]=${encoded}`,
        `filter[_id][One of]=${encoded},${encoded}`,
        `sortOrder[column]=${encoded}&sortOrder[dir]=ASC`,
        `sortOrder[0][column]=${encoded}&sortOrder[0][dir]=${encoded}`,
        `page[after]=${encoded}`,
        `page[before]=${encoded}`,
        `page[limit]=${encoded}`,
        `page[offset]=${encoded}`,
        `${encoded}=${encoded}`,
        `page[${encoded}]=1`,
        `filter=${encoded}`,
      ]
      for (const query of queries) {
        const { status, body } = await app.api.get(`${resourcesPath('person')}?${query.replaceAll(' ', '%20')}`)
        expect([200, 400], `${query.slice(0, 80)}: ${JSON.stringify(body).slice(0, 200)}`).toContain(status)
      }
    }
  })

  test('as cursors that look like ours', async () => {
    const sort = 'sortOrder[column]=_created_at&sortOrder[dir]=ASC&page[limit]=1'
    await records.createMany('person', [{}, {}])
    const { body } = await app.api.get(`${resourcesPath('person')}?${sort}`)
    const [hash] = JSON.parse(
      Buffer.from(new URL(body.links.next).searchParams.get('page[after]')!, 'base64url').toString(),
    )
    const id = body.data[0].id
    for (const rest of [
      [id],
      [1, 'x'],
      ['x', id],
      [1e308, id],
      [-1e308, id],
      [null, id],
      [{}, id],
      [[1], id],
      [1, 2, id],
      [1.5, id],
      [true, id],
      [0, `${id}\0`],
      [],
    ]) {
      const cursor = Buffer.from(JSON.stringify([hash, ...rest])).toString('base64url')
      for (const direction of ['after', 'before'])
        expect([200, 400], JSON.stringify(rest)).toContain(
          (await app.api.get(`${resourcesPath('person')}?${sort}&page[${direction}]=${cursor}`)).status,
        )
    }
  })
})

describe('depth, numbers and names', () => {
  const extremes = '{"a":1e999,"b":-1e999,"c":1e-999,"d":123456789012345678901234567890}'
  const many = `{${Array.from({ length: 20_000 }, (_, index) => `"k${index}":1`).join(',')}}`
  const raw = [
    nested(10_000, '[', ']'),
    nested(100_000, '[', ']'),
    nested(10_000, '{"a":', '}').replace('}', '1}'),
    `{"data":${nested(10_000, '[', ']')}}`,
    `{"data":{"type":"person","attributes":${nested(10_000, '{"a":', '}').replace('}', '1}')}}}`,
    `{"data":{"type":"person","attributes":{"location":${nested(10_000, '{"a":', '}').replace('}', '1}')}}}}`,
    `{"data":{"type":"person","attributes":{"location":${extremes}}}}`,
    '{"data":{"type":"person","attributes":{"__proto__":{"admin":true}}}}',
    '{"__proto__":{"data":{"type":"person","attributes":{}}}}',
    '{"data":{"type":"person","attributes":{"location":{"__proto__":{"a":1},"constructor":{"prototype":{}}}}}}',
    '{"data":{"__proto__":null,"type":"person","attributes":{},"toString":1}}',
    '{"data":{"type":"person","attributes":{"job_title":"a","job_title":"b"}}}',
    '1e999',
    '"\\ud800"',
    '"\\u0000"',
    '-0',
    '{"":""}',
    many,
    `{"data":{"type":"person","attributes":${many}}}`,
  ]

  test.for(turnOf(29, withBody))('%s', async ([name, endpoint]) => {
    const path = pathOf(endpoint, await exampleInput(app, name, endpoint))
    for (const body of someOf(raw, 3))
      expectDeclared(endpoint, await app.api.send(endpoint.method, path, { body }), body.slice(0, 60))
  })

  test('over tRPC and actions', async () => {
    const headers = { Authorization: `Bearer ${app.credentials.cast.tokens.admin}`, 'Content-Type': 'application/json' }
    for (const body of raw) {
      for (const path of ['/trpc/records.create', '/trpc/records.create?batch=1', '/actions/records.create']) {
        const { status } = await app.http.send({ method: 'POST', url: app.origin + path, headers, body })
        expect(status, `${path} ${body.slice(0, 60)}`).toBeGreaterThanOrEqual(400)
        expect(status, `${path} ${body.slice(0, 60)}`).toBeLessThan(500)
      }
      if (body.length > 7000) continue
      const { status } = await app.http.send({
        method: 'GET',
        url: `${app.origin}/trpc/records.get?input=${encodeURIComponent(body)}`,
        headers,
      })
      expect(status, body.slice(0, 60)).toBeLessThan(500)
    }
  })

  test('numbers where a field takes one: exact, or refused', async () => {
    for (const number of [
      '1e11',
      '123456789012.3456',
      '-0',
      '0.00001',
      '1e-7',
      '999999999999.9999',
      '1000000000000',
      '1e999',
      '9007199254740993',
      '0.30000000000000004',
      '4.35',
      '1.0000',
    ]) {
      const { status, body } = await app.api.post(recordsPath('deal'), {
        body: `{"data":{"type":"deal","attributes":{"amount":${number}}}}`,
      })
      expect([201, 422], number).toContain(status)
      if (status !== 201) continue
      const read = (await records.get('deal', body.data.id)).body.data.attributes.amount
      expect(read).toBe(number === '-0' ? 0 : Number(number))
      const found = await records.list('deal', { 'filter[amount]': number, 'filter[_id]': body.data.id })
      expect([number, found.body.meta?.total_records]).toEqual([number, 1])
    }
  })
})

describe('URLs', () => {
  const broken = ['%', '%zz', '%E0%A4%A', '%ED%A0%80', '%C0%80', '%F8%A1%A1%A1%A1', '%00', '%2e%2e%2f', '%FF']
  test('with percent signs that encode nothing, anywhere', async () => {
    for (const text of broken) {
      for (const path of [
        `/workspaces/${text}/users`,
        `/workspaces/acme/objects/${text}/resources`,
        `/workspaces/acme/objects/person/records/${text}`,
        `/workspaces/acme/users?${text}=1`,
        `/workspaces/acme/users?page[limit]=${text}`,
        `${resourcesPath('person')}?filter[job_title]=${text}`,
      ]) {
        const { status, body } = await app.api.get(path)
        expect(status, path).toBeLessThan(500)
        if (status >= 400) expect(errorBody.strict().safeParse(body).success, path).toBe(true)
      }
    }
  })

  test('with a thousand parameters, or brackets of all kinds', async () => {
    const many = Array.from({ length: 1000 }, (_, index) => `a${index}=`).join('&')
    for (const query of [
      many,
      '[',
      ']',
      '[]=1',
      '=1',
      '&&&',
      'page=1',
      'page[]=1',
      'page[limit',
      'page[limit]]=1',
      'page[[limit]]=1',
      'page.limit=1',
      'sortOrder[999][column]=x',
      'sortOrder[-1][column]=x',
      'sortOrder[0]=x',
      'sortOrder[__proto__][column]=x',
      'filter[__proto__][Is]=1',
      '?',
      '#',
      'filter[a][b][c][d]=1',
    ]) {
      const { status, body } = await app.api.get(`${resourcesPath('person')}?${query}`)
      expect([200, 400], query.slice(0, 60)).toContain(status)
      if (status === 400) expect(JSON.stringify(body).length, query.slice(0, 60)).toBeLessThan(20_000)
    }
  })
})

describe('any JSON at all', () => {
  const json = fc.jsonValue({ maxDepth: 4, noUnicodeString: false })

  test.for(someOf(withBody, 30))('%s as its body, and in place of any part of it', async ([name, endpoint]) => {
    const input = await exampleInput(app, name, endpoint)
    const path = pathOf(endpoint, input)
    await fc.assert(
      fc.asyncProperty(json, fc.nat(), async (value, at) => {
        const places = [...replaced(input['body'], value)]
        const body = JSON.stringify(places[at % places.length])
        expectDeclared(endpoint, await app.api.send(endpoint.method, path, { body }), body)
      }),
      { numRuns: sized(30, 2) },
    )
  })

  test('as what a call of tRPC or actions takes', async () => {
    await fc.assert(
      fc.asyncProperty(json, fc.constantFrom(...all), async (value, [name, endpoint]) => {
        for (const surface of [surfaces['trpc']!, surfaces['actions']!]) {
          const { status } = await surface(app, name, endpoint, value as Input)
          expect(status).toBeLessThan(500)
        }
      }),
      { numRuns: sized(100, 5) },
    )
  })
})
