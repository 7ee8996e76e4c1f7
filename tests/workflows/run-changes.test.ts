import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { recordsOf } from '../harness/records.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const records = recordsOf(app)
const { create, run, runIn, runsPath, path } = workflowsOf(app)

const byHand = { plugin_id: 'on:manual:execution' }
const wait = (key: string) => ({ key, plugin_id: 'general:delay:for', input: { amount: 2, unit: 'days' } })
const mark = (key: string, title: string) => ({
  key,
  plugin_id: 'svc:create:record',
  input: { object: 'task', attributes: { title } },
})

const begin = async (id: string, body = {}): Promise<string> =>
  (await app.api.post(`${path}/${id}/runs`, { body })).body.data.id

describe('a run that waits', () => {
  test('goes on when its time has come', async () => {
    const { id } = await create({
      name: 'Later',
      enabled: true,
      ...chain(byHand, wait('rest'), mark('then', 'Rested')),
    })
    const runId = await begin(id)
    const waiting = await runIn(runId, 'waiting')
    expect(waiting.attributes).toMatchObject({ current_block_id: 'rest', resume_at: expect.stringMatching(/Z$/) })
    expect(waiting.attributes.steps).toMatchObject([{ block_id: 'rest', status: 'waiting', attempts: 1 }])
    await app.advance(2 * 24 * 3_600_000 + 1000)
    const done = await runIn(runId)
    expect(done.attributes).toMatchObject({ status: 'success', current_block_id: null, resume_at: null })
    expect(done.attributes.steps.map(({ block_id }: { block_id: string }) => block_id)).toEqual(['rest', 'then'])
  })

  test('goes on at once where it is resumed, and only then can be', async () => {
    const { id } = await create({
      name: 'Soon',
      enabled: true,
      ...chain(byHand, wait('rest'), mark('then', 'Resumed')),
    })
    const runId = await begin(id)
    await runIn(runId, 'waiting')
    expect((await app.api.post(`${runsPath}/${runId}/resume`)).status).toBe(200)
    expect((await runIn(runId)).attributes.status).toBe('success')
    const { status, body } = await app.api.post(`${runsPath}/${runId}/resume`)
    expect([status, body.errors[0].code, body.errors[0].meta]).toEqual([409, 'run_state', { status: 'success' }])
  })

  test('ends where it is cancelled, and goes on where it is retried from there', async () => {
    const { id } = await create({ name: 'Stop', enabled: true, ...chain(byHand, wait('rest'), mark('then', 'Again')) })
    const runId = await begin(id)
    await runIn(runId, 'waiting')
    const cancelled = await app.api.post(`${runsPath}/${runId}/cancel`)
    expect(cancelled.body.data.attributes).toMatchObject({ status: 'cancelled', ended_at: expect.any(String) })
    await app.api.post(`${runsPath}/${runId}/retry`, { body: { from: 'failed' } })
    await runIn(runId, 'waiting')
    await app.api.post(`${runsPath}/${runId}/resume`)
    expect((await runIn(runId)).attributes.status).toBe('success')
  })
})

test('a step that fails ends the run; mended, the run goes on with that step and repeats none before it', async () => {
  const person = await records.create('person', {})
  const { id } = await create({
    name: 'Mend',
    enabled: true,
    ...chain(byHand, mark('first', 'Once only'), {
      key: 'second',
      plugin_id: 'svc:update:record',
      input: { object: 'person', record_id: '{{trigger.state.event.data.id}}', attributes: { job_title: 'Seen' } },
    }),
  })
  await app.api.delete(`/workspaces/acme/objects/person/records/${person.id}`)
  const runId = await begin(id, { data: { id: person.id } })
  const failed = await runIn(runId)
  expect(failed.attributes).toMatchObject({
    status: 'failed',
    current_block_id: 'second',
    error: { code: 'not_found', block_id: 'second' },
  })
  await app.api.post('/workspaces/acme/objects/person/records/restore', { body: { items: [person.id] } })
  await app.api.post(`${runsPath}/${runId}/retry`, { body: { from: 'failed' } })
  const done = await runIn(runId)
  expect(done.attributes).toMatchObject({ status: 'success', error: null })
  expect(done.attributes.steps[0]).toEqual(failed.attributes.steps[0])
  const again = await app.api.post(`${runsPath}/${runId}/retry`, { body: { from: 'start' } })
  expect([again.status, again.body.errors[0].code]).toEqual([409, 'run_state'])
  const { body } = await app.api.get('/workspaces/acme/objects/task/resources', {
    query: { 'filter[title]': 'Once only' },
  })
  expect(body.meta.total_records).toBe(1)
})

test('a run shows what it has read to its owner and to admins alone', async () => {
  const { id } = await create({ name: 'Mine', enabled: true, ...chain(byHand, mark('first', 'Shown')) }, 'member')
  const { body } = await app.api.post(`${path}/${id}/runs`, { as: 'member', body: {} })
  const runId = body.data.id
  await runIn(runId)
  expect((await run(runId, 'member')).attributes.status).toBe('success')
  const other = await app.addMember('member', 'other')
  const as = { authorization: `Bearer ${(await app.issuer.mint(other.id)).access_token}` }
  expect((await app.api.get(`${runsPath}/${runId}`, { as })).status).toBe(404)
  expect((await app.api.get(`${path}/${id}/runs`, { as })).status).toBe(403)
})

test('variables that would fill in more than a step may take fail the step, and soon', async () => {
  const big = 'x'.repeat(100_000)
  const { id } = await create({
    name: 'Bomb',
    enabled: true,
    ...chain(byHand, {
      key: 'bomb',
      plugin_id: 'svc:create:record',
      input: {
        object: 'task',
        attributes: { title: '{{trigger.state.event.data.big}}'.repeat(200), labels: ['{{trigger.state.event.data}}'] },
      },
    }),
  })
  const runId = await begin(id, { data: { big } })
  const { attributes } = await runIn(runId)
  expect(attributes).toMatchObject({ status: 'failed', error: { code: 'input_too_large', block_id: 'bomb' } })
  expect(attributes.steps).toMatchObject([{ input: null }])
})
