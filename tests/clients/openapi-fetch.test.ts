import assert from 'node:assert/strict'
import { test } from 'node:test'
import createClient from 'openapi-fetch'
import { conflict, listQuery, onePage, person } from './answers.ts'
import type { components, paths } from './generated/openapi-typescript.d.ts'
import { recorder } from './recorder.ts'

const clientOn = (fetch: (input: Request) => Promise<Response>) =>
  createClient<paths>({
    baseUrl: 'http://kontor.test/v1',
    headers: { Authorization: 'api-key pk_test' },
    // By default it would send `filter[filter[name]]`.
    querySerializer: { object: { style: 'form', explode: true } },
    fetch,
  })

const inPersons = { workspace: 'acme', object: 'person' }

void test('a list is filtered, sorted and typed', async () => {
  const { fetch, sent } = recorder(onePage)
  const { data, error } = await clientOn(fetch).GET('/workspaces/{workspace}/objects/{object}/resources', {
    params: {
      path: inPersons,
      query: {
        'page[limit]': 10,
        'sortOrder[column]': 'name',
        'sortOrder[dir]': 'ASC',
        filter: { 'filter[job_title][Contains]': 'a & b', 'filter[amount][Greater than]': 5000 },
      },
    },
  })
  assert.equal(error, undefined)
  assert.equal(data?.data[0]?.attributes.job_title, 'Senator')
  const next: string | null | undefined = data?.links.next
  assert.equal(next, null)
  assert.deepEqual(sent[0]?.query, listQuery)
  assert.equal(sent[0]?.path, '/v1/workspaces/acme/objects/person/resources')
  assert.equal(sent[0]?.authorization, 'api-key pk_test')
})

void test('DELETE carries its body', async () => {
  const { fetch, sent } = recorder({})
  await clientOn(fetch).DELETE('/workspaces/{workspace}/objects/{object}/records', {
    params: { path: inPersons, query: { silent: true }, header: { 'Idempotency-Key': 'k1' } },
    body: { items: ['p1'] },
  })
  assert.deepEqual(sent[0]?.body, { items: ['p1'] })
  assert.deepEqual(sent[0]?.query, [['silent', 'true']])
  assert.equal(sent[0]?.idempotencyKey, 'k1')
})

void test('an error has its closed code', async () => {
  const { error } = await clientOn(recorder(conflict, 409).fetch).POST(
    '/workspaces/{workspace}/objects/{object}/records',
    {
      params: { path: inPersons },
      body: { data: { type: 'person', attributes: person.attributes } },
    },
  )
  const code: components['schemas']['ErrorCode'] | undefined = error?.errors[0]?.code
  assert.equal(code, 'unique_violation')
})

/** Never run: what must not compile. */
export async function mustNotCompile(client: ReturnType<typeof clientOn>) {
  // @ts-expect-error no such path
  await client.GET('/workspaces/{workspace}/nothing', { params: { path: { workspace: 'acme' } } })
  // @ts-expect-error the object is missing
  await client.GET('/workspaces/{workspace}/objects/{object}/resources', { params: { path: { workspace: 'acme' } } })
  await client.GET('/workspaces/{workspace}/objects/{object}/resources', {
    // @ts-expect-error a direction is ASC or DESC
    params: { path: inPersons, query: { 'sortOrder[dir]': 'UP' } },
  })
  await client.GET('/workspaces/{workspace}/objects/{object}/resources', {
    // @ts-expect-error a limit is a number
    params: { path: inPersons, query: { 'page[limit]': '10' } },
  })
  await client.PATCH('/workspaces/{workspace}', {
    params: { path: { workspace: 'acme' } },
    // @ts-expect-error a name is a string
    body: { data: { type: 'workspace', attributes: { name: 1 } } },
  })
  const { error, data } = await client.GET('/workspaces/{workspace}/users', { params: { path: { workspace: 'acme' } } })
  // @ts-expect-error the set of codes is closed
  assert.notEqual(error?.errors[0]?.code === 'no_such_code', true)
  // @ts-expect-error a user has no such attribute
  assert.equal(data?.data[0]?.attributes.nickname, undefined)
}
