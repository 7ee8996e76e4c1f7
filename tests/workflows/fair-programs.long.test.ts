import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { receiver, status } from '../harness/receiver.ts'
import { sized } from '../harness/size.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const own = workflowsOf(app)
const other = workflowsOf(app, 'other')
const service = await receiver()

const inbound = { plugin_id: 'on:svc:automation-webhook' }
const program = (code: string) => ({
  name: 'Program',
  enabled: true,
  ...chain(inbound, { key: 'code', plugin_id: 'code:execute', input: { code } }),
})

/** More than there are processes; in the long tests more than may wait for one, so that some are put off. */
const posts = sized(80, 12)

test('programs of a workspace that wait for a slow service keep no other from running', async () => {
  const held: ServerResponse[] = []
  service.always((response) => void held.push(response))
  const slow = await other.create(
    program(`export const handler = async () => {
      console.log('asks')
      const answer = await fetch('${service.url}', { method: 'POST', body: '{}' })
      return answer.status
    }`),
    'stranger',
  )
  for (let post = 0; post < posts; post++)
    await app.api.post(`/webhooks/workflows/other/${slow.id}`, { as: 'anonymous', body: {} })
  await app.startJobs()
  // Far more of them wait than there are processes.
  await service.until(posts)

  const quick = await own.create(program(`export const handler = () => 1 + 1`))
  await app.api.post(`/webhooks/workflows/acme/${quick.id}`, { as: 'anonymous', body: {} })
  const [ended] = await own.endedRuns(quick.id)
  const quickRun = await own.run(ended?.id)
  expect(quickRun.attributes.steps[0]).toMatchObject({ status: 'success', attempts: 1, output: 2 })
  expect(held).toHaveLength(posts)

  service.always(status(200))
  for (const response of held) response.end('{}')
  const runs = await other.until(async () => {
    const query = { 'page[limit]': 100 }
    const found: Json[] = (await app.api.get(`${other.path}/${slow.id}/runs`, { as: 'stranger', query })).body.data
    return found.length === posts && found.every(({ attributes }) => attributes.status === 'success') && found
  })
  for (const { id } of runs) {
    const { steps } = (await other.run(id, 'stranger')).attributes
    expect(steps[0]).toMatchObject({ status: 'success', attempts: 1, output: 200, logs: ['asks'] })
  }
  expect(service.got).toHaveLength(posts)
})
