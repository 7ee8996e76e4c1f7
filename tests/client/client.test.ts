import { ConnectionFailed, createKontorClient, createRestClient, KontorError } from '@kontor/client'
import { records, resources } from '@kontor/contract'
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

test('calls made at once travel as one batch', async () => {
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, i) => trpc.records.create.mutate({ ...deal, ...named(`Batch ${i}`) })),
  )
  expect(new Set(answers.map(({ data }) => data.id)).size).toBe(60)
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
  const nowhere = await createRestClient({ ...connection, url: 'http://127.0.0.1:1/v1' })
    .call(resources.list, { ...deal, page: { limit: 1 } })
    .catch((error: unknown) => error)
  expect(nowhere).toBeInstanceOf(ConnectionFailed)
  expect((nowhere as Error).message).toMatch(
    /^No answer from http:\/\/127\.0\.0\.1:1\/v1\/workspaces\/acme\/objects\/deal\/resources: \S/,
  )
})

test('an access token serves as well as a key', async () => {
  const client = createKontorClient({ url: `${baseUrl}/`, accessToken: credentials.cast.tokens.admin })
  expect((await client.workspaces.list.query({})).data).toHaveLength(1)
})
