import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { receiver } from '../harness/receiver.ts'
import { recordsOf } from '../harness/records.ts'
import { webhooksOf } from '../harness/webhooks.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const { api } = app
const hooks = webhooksOf(app)
const records = recordsOf(app)
const workflows = workflowsOf(app)

const O = '/workspaces/acme/objects'
const won = { field: 'stage', op: 'Is', value: 'Won' }
const remove = (id: string) => api.delete(`${O}/deal/records/${id}`)
/** Lets everything so far be looked at and sent. The jobs begin after the changes: all of these are read at once. */
const quiet = async () => {
  await app.startJobs()
  await app.idle()
  await app.quiet()
}
const sentTo = ({ got }: { got: readonly { body: Json }[] }) =>
  got.map(({ body }) => [body.type, body.record_id, body.data.diff?.find(({ path }: Json) => path[0] === 'stage')?.val])

test('sends the changes that made a record match, however quickly others followed', async () => {
  const there = await receiver()
  await hooks.create({ url: there.url, events: ['record.updated'], filter: { object: 'deal', where: won } })
  const changed = await receiver()
  await hooks.create({
    url: changed.url,
    events: ['record.updated'],
    filter: { object: 'deal', changed: ['amount'], where: won },
  })
  const { id: workflow } = await workflows.create({
    name: 'Won and small',
    enabled: true,
    ...chain(
      {
        plugin_id: 'on:svc:update:record',
        input: { object: 'deal' },
        filters: [
          { field: 'trigger.state.event.object.data.stage', condition: { operator: 'Is', value: 'Won' } },
          { field: 'trigger.state.event.object.data.amount', condition: { operator: 'Is', value: 1 } },
        ],
      },
      {
        key: 'note',
        plugin_id: 'svc:create:comment',
        input: { object: 'deal', record_id: '{{trigger.state.event.object._id}}', message: 'Won' },
      },
    ),
  })
  const { id } = await records.create('deal', { stage: 'Lead', amount: 1 })
  for (let time = 0; time < 10; time++) for (const stage of ['Won', 'Lead']) await records.patch('deal', id, { stage })
  await records.patch('deal', id, { amount: 2 })
  await quiet()
  await there.until(10)
  expect(sentTo(there)).toEqual(Array.from({ length: 10 }, () => ['record.updated', id, 'Won']))
  expect(changed.got).toEqual([])
  await workflows.endedRuns(workflow, 10)
  expect((await api.get(`/workspaces/acme/workflows/${workflow}/runs`)).body.meta.total_records).toBe(10)
})

test('holds a condition of a deletion against the record as it was, also of one that is restored', async () => {
  const there = await receiver()
  const { _id } = await hooks.create({
    url: there.url,
    events: ['record.deleted'],
    filter: { object: 'deal', where: { and: [won, { field: 'amount', op: 'Greater than', value: 5 }] } },
  })
  const [large, small, lost] = await records.createMany('deal', [
    { stage: 'Won', amount: 10 },
    { stage: 'Won', amount: 1 },
    { stage: 'Lost', amount: 10 },
  ])
  for (const { id } of [large, small, lost]) expect((await remove(id)).status).toBe(200)
  expect((await records.restore('deal', [large.id])).status).toBe(200)
  await records.patch('deal', large.id, { stage: 'Lost' })
  await quiet()
  await there.until(1)
  expect(sentTo(there)).toEqual([['record.deleted', large.id, undefined]])
})
