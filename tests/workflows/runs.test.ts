import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const records = recordsOf(app)
const workflows = workflowsOf(app)

const onDeal = { plugin_id: 'on:svc:create:record', input: { object: 'deal' } }

test('runs its blocks one after another when its trigger happens', async () => {
  const { id } = await workflows.create({
    name: 'Remind',
    enabled: true,
    ...chain(
      { ...onDeal, filters: [{ field: 'state.event.object.data.amount', condition: { operator: 'gt', value: 1000 } }] },
      {
        key: 'task',
        plugin_id: 'svc:create:record',
        input: {
          object: 'task',
          attributes: {
            title: 'Call about {{trigger.state.event.object.data.name}}',
            deal_id: '{{trigger.state.event.object._id}}',
          },
        },
      },
      {
        key: 'mark',
        plugin_id: 'svc:update:record',
        input: {
          object: 'task',
          record_id: '{{task.state.output.record.id}}',
          attributes: { priority: 'High' },
        },
      },
    ),
  })
  await records.create('deal', { name: 'Small', amount: 10 })
  const deal = await records.create('deal', { name: 'Large', amount: 5000 })
  const [run] = await workflows.endedRuns(id)
  expect(run?.attributes).toMatchObject({
    status: 'success',
    record_id: deal.id,
    object: 'deal',
    depth: 1,
    error: null,
  })
  const { attributes } = await workflows.run(run?.id)
  expect(attributes.steps.map(({ block_id, status, attempts }: Json) => [block_id, status, attempts])).toEqual([
    ['task', 'success', 1],
    ['mark', 'success', 1],
  ])
  const task = attributes.steps[0].output.record
  expect(task.attributes).toMatchObject({ title: 'Call about Large', deal_id: deal.id })
  const { body } = await app.api.get(`/workspaces/acme/objects/task/resources/${task.id}`)
  expect(body.data.attributes).toMatchObject({ priority: 'High', _created_by: app.userIds.admin })
})
