import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { createKey } from '../harness/people.ts'
import { recordsOf } from '../harness/records.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const records = recordsOf(app)
const { create, endedRuns, run, path, runsPath } = workflowsOf(app)

const asKey = async (...scopes: string[]): Promise<Json> => ({
  authorization: `api-key ${(await createKey(app.api.post, 'admin', { scopes })).key}`,
})

const onCompany = { plugin_id: 'on:svc:create:record', input: { object: 'company' } }
const fail = {
  key: 'fail',
  plugin_id: 'svc:delete:record',
  input: { object: 'task', record_id: '{{trigger.state.event.object._id}}' },
}

test('a credential sees of a run only what its scopes cover', async () => {
  const note = {
    key: 'note',
    plugin_id: 'svc:create:record',
    input: { object: 'task', attributes: { title: 'About {{trigger.state.event.object.data.name}}' } },
  }
  const { id } = await create({ name: 'Notes', enabled: true, ...chain(onCompany, note, fail) })
  await records.create('company', { name: 'Secret Ltd' })
  const [ended] = await endedRuns(id)
  const key = await asKey('workflows:read', 'records:read:task')
  const withheld = await run(ended?.id, key)
  expect(JSON.stringify(withheld)).not.toContain('Secret')
  expect(withheld.attributes).toMatchObject({
    status: 'failed',
    trigger: { state: null, contents: 'withheld' },
    error: { code: 'not_found', detail: expect.stringContaining('Withheld') },
    steps: [
      { block_id: 'note', status: 'success', input: null, output: null, contents: 'withheld' },
      { block_id: 'fail', status: 'failed', contents: 'withheld' },
    ],
  })
  const listed = await app.api.get(`${path}/${id}/runs`, { as: key })
  expect(listed.body.data[0].attributes.error.detail).toContain('Withheld')
  const step = await app.api.get(`${runsPath}/${ended?.id}/steps/0`, { as: key })
  expect(step.body.data.attributes).toMatchObject({ input: null, output: null, contents: 'withheld' })
  const covering = await asKey('workflows:read', 'records:read:task', 'records:read:company')
  const shown = await run(ended?.id, covering)
  expect(shown.attributes).toMatchObject({
    trigger: { contents: 'shown', state: { event: { object: { data: { name: 'Secret Ltd' } } } } },
    steps: [{ contents: 'shown', input: { attributes: { title: 'About Secret Ltd' } } }, { contents: 'shown' }],
  })
})

test('what a program has read takes all that the one may read as whom it ran', async () => {
  const code = { key: 'code', plugin_id: 'code:execute', input: { code: `export const handler = () => 'Secret'` } }
  const { id } = await create({ name: 'Program', enabled: true, ...chain({ plugin_id: 'on:manual:execution' }, code) })
  await app.api.post(`${path}/${id}/runs`, { body: {} })
  const [ended] = await endedRuns(id)
  const some = await run(ended?.id, await asKey('workflows:read', 'records:read'))
  expect(some.attributes.steps).toMatchObject([{ output: null, contents: 'withheld' }])
  expect((await run(ended?.id)).attributes.steps).toMatchObject([{ output: 'Secret', contents: 'shown' }])
})
