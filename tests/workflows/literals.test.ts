import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, recordsPath, unknownId } from '../harness/records.ts'
import { schemasOf } from '../harness/schemas.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const records = recordsOf(app, 'admin')
const { create, path, runIn } = workflowsOf(app)

const byHand = { plugin_id: 'on:manual:execution' }
const object = await schemasOf(app).make({
  name: { type: 'string', xSvcPrimary: true, maxLength: 10 },
  amount: { type: 'number', minimum: 5 },
  stage: { type: 'string', enum: ['Lead', 'Won'] },
  at: { type: 'string', format: 'date-time' },
  site: { type: 'string', format: 'uri' },
})

/** The faults of a graph, by their places below the node. */
async function faultsOf(graph: Json): Promise<Record<string, string>> {
  const { status, body } = await app.api.post(path, { body: { name: 'Checked', enabled: true, ...graph } })
  expect(status).toBe(422)
  return Object.fromEntries(
    body.errors.map(({ source, detail }: Json) => [source.pointer.replace(/^\/(blocks\/)?[^/]*\//, ''), detail]),
  )
}

const block = (plugin_id: string, input: Json) => chain(byHand, { key: 'do', plugin_id, input })

const wrong = { amount: 'much', stage: 'Wonn', at: 'soon', site: 'nowhere' }
const told = {
  'input/attributes/amount': 'Must be a number.',
  'input/attributes/stage': 'Must be one of: Lead, Won.',
  'input/attributes/at': 'Must be an ISO 8601 timestamp with a zone, for example 2026-01-31T09:30:00Z.',
  'input/attributes/site': expect.stringContaining('Must be'),
}

test('literal attributes are refused as in records, when the workflow is enabled', async () => {
  const answer = await app.api.post(recordsPath(object), { body: { data: { type: object, attributes: wrong } } })
  const asRecord = Object.fromEntries(
    answer.body.errors.map(({ source, detail }: Json) => [source.pointer.replace('/data', 'input'), detail]),
  )
  expect(asRecord).toMatchObject(told)
  expect(await faultsOf(block('svc:create:record', { object, attributes: wrong }))).toEqual(asRecord)
  expect(await faultsOf(block('svc:update:record', { object, record_id: unknownId, attributes: wrong }))).toEqual(
    asRecord,
  )
  const untitled = { object: 'task', attributes: { title: null } }
  const titleless = { 'input/attributes/title': 'Title is required.' }
  expect(await faultsOf(block('svc:create:record', { ...untitled, attributes: {} }))).toEqual(titleless)
  expect(await faultsOf(block('svc:update:record', { ...untitled, record_id: unknownId }))).toEqual(titleless)
  expect(
    await faultsOf(
      block('svc:upsert:record', { object: 'person', match_on: 'email_addresses', attributes: { linkedin: 5 } }),
    ),
  ).toEqual({
    'input/attributes/linkedin': expect.stringContaining('Must be'),
    'input/attributes': expect.stringContaining('email_addresses'),
  })
  expect(
    await faultsOf(block('svc:create:record', { object, attributes: { name: 'x'.repeat(11), amount: 4 } })),
  ).toMatchObject({
    'input/attributes/name': expect.stringContaining('10'),
    'input/attributes/amount': expect.stringContaining('5'),
  })
  const open = {
    name: '{{trigger.state.event.type}}',
    amount: '{{trigger.state.event.type | number}}',
    at: '2026-07-01T09:00',
  }
  await create({ name: 'Right', enabled: true, ...block('svc:create:record', { object, attributes: open }) })
  await create({ name: 'Draft', ...block('svc:create:record', { object, attributes: wrong }) })
})

// A tenth of the limit with a check that is linear, three times the limit with one that is quadratic.
test('checking the variables of a graph takes time in proportion to its size', { timeout: 10_000 }, async () => {
  const input = { url: 'https://example.com', body: { text: '{{trigger.state.event.data.body.a}}'.repeat(2000) } }
  const blocks = Array.from({ length: 13 }, (_, index) => ({
    key: `send${index}`,
    plugin_id: 'webhook:send:outbound',
    input,
  }))
  await create({ name: 'Wordy', enabled: true, ...chain({ plugin_id: 'on:svc:automation-webhook' }, ...blocks) })
})

const field = (name: string) => `state.event.object.data.${name}`

test('a condition with a literal that its field can never have is refused', async () => {
  const given: [string, string, Json][] = [
    ['stage', 'Is', 'Wonn'],
    ['stage', 'Changed to', 'Wonn'],
    ['stage', 'One of', ['won', 'Wonn']],
    ['amount', 'Greater than', 'much'],
    ['at', 'Is before', 'soon'],
    ['stage', 'Is', 'won'],
    ['stage', 'Contains', 'on'],
    ['amount', 'Is', '5.0'],
    ['at', 'Is after', '2026-07-01T09:00'],
    ['stage', 'Is', '{{trigger.state.event.object.data.name}}'],
    ['stage', 'Is', null],
  ]
  const filters = given.map(([name, operator, value]) => ({ field: field(name), condition: { operator, value } }))
  const trigger = { plugin_id: 'on:svc:update:record', input: { object }, filters }
  expect(await faultsOf({ trigger })).toEqual({
    'filters/0/condition/value': 'stage must be one of: Lead, Won.',
    'filters/1/condition/value': 'stage must be one of: Lead, Won.',
    'filters/2/condition/value/1': 'stage must be one of: Lead, Won.',
    'filters/3/condition/value': 'amount must be a number.',
    'filters/4/condition/value': 'at must be a date or a time.',
  })
})

test.for<[string, string]>([
  ['http://10.0.0.1/hook', 'not public'],
  ['http://10.0.0.1/{{trigger.state.event.type}}', 'not public'],
  ['ftp://example.com/', 'http or https'],
  ['nowhere', 'http or https'],
])('a URL that no request goes to is refused: %s', async ([url, why]) => {
  expect(await faultsOf(block('webhook:send:outbound', { url }))).toEqual({ 'input/url': expect.stringContaining(why) })
})

test('ids, headers and periods that can never be are refused', async () => {
  const record = { object, record_id: 'nothing' }
  const named = 'Must be the id of a record, or {"match": {"<unique field>": value}}.'
  expect(await faultsOf(block('svc:delete:record', record))).toEqual({ 'input/record_id': named })
  expect(await faultsOf(block('svc:create:comment', { ...record, message: 'Hi' }))).toEqual({
    'input/record_id': named,
  })
  expect(
    await faultsOf(
      block('svc:set-relationship', { ...record, object: 'deal', relationship: 'company_id', ids: ['x'] }),
    ),
  ).toEqual({ 'input/record_id': named, 'input/ids/0': named })
  const click = { plugin_id: 'on:email:click', input: { workflow_id: unknownId } }
  expect(await faultsOf({ trigger: click })).toEqual({
    'input/workflow_id': 'There is no workflow or campaign with this id.',
  })
  const headers = { 'Bad Header': 'x', Host: '{{trigger.state.event.type}}', 'X-Good': 'x', 'X-Price': '5 €' }
  expect(await faultsOf(block('webhook:send:outbound', { url: 'https://example.com', headers }))).toEqual({
    'input/headers/Bad Header': expect.stringContaining('letters, digits and hyphens'),
    'input/headers/Host': 'The header "Host" is set by the connection.',
    'input/headers/X-Price': expect.stringContaining('encode them'),
  })
  const within = { field: field('at'), condition: { operator: 'Within', value: 'next wek' } }
  expect(
    await faultsOf({ trigger: { plugin_id: 'on:svc:update:record', input: { object }, filters: [within] } }),
  ).toEqual({ 'filters/0/condition/value': expect.stringMatching(/^"Within" requires a period: yesterday, today, /) })
  const branch = { key: 'a', filter: { field: 'state.event.type', op: 'Is', value: 'x' }, next: 'gone' }
  expect(await faultsOf(block('general:branch', { branches: [branch] }))).toEqual({
    'input/branches/0/next': 'There is no block "gone".',
  })
})

test('inputs of blocks are refused in words of ours, with what was meant', async () => {
  expect(await faultsOf(block('svc:create:record', { objekt: object, attributes: [] }))).toEqual({
    'input/object': 'Is missing; must be a string.',
    'input/attributes': 'Must be an object.',
    'input/objekt': 'Unknown member "objekt". Did you mean "object"?',
  })
  expect(await faultsOf(block('svc:send:email', { to: 5, text: 'x' }))).toEqual({
    'input/to': 'Must be a string or an array.',
    'input/subject': 'Is missing; must be a string.',
  })
})

test('a failed step names each field and all that is wrong with it', async () => {
  const attributes = Object.fromEntries(
    Object.keys(wrong).map((name) => [name, `{{trigger.state.event.data.${name}}}`]),
  )
  const { id } = await create({
    name: 'Fail',
    enabled: true,
    ...block('svc:create:record', { object, attributes: { ...attributes, name: 'x' } }),
  })
  const begun = await app.api.post(`${path}/${id}/runs`, { body: { data: wrong } })
  const { error, steps } = (await runIn(begun.body.data.id)).attributes
  expect(error).toMatchObject({ code: 'invalid_body', block_id: 'do' })
  expect(steps[0].error).toEqual(error)
  for (const name of ['amount', 'stage', 'at', 'site'])
    expect(error.detail).toContain(`\`attributes.${name}\`: Must be`)
  const delay = block('general:delay:until', {
    at: '{{trigger.state.event.data.at}}',
    time: '{{trigger.state.event.data.at}}',
  })
  const waiting = await create({ name: 'Wait', enabled: true, ...delay })
  const late = await app.api.post(`${path}/${waiting.id}/runs`, { body: { data: wrong } })
  expect((await runIn(late.body.data.id)).attributes.error).toMatchObject({
    code: 'invalid_input',
    detail: '`at`: Must be a date or a time such as 2026-12-31T09:00. `time`: Must be a time such as 09:00.',
  })
  expect((await records.list(object)).body.data).toEqual([])
})

test('code that is nested too deeply is refused, and the types of the next program are read', async () => {
  const code = `export const handler = () => ${'('.repeat(90_000)}`
  expect(await faultsOf(block('code:execute', { code }))).toEqual({
    'input/code': 'The code cannot be read: It is nested too deeply to process.',
  })
  const typed = { code: 'export const handler = (input: { readonly id: string }) => input.id' }
  await create({ name: 'Typed', enabled: true, ...block('code:execute', typed) })
})

const agents = '/workspaces/acme/agents'

test.for<[string, string]>([
  ['export const handler = () => {', 'SyntaxError'],
  ['export const other = 1', 'exports no function `handler`'],
  ["import fs from 'fs'\nexport const handler = () => fs", 'no module'],
  ['enum A { B }\nexport const handler = () => A.B', 'enum'],
])('code that cannot run is refused without running it: %s', async ([code, why]) => {
  const graph = block('code:execute', { code })
  expect(await faultsOf(graph)).toEqual({ 'input/code': expect.stringContaining(why) })
  const draft = await create({ name: 'Draft', ...graph })
  const enabling = await app.api.patch(`${path}/${draft.id}`, { body: { enabled: true } })
  expect([enabling.status, enabling.body.errors[0].source]).toEqual([422, { pointer: '/enabled' }])
  const agent = await app.api.post(agents, { body: { name: 'Wrong', enabled: true, code, scopes: [] } })
  expect([agent.status, agent.body.errors]).toMatchObject([
    422,
    [{ source: { pointer: '/code' }, detail: expect.stringContaining(why) }],
  ])
  const trial = await app.api.post(`${path}/${draft.id}/runs`, { body: { dry_run: true } })
  expect([trial.status, trial.body.errors[0].source]).toEqual([422, { pointer: '/dry_run' }])
  const sketch = await app.api.post(agents, { body: { name: 'Wrong', code, scopes: [] } })
  const tried = await app.api.post(`${agents}/${sketch.body.data.id}/runs`, { body: { dry_run: true } })
  expect([tried.status, tried.body.errors[0].source]).toEqual([422, { pointer: '/dry_run' }])
  await app.api.patch(`${path}/${draft.id}`, {
    body: { ...block('code:execute', { code: 'export const handler = () => 1' }), enabled: true },
  })
  const restored = await app.api.post(`${path}/${draft.id}/versions/1/restore`, {})
  expect([restored.status, restored.body.errors[0].detail]).toEqual([422, expect.stringContaining(why)])
})

test('code that throws, or never ends, where it is read is not run when it is enabled', async () => {
  const code = 'let n: number = 1\nfor (;;) n += 1\nexport function handler() { return n }'
  await create({ name: 'Endless', enabled: true, ...block('code:execute', { code }) })
})
