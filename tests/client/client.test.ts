import {
  ConnectionFailed,
  createKontorClient,
  createRestClient,
  isKontorError,
  KontorError,
  lists,
  records,
  resources,
} from '@kontor/client'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'

const { baseUrl, credentials } = await startApp()
const connection = { url: baseUrl, apiKey: credentials.keys.adminKey! }
const rest = createRestClient(connection)
const trpc = createKontorClient(connection)
const deal = { workspace: 'acme', object: 'deal' }
const named = (name: string) => ({ body: { data: { type: 'deal', attributes: { name } } } })

test('both clients speak to the same API, typed by the contract', async () => {
  const made = await rest.call(records.create, { ...deal, ...named('Both') })
  expect(made.status).toBe(201)
  const { id } = made.body.data
  expect(await trpc.records.get.query({ ...deal, id })).toMatchObject({ data: made.body.data })
  const changed = await trpc.records.update.mutate({
    ...deal,
    id,
    body: { data: { type: 'deal', attributes: { amount: 5 } } },
  })
  expect((await rest.call(records.get, { ...deal, id })).body.data).toEqual(changed.data)
})

test('a table is answered as the text that it is', async () => {
  const list = { data: { type: 'list', attributes: { title: 'Table', type: 'static' } } } as const
  const { data } = (await rest.call(lists.create, { ...deal, body: list })).body
  const { status, body } = await rest.call(lists.exportRows, { ...deal, list: data.id, body: {} })
  expect(status).toBe(200)
  expect(body).toMatch(/^_id,/)
})

test('calls made at once travel as one batch', async () => {
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, i) => trpc.records.create.mutate({ ...deal, ...named(`Batch ${i}`) })),
  )
  expect(new Set(answers.map(({ data }) => data.id)).size).toBe(60)
})

test('a question that is too long for a URL is asked by POST, with its headers and beside others', async () => {
  const [one] = (await trpc.resources.list.query({ ...deal, page: { limit: 1 } })).data
  const unknown = Array.from({ length: 150 }, (_, i) => `${i} ${'ö'.repeat(60)}`)
  const long = { ...deal, filter: { name: { Is: [String(one?.attributes['name']), ...unknown] } } }
  expect(JSON.stringify(long).length).toBeGreaterThan(8192)
  const [found, short] = await Promise.all([
    trpc.resources.list.query(long),
    trpc.records.get.query({ ...deal, id: one!.id }),
  ])
  expect(found.data.map(({ id }) => id)).toEqual([short.data.id])
})

test('pages follow the links to the end', async () => {
  const names: unknown[] = []
  for await (const { data } of rest.pages(resources.list, {
    ...deal,
    filter: { name: { 'Starts with': 'Batch' } },
    sortOrder: { column: 'name', dir: 'DESC' },
    page: { limit: 7 },
  })) {
    names.push(...data.map(({ attributes }) => attributes['name']))
  }
  expect(names).toEqual(names.map(String).toSorted().toReversed())
  expect(new Set(names).size).toBe(60)
})

test('all items of a list come one after another', async () => {
  let count = 0
  const question = { ...deal, filter: { name: { 'Starts with': 'Batch' } }, page: { limit: 7 } }
  for await (const { attributes } of rest.all(resources.list, question)) {
    expect(attributes['name']).toMatch(/^Batch/)
    count++
  }
  expect(count).toBe(60)
})

test('the same key again changes nothing twice, another version is refused', async () => {
  const options = { idempotencyKey: 'client-1' }
  const first = await rest.call(records.create, { ...deal, ...named('Once') }, options)
  const second = await rest.call(records.create, { ...deal, ...named('Once') }, options)
  expect(second.body).toEqual(first.body)
  expect(second.headers.get('idempotency-replayed')).toBe('true')
  const change = { ...deal, id: first.body.data.id, ...named('Other') }
  await expect(rest.call(records.update, change, { ifMatch: '"7"' })).rejects.toMatchObject({
    name: 'KontorError',
    status: 412,
    code: 'version_mismatch',
  })
})

test('a refusal over tRPC has the same code, and a call may say which version it changes', async () => {
  const { id } = (await trpc.records.create.mutate({ ...deal, ...named('Versioned') })).data
  const refused = await trpc.records.update
    .mutate({ ...deal, id, ...named('Other') }, { context: { ifMatch: '"7"' } })
    .catch((error: unknown) => error)
  expect(isKontorError(refused, 'version_mismatch')).toBe(true)
  expect(isKontorError(refused, 'not_found')).toBe(false)
  expect(refused).toMatchObject({ status: 412, code: 'version_mismatch', data: { httpStatus: 412 } })
  const [one, other] = await Promise.allSettled([
    trpc.records.get.query({ ...deal, id }),
    trpc.records.get.query({ ...deal, id: 'missing' }),
  ])
  expect(one.status).toBe('fulfilled')
  expect(isKontorError(other.status === 'rejected' && other.reason, 'not_found')).toBe(true)
})

test('a refusal and a missing answer are two kinds of errors', async () => {
  const refused = await rest
    .call(records.create, { ...deal, body: { data: { type: 'deal', attributes: { nme: 'x' } } } })
    .catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(KontorError)
  expect(refused).toMatchObject({
    status: 422,
    code: 'invalid_body',
    errors: [{ source: { pointer: '/data/attributes/nme' } }],
    request: expect.stringMatching(/^POST http.*\/records$/),
  })
  const nowhere = await createRestClient({ ...connection, url: 'http://127.0.0.1:1/v1', retries: 0 })
    .call(resources.list, { ...deal, page: { limit: 1 } })
    .catch((error: unknown) => error)
  expect(nowhere).toBeInstanceOf(ConnectionFailed)
  expect((nowhere as Error).message).toMatch(
    /^No response from http:\/\/127\.0\.0\.1:1\/v1\/workspaces\/acme\/objects\/deal\/resources: \S/,
  )
})

test('an access token serves as well as a key', async () => {
  const client = createKontorClient({ url: `${baseUrl}/`, accessToken: credentials.cast.tokens.admin })
  expect((await client.workspaces.list.query({})).data).toHaveLength(1)
})
