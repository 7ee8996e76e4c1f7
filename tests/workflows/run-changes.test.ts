import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { receiver } from '../harness/receiver.ts'
import { recordsOf, unknownId } from '../harness/records.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const records = recordsOf(app)
const { create, run, runIn, endedRuns, until, settled, runsPath, path } = workflowsOf(app)

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

test('a run that waits after it waited rests for each of the times', async () => {
  const { id } = await create({
    name: 'Twice',
    enabled: true,
    ...chain(byHand, wait('rest'), wait('again'), mark('then', 'Rested twice')),
  })
  const runId = await begin(id)
  const dayMs = 24 * 3_600_000
  for (const block of ['rest', 'again']) {
    const { attributes } = await until(async () => {
      const found = await runIn(runId, 'waiting')
      return found.attributes.current_block_id === block && found
    })
    expect(Date.parse(attributes.resume_at)).toBeGreaterThan(app.now() + 1.9 * dayMs)
    await app.advance(dayMs)
    await settled()
    expect((await run(runId)).attributes).toMatchObject({ status: 'waiting', current_block_id: block })
    await app.advance(dayMs + 1000)
  }
  const { attributes } = await runIn(runId)
  expect(attributes.steps.map(({ block_id }: Json) => block_id)).toEqual(['rest', 'again', 'then'])
  const [rest, again] = attributes.steps
  expect(Date.parse(again.ended_at) - Date.parse(rest.ended_at)).toBeGreaterThanOrEqual(2 * dayMs)
}, 30_000)

test('a run begins again from the start by the version in force, and goes on from its failure by its own', async () => {
  const object = { plugin_id: 'on:svc:create:record', input: { object: 'person' } }
  const remove = { plugin_id: 'svc:delete:record', input: { object: 'person', record_id: unknownId } }
  const { id } = await create({ name: 'Mended', enabled: true, ...chain(object, { key: 'fail', ...remove }) })
  const person = await records.create('person', { job_title: 'First' })
  const [failed] = await endedRuns(id)
  expect(failed?.attributes).toMatchObject({ status: 'failed', workflow_version: 1 })
  const mended = chain(object, mark('mended', 'Mended for {{trigger.state.event.object.data.job_title}}'))
  expect((await app.api.patch(`${path}/${id}`, { body: mended })).status).toBe(200)
  await records.patch('person', person.id, { job_title: 'Second' })
  const { body } = await app.api.post(`${runsPath}/${failed?.id}/retry`, { body: { from: 'start' } })
  expect(body.data.id).not.toBe(failed?.id)
  const { attributes } = await runIn(body.data.id)
  expect(attributes).toMatchObject({
    status: 'success',
    workflow_version: 2,
    record_id: person.id,
    event_id: failed?.attributes.event_id,
    steps: [{ block_id: 'mended', output: { record: { attributes: { title: 'Mended for First' } } } }],
  })
  expect((await run(failed?.id)).attributes).toMatchObject({ status: 'failed', workflow_version: 1 })
  await app.api.post(`${runsPath}/${failed?.id}/retry`, { body: { from: 'failed' } })
  expect((await runIn(failed?.id)).attributes).toMatchObject({ status: 'failed', workflow_version: 1 })
  await app.api.delete(`${path}/${id}`)
})

test('a run begins again for no one who might not see what it was begun with', async () => {
  const onMeeting = { plugin_id: 'on:svc:create:record', input: { object: 'meeting' } }
  const remove = { plugin_id: 'svc:delete:record', input: { object: 'meeting', record_id: unknownId } }
  const { id } = await create({ name: 'Other', ...chain(onMeeting, { key: 'fail', ...remove }) }, 'member')
  await app.api.patch(`${path}/${id}`, { body: { enabled: true } })
  await recordsOf(app, 'admin').create('meeting', { title: 'Confidential' })
  const [failed] = await endedRuns(id)
  const retry = () => app.api.post(`${runsPath}/${failed?.id}/retry`, { body: { from: 'start' } })
  expect((await retry()).status).toBe(200)
  await app.api.patch(`${path}/${id}`, { as: 'member', body: { run_limits: { max_depth: 2 } } })
  const { status, body } = await retry()
  expect([status, body.errors[0].code]).toEqual([409, 'run_state'])
  await app.api.delete(`${path}/${id}`)
})

