import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const records = recordsOf(app)
const { create, run, runs, settled } = workflowsOf(app)

const follow = async (value: string): Promise<string> => {
  const field = 'state.event.object.data.stage'
  const filters = [{ field, condition: { operator: 'Is', value } }]
  const trigger = { plugin_id: 'on:svc:update:record', input: { object: 'deal', fields: ['stage'] }, filters }
  return (await create({ name: value, enabled: true, trigger })).id
}

test('a filter judges the change that it was told of, however soon the next one follows', async () => {
  const ids = [await follow('Won'), await follow('Lost')]
  const deal = await records.create('deal', { name: 'Quick', stage: 'Lead' })
  // No event is read before the first wait: all of this is one batch.
  await records.patch('deal', deal.id, { stage: 'Won' })
  await records.patch('deal', deal.id, { stage: 'Lost', name: 'Quicker' })
  await records.patch('deal', deal.id, { stage: 'Lead' })
  await records.remove('deal', [deal.id])
  await settled()
  const begun = await Promise.all(
    ids.map(async (id) => Promise.all((await runs(id)).map(async (one): Promise<Json> => run(one.id)))),
  )
  expect(begun.map((some) => some.map(({ attributes }) => attributes.trigger.state.event.object))).toMatchObject([
    [{ _id: deal.id, data: { stage: 'Won', name: 'Quick' } }],
    [{ _id: deal.id, data: { stage: 'Lost', name: 'Quicker' } }],
  ])
})
