import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { withoutTable } from '../harness/missing-table.ts'
import { notificationsOf } from '../harness/notifications.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const { create, run, runIn, path } = workflowsOf(app)
const notifications = notificationsOf(app)

test('a run that the server cannot carry on is failed in the end, says so, and can be taken up again', async () => {
  const makeTask = {
    key: 'task',
    plugin_id: 'svc:create:record',
    input: { object: 'task', attributes: { title: 'A' } },
  }
  const { id } = await create({
    name: 'Doomed',
    enabled: true,
    ...chain({ plugin_id: 'on:manual:execution' }, makeTask),
  })
  const { body } = await app.api.post(`${path}/${id}/runs`, { body: {} })
  const runId = body.data.id
  await app.lastAttempt('workflows.run')
  await withoutTable(app.databaseUrl, 'workflow_version', async () => {
    await app.startJobs()
    await app.settled('workflows.run')
  })
  const failure = { code: 'internal', detail: expect.stringContaining('could not continue the run') }
  expect((await run(runId)).attributes).toMatchObject({
    status: 'failed',
    error: { ...failure, block_id: 'task' },
    current_block_id: 'task',
    ended_at: expect.any(String),
  })
  const told = (await app.events()).filter(({ type, record_id }) => type === 'workflow.run_failed' && record_id === id)
  expect(told.map(({ payload }) => payload)).toEqual([{ run_id: runId, block_id: 'task', code: 'internal' }])
  expect(await notifications.kinds('admin')).toEqual(['workflow_failure'])
  expect(app.takeErrors().length).toBeGreaterThan(0)
  expect(
    (await app.api.post(`/workspaces/acme/workflow-runs/${runId}/retry`, { body: { from: 'failed' } })).status,
  ).toBe(200)
  expect((await runIn(runId)).attributes).toMatchObject({ status: 'success', error: null })
})
