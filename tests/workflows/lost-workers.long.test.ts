import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { receiver } from '../harness/receiver.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const { create, run, runIn, until, path } = workflowsOf(app)
const begin = async (id: string): Promise<string> =>
  (await app.api.post(`${path}/${id}/runs`, { body: {} })).body.data.id

/** As long as it takes: leases end, and what is due is taken up. */
const later = (isSo: () => Promise<boolean> | boolean) =>
  until(async () => {
    app.wait(1000)
    return isSo()
  })

test('a run fails once two servers have ended in the same step, and goes on after two in different steps', async () => {
  const other = await receiver()
  const answers = { deadly: false, first: false, second: false }
  other.always((response, { path: to }) => answers[to.split('?')[1] as keyof typeof answers] && response.end())
  const calls = (name: string) => other.got.filter(({ path: to }) => to.endsWith(`?${name}`)).length
  const call = (key: string) => ({
    key,
    plugin_id: 'webhook:send:outbound',
    input: { url: `${other.url}?${key}`, body: {} },
  })
  const start = async (...steps: ReturnType<typeof call>[]) =>
    begin(
      (await create({ name: 'Mortal', enabled: true, ...chain({ plugin_id: 'on:manual:execution' }, ...steps) })).id,
    )
  const lose = async (runId: string, step: string, times: number) => {
    await later(() => calls(step) === times)
    await app.loseWorker('workflows.run', runId)
  }

  const deadly = await start(call('deadly'))
  for (const times of [1, 2]) await lose(deadly, 'deadly', times)
  await later(async () => (await run(deadly)).attributes.status === 'failed')
  expect((await runIn(deadly)).attributes.error).toMatchObject({ code: 'worker_lost', block_id: 'deadly' })

  const innocent = await start(call('first'), call('second'))
  for (const step of ['first', 'second'] as const) {
    await lose(innocent, step, 1)
    answers[step] = true
  }
  await later(async () => (await run(innocent)).attributes.status === 'success')
  expect([calls('deadly'), calls('first'), calls('second')]).toEqual([2, 2, 2])
})

test('of runs that lose two servers together, only those fail that had begun again, one after another', async () => {
  const other = await receiver()
  let isAwake = false
  other.always((response) => isAwake && response.end())
  const step = { key: 'step', plugin_id: 'webhook:send:outbound', input: { url: other.url, body: {} } }
  const { id } = await create({ name: 'Many', enabled: true, ...chain({ plugin_id: 'on:manual:execution' }, step) })
  const runs = await Promise.all(Array.from({ length: 5 }, () => begin(id)))
  const lose = () => Promise.all(runs.map((one) => app.loseWorker('workflows.run', one)))
  await later(() => other.got.length === runs.length)
  await lose()
  await later(() => other.got.length > runs.length)
  const begunAgain = other.got.length - runs.length
  expect(begunAgain).toBeLessThan(runs.length)
  await lose()
  isAwake = true
  const statuses = async () => Promise.all(runs.map(async (one) => (await run(one)).attributes.status))
  await later(async () => (await statuses()).every((status) => status === 'success' || status === 'failed'))
  expect((await statuses()).filter((status) => status === 'success').length).toBeGreaterThanOrEqual(1)
})
