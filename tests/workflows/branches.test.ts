import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { recordsOf } from '../harness/records.ts'
import { workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const records = recordsOf(app)
const workflows = workflowsOf(app)

const amount = (operator: string, value?: number) => ({
  field: 'state.event.object.data.amount',
  condition: { operator, ...(value !== undefined && { value }) },
})

const branching = (filters: object[]) => ({
  name: 'By amount',
  enabled: true,
  trigger: { plugin_id: 'on:manual:execution', input: { object: 'deal' }, next: 'which' },
  blocks: {
    which: {
      plugin_id: 'general:branch',
      input: { branches: [{ label: 'Large', filters, next: 'large' }] },
      prev: 'trigger',
      next: 'small',
    },
    large: {
      plugin_id: 'svc:update:record',
      input: { object: 'deal', record_id: '{{trigger.state.event.object._id}}', attributes: { stage: 'Proposal' } },
      prev: 'which',
      next: null,
    },
    small: {
      plugin_id: 'svc:create:comment',
      input: { object: 'deal', record_id: '{{trigger.state.event.object._id}}', message: 'Small.' },
      prev: 'which',
      next: null,
    },
  },
})

test('goes the way of the first branch that fits, and else goes on', async () => {
  const { id } = await workflows.create(branching([amount('Greater than', 1000)]))
  const ways = []
  for (const value of [5000, 10]) {
    const deal = await records.create('deal', { name: `Of ${value}`, amount: value })
    const { body } = await app.api.post(`${workflows.path}/${id}/runs`, {
      body: { object: 'deal', record_id: deal.id },
    })
    const { attributes } = await workflows.runIn(body.data.id)
    expect(attributes.error).toBeNull()
    ways.push(attributes.steps.map(({ block_id, output }: { block_id: string; output: unknown }) => [block_id, output]))
  }
  expect(ways).toMatchObject([
    [
      ['which', { branch: 'Large' }],
      ['large', { record: { attributes: { stage: 'Proposal' } } }],
    ],
    [
      ['which', { branch: null }],
      ['small', { comment_id: expect.any(String) }],
    ],
  ])
})

test.each([
  [amount('Larger than', 1), '/blocks/which/input/branches/0/filters/0/condition/operator'],
  [amount('Greater than'), '/blocks/which/input/branches/0/filters/0/condition/value'],
  [{ ...amount('Is', 1), field: 'large.state.output.record' }, '/blocks/which/input/branches/0/filters/0/field'],
  [{ ...amount('Is', 1), field: 'state.event.object.data.nothing' }, '/blocks/which/input/branches/0/filters/0/field'],
])('is refused with the filter %j', async (filter, pointer) => {
  const { status, body } = await app.api.post(workflows.path, { body: branching([filter]) })
  expect([status, body.errors.map(({ source }: { source: unknown }) => source)]).toEqual([422, [{ pointer }]])
})
