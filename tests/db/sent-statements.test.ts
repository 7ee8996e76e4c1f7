import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { recordsOf } from '../harness/records.ts'

// Each statement costs a message, and work on both sides (docs/decisions/0366): what is sent is what a write costs.

const app = await startApp({ standingStill: true })
const records = recordsOf(app)

/** The statements of some work, each by the tables that it names. */
async function sentBy(work: () => Promise<unknown>): Promise<string[]> {
  const sent: string[] = []
  const hear = (message: unknown) => {
    const text = (message as { readonly text: string }).text.replaceAll('"', '')
    sent.push([...text.matchAll(/\b(?:from|into|update) ([a-z_]+)|kontor_\w+/g)].map(([all]) => all).join(', '))
  }
  subscribe('kontor:statement', hear)
  await work()
  unsubscribe('kontor:statement', hear)
  return sent
}

test('a change reads its record once, which has the end of its feed, and writes one statement', async () => {
  const { id } = await records.create('person', {})
  const change = () => records.patch('person', id, { linkedin: 'https://www.linkedin.com/in/ada' })
  expect(await sentBy(change)).toEqual([
    'from kontor_begin_change',
    'from record',
    'from workspace',
    'update record, into outbox, into activity',
  ])
})

test('a change of searched words writes them in that statement', async () => {
  const { id } = await records.create('person', { job_title: 'Analyst' })
  expect(await sentBy(() => records.patch('person', id, { job_title: 'Engineer' }))).toEqual([
    'from kontor_begin_change',
    'from record',
    'from workspace',
    'update record, into outbox, into activity, update search_document',
  ])
})

test('a create reads no settings, and the schema epoch once', async () => {
  const { id } = await records.create('company', {})
  const create = () => records.create('person', { phone_numbers: { items: ['030 123456'] }, company_id: id })
  await create()
  expect(await sentBy(create)).toEqual([
    'from kontor_begin_change',
    'from record',
    'from workspace',
    'into record, into link, into record_count_delta, from unnest, into outbox, into activity, into field_text, ' +
      'into search_document',
  ])
})

test('a create reads no feed, and writes one statement', async () => {
  await records.create('company', {})
  expect(await sentBy(() => records.create('company', {}))).toEqual([
    'from kontor_begin_change',
    'from workspace',
    'into record, into record_count_delta, into outbox, into activity, into field_text, into search_document',
  ])
})