test('a test run is asked for in the query too', async () => {
  const { id } = await create({ name: 'Rehearse', ...chain(byHand, mark('only', 'Never written')) })
  const answer = await app.api.post(`${path}/${id}/runs`, { query: { dry_run: true }, body: {} })
  expect([answer.status, answer.body.data.attributes.dry_run]).toEqual([201, true])
  const { attributes } = await runIn(answer.body.data.id)
  expect(attributes).toMatchObject({ status: 'success', dry_run: true, steps: [{ output: { dry_run: true } }] })
  const { body } = await records.list('task', { 'filter[title]': 'Never written' })
  expect(body.meta.total_records).toBe(0)
  expect((await app.api.post(`${path}/${id}/runs`, { query: { dry_run: false }, body: {} })).status).toBe(403)
})

const disable = (id: string, query = {}) => app.api.patch(`${path}/${id}`, { query, body: { enabled: false } })

describe('disabling', () => {
  test('lets runs go on that have begun', async () => {
    const { id } = await create({ name: 'Goes on', enabled: true, ...chain(byHand, wait('rest')) })
    const runId = await begin(id)
    await runIn(runId, 'waiting')
    await disable(id)
    await settled()
    expect((await run(runId)).attributes.status).toBe('waiting')
    await app.api.post(`${runsPath}/${runId}/resume`)
    expect((await runIn(runId)).attributes.status).toBe('success')
  })

  test('ends them where that is asked for, and no other', async () => {
    const graph = chain(byHand, wait('rest'))
    const { id } = await create({ name: 'Ends', enabled: true, ...graph })
    const other = await create({ name: 'Other', enabled: true, ...graph })
    const [first, second, apart] = [await begin(id), await begin(id), await begin(other.id)]
    for (const one of [first, second, apart]) await runIn(one, 'waiting')
    const refused = await app.api.patch(`${path}/${id}`, { query: { runs: 'cancel' }, body: { name: 'Still on' } })
    expect([refused.status, refused.body.errors[0].source]).toEqual([400, { parameter: 'runs' }])
    expect((await app.api.get(`${path}/${id}`)).body.data.attributes.name).toBe('Ends')
    await disable(id, { runs: 'cancel', dry_run: true })
    await settled()
    expect((await run(first)).attributes.status).toBe('waiting')
    expect((await disable(id, { runs: 'cancel' })).body.data.attributes.enabled).toBe(false)
    for (const one of [first, second]) expect((await runIn(one)).attributes.status).toBe('cancelled')
    expect((await run(apart)).attributes.status).toBe('waiting')
    await app.api.patch(`${path}/${id}`, { body: { enabled: true } })
    const later = await begin(id)
    await runIn(later, 'waiting')
    expect((await disable(id, { runs: 'none' })).status).toBe(400)
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
        object: 'company',
        attributes: { name: '{{trigger.state.event.data.big}}'.repeat(200), labels: ['{{trigger.state.event.data}}'] },
      },
    }),
  })
  const runId = await begin(id, { data: { big } })
  const { attributes } = await runIn(runId)
  expect(attributes).toMatchObject({ status: 'failed', error: { code: 'input_too_large', block_id: 'bomb' } })
  expect(attributes.steps).toMatchObject([{ input: null }])
})

test('a call under way stays among the steps of a cancelled run, and the event names who cancelled', async () => {
  const slow = await receiver()
  const mayAnswer = Promise.withResolvers<void>()
  slow.always((response) => void mayAnswer.promise.then(() => response.writeHead(200).end('done')))
  const call = { key: 'call', plugin_id: 'webhook:send:outbound', input: { url: slow.url, body: {} } }
  const { id } = await create({ name: 'Under way', enabled: true, ...chain(byHand, call, mark('then', 'Behind')) })
  const runId = await begin(id)
  await app.startJobs()
  await slow.until(1)
  const { body } = await app.api.post(`${runsPath}/${runId}/cancel`)
  expect(body.data.attributes).toMatchObject({
    status: 'cancelled',
    steps: [{ block_id: 'call', status: 'cancelled' }],
  })
  mayAnswer.resolve()
  const { attributes } = await until(async () => {
    const found = await run(runId)
    return found.attributes.steps[0].status === 'success' && found
  })
  expect(attributes).toMatchObject({
    status: 'cancelled',
    current_block_id: 'then',
    steps: [{ output: { body: 'done' } }],
  })
  await app.api.post(`${runsPath}/${runId}/retry`, { body: { from: 'failed' } })
  expect((await runIn(runId)).attributes).toMatchObject({ status: 'success', steps: [{}, { block_id: 'then' }] })
  expect(slow.got).toHaveLength(1)
  const told = (await app.events()).filter(
    ({ record_id, type }) => record_id === id && type.startsWith('workflow.run_'),
  )
  expect(told).toMatchObject([
    { type: 'workflow.run_cancelled', payload: { run_id: runId }, actor: { id: app.userIds.admin } },
    { type: 'workflow.run_retried', payload: { run_id: runId, new_run_id: null } },
  ])
})
