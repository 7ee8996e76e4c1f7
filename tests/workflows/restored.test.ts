import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { recordsOf } from '../harness/records.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const records = recordsOf(app)
const { create, runs, runIn, until, settled } = workflowsOf(app)

const own = { object: 'deal', record_id: '{{trigger.state.event.object._id}}' }

test('a run goes on once with a record that was restored while it waited, and fails with a deleted one', async () => {
  const { id } = await create({
    name: 'Waits',
    enabled: true,
    ...chain(
      { plugin_id: 'on:svc:create:record', input: { object: 'deal' } },
      { key: 'pause', plugin_id: 'general:delay:for', input: { amount: 1, unit: 'hours' } },
      { key: 'said', plugin_id: 'svc:create:comment', input: { ...own, message: 'An hour later' } },
    ),
  })
  const [restored, gone] = await records.createMany('deal', [{ name: 'Restored' }, { name: 'Gone' }])
  const runOf = async (record: string): Promise<string> =>
    until(async () => (await runs(id)).find(({ attributes }) => attributes.record_id === record)?.id)
  const [first, second] = [await runOf(restored.id), await runOf(gone.id)]
  await runIn(first, 'waiting')
  await runIn(second, 'waiting')
  await records.remove('deal', [restored.id, gone.id])
  expect((await records.restore('deal', [restored.id])).status).toBe(200)
  await settled()
  await app.advance(3_600_000)
  expect((await runIn(first)).attributes).toMatchObject({ status: 'success' })
  expect((await runIn(second)).attributes).toMatchObject({
    status: 'failed',
    error: { code: 'forbidden', block_id: 'said', detail: 'There is no record with this id that you may comment on.' },
  })
  const said = (await app.events()).filter(({ type }) => type === 'comment.created')
  expect(said.map(({ record_id }) => record_id)).toEqual([restored.id])
  expect(await runs(id)).toHaveLength(2)
})
