import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { conflict, listQuery, onePage, person } from './answers.ts'
import {
  recordsCreate,
  recordsRemoveMany,
  resourcesList,
  workspacesUpdate,
  type CrmRecord,
  type ErrorCode,
  type ResourcesListParams,
} from './generated/orval.ts'
import { recorder } from './recorder.ts'

const original = globalThis.fetch
afterEach(() => void (globalThis.fetch = original))

/** The client that orval writes calls the global `fetch`. */
function answering(answer: unknown, status?: number) {
  const { fetch, sent } = recorder(answer, status)
  globalThis.fetch = fetch
  return sent
}

const options = { headers: { Authorization: 'api-key pk_test', 'Idempotency-Key': 'k1' } }

/** It writes an object as one value, so conditions stand beside the other parameters. */
const conditions: object = { 'filter[job_title][Contains]': 'a & b', 'filter[amount][Greater than]': 5000 }

void test('a list is filtered, sorted and typed', async () => {
  const sent = answering(onePage)
  const params: ResourcesListParams = { 'page[limit]': 10, 'sortOrder[column]': 'name', 'sortOrder[dir]': 'ASC' }
  const answer = await resourcesList('acme', 'person', { ...params, ...conditions }, options)
  assert.ok(answer.status === 200)
  const record: CrmRecord | undefined = answer.data.data[0]
  assert.equal(record?.attributes.job_title, 'Senator')
  const next: string | null | undefined = answer.data.links.next
  assert.equal(next, null)
  assert.deepEqual(sent[0]?.query, listQuery)
  assert.equal(sent[0]?.path, '/v1/workspaces/acme/objects/person/resources')
  assert.equal(sent[0]?.authorization, 'api-key pk_test')
})

void test('DELETE carries its body', async () => {
  const sent = answering({})
  await recordsRemoveMany('acme', 'person', { items: ['p1'] }, { silent: true }, options)
  assert.deepEqual(sent[0]?.body, { items: ['p1'] })
  assert.deepEqual(sent[0]?.query, [['silent', 'true']])
  assert.equal(sent[0]?.idempotencyKey, 'k1')
})

void test('an error has its closed code', async () => {
  answering(conflict, 409)
  const answer = await recordsCreate('acme', 'person', { data: { type: 'person', attributes: person.attributes } })
  const code: ErrorCode | undefined = answer.status === 409 ? answer.data.errors[0]?.code : undefined
  assert.equal(code, 'unique_violation')
})

/** Never run: what must not compile. */
export async function mustNotCompile() {
  // @ts-expect-error a direction is ASC or DESC
  await resourcesList('acme', 'person', { 'sortOrder[dir]': 'UP' })
  // @ts-expect-error a limit is a number
  await resourcesList('acme', 'person', { 'page[limit]': '10' })
  // @ts-expect-error a name is a string
  await workspacesUpdate('acme', { data: { type: 'workspace', attributes: { name: 1 } } })
}
