import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conflict, listQuery, onePage, person } from './answers.ts'
import { createClient } from './generated/hey-api/client/index.ts'
import {
  recordsCreate,
  recordsRemoveMany,
  resourcesList,
  usersList,
  workspacesUpdate,
} from './generated/hey-api/sdk.gen.ts'
import type { ErrorCode } from './generated/hey-api/types.gen.ts'
import { recorder } from './recorder.ts'

const clientOn = (fetch: typeof globalThis.fetch) =>
  createClient({
    baseUrl: 'http://kontor.test/v1',
    fetch,
    auth: ({ type }) => (type === 'apiKey' ? 'api-key pk_test' : undefined),
  })

const path = { workspace: 'acme', object: 'person' }

void test('a list is filtered, sorted and typed', async () => {
  const { fetch, sent } = recorder(onePage)
  const { data, error } = await resourcesList({
    client: clientOn(fetch),
    path,
    query: {
      'page[limit]': 10,
      'sortOrder[column]': 'name',
      'sortOrder[dir]': 'ASC',
      filter: { 'filter[job_title][Contains]': 'a & b', 'filter[amount][Greater than]': 5000 },
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
  await recordsRemoveMany({
    client: clientOn(fetch),
    path,
    query: { silent: true },
    headers: { 'Idempotency-Key': 'k1' },
    body: { items: ['p1'] },
  })
  assert.deepEqual(sent[0]?.body, { items: ['p1'] })
  assert.deepEqual(sent[0]?.query, [['silent', 'true']])
  assert.equal(sent[0]?.idempotencyKey, 'k1')
})

void test('an error has its closed code', async () => {
  const { error } = await recordsCreate({
    client: clientOn(recorder(conflict, 409).fetch),
    path,
    body: { data: { type: 'person', attributes: person.attributes } },
  })
  const code: ErrorCode | undefined = error?.errors[0]?.code
  assert.equal(code, 'unique_violation')
})

/** Never run: what must not compile. */
export async function mustNotCompile() {
  // @ts-expect-error the object is missing
  await resourcesList({ path: { workspace: 'acme' } })
  // @ts-expect-error a direction is ASC or DESC
  await resourcesList({ path, query: { 'sortOrder[dir]': 'UP' } })
  // @ts-expect-error a limit is a number
  await resourcesList({ path, query: { 'page[limit]': '10' } })
  await workspacesUpdate({
    path: { workspace: 'acme' },
    // @ts-expect-error a name is a string
    body: { data: { type: 'workspace', attributes: { name: 1 } } },
  })
  const { error, data } = await usersList({ path: { workspace: 'acme' } })
  // @ts-expect-error the set of codes is closed
  assert.notEqual(error?.errors[0]?.code === 'no_such_code', true)
  // @ts-expect-error a user has no such attribute
  assert.equal(data?.data[0]?.attributes.nickname, undefined)
}
