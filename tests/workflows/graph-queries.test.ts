import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const { path } = workflowsOf(app)

const onDeal = { plugin_id: 'on:svc:create:record', input: { object: 'deal' } }

const enable = (...blocks: Json[]) =>
  app.api.post(path, { body: { name: 'Checked', enabled: true, ...chain(onDeal, ...blocks) } })

const faultsOf = ({ body }: Json): Json[] =>
  (body.errors ?? []).map(({ source, detail }: Json) => [source.pointer, detail])

const finding = (input: Json) => ({ key: 'find', plugin_id: 'svc:find:records', input: { object: 'deal', ...input } })
const at = '/blocks/find/input'
const variable = '{{trigger.state.event.object.data.name}}'

test.for<[string, Json, string, string]>([
  ['a field', { filter: { field: 'stages', op: 'Is', value: 'Won' } }, `${at}/filter`, 'stage'],
  [
    'a field deep in a tree, though its value is a variable',
    { filter: { or: [{ not: { field: 'wings', op: 'Is', value: variable } }] } },
    `${at}/filter/or/0/not`,
    'wings',
  ],
  ['an operator', { filter: { field: 'amount', op: 'Starts with', value: variable } }, `${at}/filter`, 'Starts with'],
  ['a value', { filter: { field: 'stage', op: 'Is', value: 'Won!' } }, `${at}/filter`, 'Won'],
  [
    'the field of an order',
    {
      sort: [
        { column: 'name', dir: 'ASC' },
        { column: 'wings', dir: 'ASC' },
      ],
    },
    `${at}/sort/1/column`,
    'wings',
  ],
])('a search that names what there is not: %s', async ([, input, pointer, named]) => {
  const answer = await enable(finding(input))
  expect([answer.status, faultsOf(answer)]).toEqual([422, [[pointer, expect.stringContaining(named)]]])
})

test('a search is asked for along relationships, with values that only the run knows', async () => {
  const filter = {
    and: [
      { field: 'company_id.name', op: 'Is', value: variable },
      { field: 'stage', op: 'Is', value: variable },
      { field: '_created_at', op: 'Within', value: 'this_month' },
    ],
  }
  expect((await enable(finding({ filter, sort: [{ column: '_created_at', dir: 'DESC' }] }))).status).toBe(201)
})

const waiting = {
  key: 'wait',
  plugin_id: 'general:wait:event',
  input: { plugin_id: 'on:svc:create:record', input: { object: 'task' }, record_id: null },
}
const commenting = (text: string) => ({
  key: 'say',
  plugin_id: 'svc:create:comment',
  input: { object: 'deal', record_id: '{{trigger.state.event.object._id}}', message: text },
})

test('what a block has waited for is known by the trigger that stands for it', async () => {
  const event = 'wait.state.output.event'
  expect((await enable(waiting, commenting(`{{${event}.object.data.title}} {{${event}.type}}`))).status).toBe(201)
  for (const wrong of [`${event}.object.data.stage`, `${event}.event.type`]) {
    const answer = await enable(waiting, commenting(`{{${wrong}}}`))
    expect([answer.status, faultsOf(answer)]).toEqual([
      422,
      [['/blocks/say/input/message', expect.stringContaining(wrong)]],
    ])
  }
})
