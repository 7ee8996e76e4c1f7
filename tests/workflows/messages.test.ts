import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { freshAddress, recordsOf } from '../harness/records.ts'
import { schemasOf } from '../harness/schemas.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const records = recordsOf(app, 'admin')
const { create, run, endedRuns, path } = workflowsOf(app)
await app.api.post('/workspaces/acme/settings', { body: { key: 'time_zone', value: 'Europe/Berlin' } })

const body = 'trigger.state.event.data.body'
const inbound = { plugin_id: 'on:svc:automation-webhook' }
const object = await schemasOf(app).make({
  name: { type: 'string', xSvcPrimary: true },
  amount: { type: 'number' },
  topics: { xSvcType: 'multi_select', enum: ['A', 'B'] },
  at: { type: 'string', format: 'date-time' },
  done: { type: 'boolean' },
})

/** Sends messages, JSON or forms, to a workflow of one block; what its runs came to. */
async function sending(block: Json, ...messages: readonly object[]): Promise<Json[]> {
  const { id } = await create({ name: 'Take', enabled: true, ...chain(inbound, { key: 'take', ...block }) })
  for (const [index, message] of messages.entries()) {
    const isForm = message instanceof URLSearchParams
    const type = isForm ? { 'content-type': 'application/x-www-form-urlencoded' } : {}
    const sent = isForm ? message.toString() : message
    await app.api.post(`/webhooks/workflows/acme/${id}`, { as: 'anonymous', body: sent, headers: type })
    await endedRuns(id, index + 1)
  }
  return Promise.all((await endedRuns(id, messages.length)).map(async (one) => (await run(one.id)).attributes))
}

const writing = (plugin_id: string, attributes: Json, more: Json = {}) => ({
  plugin_id,
  input: { object, attributes, ...more },
})

test.for(['svc:update:record', 'svc:upsert:record'])(
  'what a message does not mention stays, and what is null in it is cleared: %s',
  async (plugin_id) => {
    const [email, kept] = [freshAddress(), { first_name: 'Ada', last_name: 'King' }]
    const before = { email_addresses: { items: [email] }, job_title: 'Countess', name: kept }
    const person = await records.create('person', before)
    const attributes = {
      email_addresses: { items: [`{{${body}.email}}`] },
      job_title: `{{${body}.title}}`,
      name: { first_name: `{{${body}.first}}`, last_name: `{{${body}.last}}` },
      linkedin: `{{${body}.url | default:"https://www.linkedin.com/in/ada"}}`,
    }
    const isUpsert = plugin_id === 'svc:upsert:record'
    const to = isUpsert ? { match_on: 'email_addresses' } : { record_id: person.id }
    const block = { plugin_id, input: { object: 'person', attributes, ...to } }
    const known = isUpsert ? { email } : {}
    const now = async () => (await records.get('person', person.id)).body.data.attributes
    const [first] = await sending(block, known)
    expect(first).toMatchObject({ status: 'success' })
    expect(await now()).toMatchObject({ ...before, linkedin: 'https://www.linkedin.com/in/ada' })
    const [second] = await sending(block, { ...known, title: null })
    expect(second).toMatchObject({ status: 'success', steps: [{ input: { attributes: { job_title: null } } }] })
    expect(await now()).toMatchObject({ ...before, job_title: null })
  },
)

const form = (given: Json) =>
  new URLSearchParams(Object.entries<string>(given).map(([name, value]): [string, string] => [`Your ${name}`, value]))

test('values of a form are fitted to numbers, lists, checkboxes and times of the workspace', async () => {
  const fields = ['name', 'amount', 'topics', 'at', 'done']
  const attributes = Object.fromEntries(fields.map((name) => [name, `{{${body}["Your ${name}"]}}`]))
  const made = await sending(
    writing('svc:create:record', attributes),
    form({ name: '007', amount: '4200.50', topics: 'A', at: '2026-07-01T09:00', done: 'true' }),
    { 'Your name': 7, 'Your topics': ['B', 'A'], 'Your at': '2026-07-01T09:00:30+0900' },
    form({ name: 'Empty', amount: '', topics: '', at: ' ', done: 'on' }),
  )
  expect(made.map(({ steps: [step] }) => step.output?.record.attributes ?? step.error)).toMatchObject([
    { name: '007', amount: 4200.5, topics: { items: ['A'] }, at: '2026-07-01T07:00:00.000Z', done: true },
    { name: '7', amount: null, topics: { items: ['B', 'A'] }, at: '2026-07-01T00:00:30.000Z', done: null },
    { name: 'Empty', amount: null, topics: { items: [] }, at: null, done: true },
  ])
})

const condition = (field: string, value: string) => ({ field: `state.event.data.body.${field}`, op: 'Is', value })
const when = (key: string, filter: Json) => ({ key, filter, next: null })

