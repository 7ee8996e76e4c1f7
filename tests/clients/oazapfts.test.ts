import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conflict, listQuery, onePage, person } from './answers.ts'
import {
  recordsCreate,
  recordsRemoveMany,
  resourcesList,
  workspacesUpdate,
  type ErrorCode,
} from './generated/oazapfts.ts'
import { recorder } from './recorder.ts'

const optionsOn = (fetch: typeof globalThis.fetch) => ({
  baseUrl: 'http://kontor.test/v1',
  fetch,
  headers: { Authorization: 'api-key pk_test' },
})

void test('a list is filtered, sorted and typed', async () => {
  const { fetch, sent } = recorder(onePage)
  const filter = { 'filter[job_title][Contains]': 'a & b', 'filter[amount][Greater than]': 5000 }
  const question = { pageLimit: 10, sortOrderColumn: 'name', sortOrderDir: 'ASC', filter } as const
  const answer = await resourcesList('acme', 'person', question, optionsOn(fetch))
  assert.ok(answer.status === 200)
  assert.equal(answer.data.data[0]?.attributes.job_title, 'Senator')
  const next: string | null | undefined = answer.data.links.next
  assert.equal(next, null)
  assert.deepEqual(sent[0]?.query, listQuery)
  assert.equal(sent[0]?.path, '/v1/workspaces/acme/objects/person/resources')
  assert.equal(sent[0]?.authorization, 'api-key pk_test')
})

void test('DELETE carries its body', async () => {
  const { fetch, sent } = recorder({})
  const parameters = { silent: true, idempotencyKey: 'k1' }
  await recordsRemoveMany('acme', 'person', { items: ['p1'] }, parameters, optionsOn(fetch))
  assert.deepEqual(sent[0]?.body, { items: ['p1'] })
  assert.deepEqual(sent[0]?.query, [['silent', 'true']])
  assert.equal(sent[0]?.idempotencyKey, 'k1')
})

void test('an error has its closed code', async () => {
  const body = { data: { type: 'person', attributes: person.attributes } }
  const answer = await recordsCreate('acme', 'person', body, {}, optionsOn(recorder(conflict, 409).fetch))
  const code: ErrorCode | undefined = answer.status === 409 ? answer.data.errors[0]?.code : undefined
  assert.equal(code, 'unique_violation')
})

/** Never run: what must not compile. */
export async function mustNotCompile() {
  // @ts-expect-error a direction is ASC or DESC
  await resourcesList('acme', 'person', { sortOrderDir: 'UP' })
  // @ts-expect-error a limit is a number
  await resourcesList('acme', 'person', { pageLimit: '10' })
  // @ts-expect-error a name is a string
  await workspacesUpdate('acme', { data: { type: 'workspace', attributes: { name: 1 } } })
}