test('records are found by a time without a zone, which is one of the workspace', async () => {
  const early = await records.create(object, { name: 'Early', at: '2026-03-01T07:59:59.000Z' })
  await records.create(object, { name: 'Late', at: '2026-03-01T08:00:00.000Z' })
  const filter = {
    and: [
      { field: 'at', op: 'Is before', value: `{{${body}.at}}` },
      { field: 'at', op: 'Is after', value: '2026-01-01' },
    ],
  }
  const [found] = await sending(
    { plugin_id: 'svc:find:records', input: { object, filter } },
    { at: '2026-03-01T09:00' },
  )
  expect(found?.['steps'][0].output).toMatchObject({ total: 1, records: [{ id: early.id }] })
})

test('a default counts in conditions, as the step shows it', async () => {
  const branch = {
    plugin_id: 'general:branch',
    input: {
      branches: [
        when('large', { ...condition('n', `{{${body}.limit | number | default:5}}`), op: 'Greater than' }),
        when('tier', condition('tier', `{{${body}["Wanted tier"] | default:"gold"}}`)),
        when('none', condition('tier', `{{${body}.missing}}`)),
      ],
    },
    filters: [{ field: 'state.event.type', condition: { operator: 'Is not', value: `{{${body}.no | default:"x"}}` } }],
  }
  const ended = await sending(
    branch,
    { n: 6 },
    { n: 6, limit: '7' },
    { tier: 'Gold' },
    { tier: 'Tin', 'Wanted tier': 'tin' },
  )
  expect(ended.map(({ steps: [step] }) => [step.output.branch, step.unresolved])).toEqual([
    ['large', []],
    [null, [`${body}.missing`]],
    ['tier', []],
    ['tier', []],
  ])
})

test('a lone variable is text where only text fits, and dates use the time zone of the workspace', async () => {
  const code = 'export const handler = (input) => input'
  const [ended] = await sending(
    { plugin_id: 'svc:create:comment', input: { object: 'person', record_id: `{{${body}.id}}`, message: 'x' } },
    { id: 5 },
  )
  expect(ended?.['steps'][0].input.record_id).toBe('5')
  const text = `Due {{${body}.at | date:"d MMMM yyyy, HH:mm"}}, {{${body}.day | date:"EEEE" | default:"some day"}}`
  const [told] = await sending(
    { plugin_id: 'code:execute', input: { code, input: { text, numbers: `{{${body}.at | list}}` } } },
    { at: '2026-07-01T22:30:00Z' },
  )
  expect(told?.['steps'][0].output).toEqual({
    text: 'Due 2 July 2026, 00:30, some day',
    numbers: ['2026-07-01T22:30:00Z'],
  })
})

test('a filter that cannot take a value fails the step, and names the variable', async () => {
  const [ended] = await sending(writing('svc:create:record', { name: 'x', amount: `{{${body}.n | number}}` }), {
    n: '5 EUR',
  })
  expect(ended?.['error']).toMatchObject({
    code: 'invalid_input',
    detail: `{{${body}.n | number}}: "5 EUR" is not a number that can be stored exactly.`,
  })
})

test('an input that needs a value fails with the variable that has none', async () => {
  const mail = { plugin_id: 'svc:send:email', input: { to: `{{${body}.to}}`, subject: `{{${body}.about}}`, text: 'x' } }
  const [nobody, sent] = await sending(mail, { about: 'x' }, { to: 'ada@example.com', about: 'x' })
  expect(nobody?.['error']).toMatchObject({
    code: 'invalid_input',
    detail: `\`to\`: Must be a string or an array. {{${body}.to}} has no value.`,
  })
  expect(sent?.['status']).toBe('success')
})

test.for(['{{first name}}', 'Dear {{', '{{}}', '{{name | upper}}', `{{${body}.x | date}}`])(
  'text that begins like a variable and is none is refused: %s',
  async (name) => {
    const graph = (text: string) => chain(inbound, { key: 'take', ...writing('svc:create:record', { name: text }) })
    const refused = await app.api.post(path, { body: { name: 'Wrong', enabled: true, ...graph(name) } })
    expect([refused.status, refused.body.errors]).toMatchObject([
      422,
      [{ source: { pointer: '/blocks/take/input/attributes/name' }, detail: expect.stringContaining('\\{{') }],
    ])
    await create({ name: 'Right', enabled: true, ...graph(name.replace('{{', '\\{{')) })
    await create({ name: 'Draft', ...graph(name) })
    const filters = [{ field: 'state.event.type', condition: { operator: 'Is', value: name } }]
    const filtered = { name: 'Wrong', enabled: true, trigger: { ...inbound, filters } }
    expect((await app.api.post(path, { body: filtered })).body.errors).toMatchObject([
      { source: { pointer: '/trigger/filters/0/condition/value' } },
    ])
  },
)
