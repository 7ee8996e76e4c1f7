import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { createKey, type Caller } from '../harness/people.ts'
import { recordsOf } from '../harness/records.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const records = recordsOf(app)
const { create, run, runs, runIn, endedRuns, until, path } = workflowsOf(app)

const byHand = { plugin_id: 'on:manual:execution' }
const onCompany = { plugin_id: 'on:svc:create:record', input: { object: 'company' } }
const onMeeting = { plugin_id: 'on:svc:create:record', input: { object: 'meeting' } }
const makeTask = { key: 'task', plugin_id: 'svc:create:record', input: { object: 'task', attributes: { title: 'A' } } }

const begin = async (id: string, body: Json = {}, as: Caller = 'admin'): Promise<string> => {
  const { status, body: told } = await app.api.post(`${path}/${id}/runs`, { as, body })
  expect([status, told.errors]).toEqual([201, undefined])
  return told.data.id
}
const asKey = async (as: Caller, scopes: readonly string[], kind?: 'workspace'): Promise<Json> => {
  const { id, key } = await createKey(app.api.post, as, { scopes, ...(kind && { kind }) })
  return { id, as: { authorization: `api-key ${key}` } }
}

test('a record that the owner does not see begins no run of theirs', async () => {
  const colleague = await app.addMember('member', 'blind')
  const blind = await create({ name: 'Blind', enabled: true, trigger: onMeeting }, colleague.as)
  const seeing = await create({ name: 'Seeing', enabled: true, trigger: onMeeting })
  const meeting = await records.create('meeting', { title: 'Confidential' })
  await endedRuns(seeing.id)
  expect(await runs(blind.id)).toEqual([])
  const byAdmin = await create({ name: 'By hand', enabled: true, trigger: byHand }, colleague.as)
  const runId = await begin(byAdmin.id, { object: 'meeting', record_id: meeting.id })
  const failed = await runIn(runId)
  expect(failed.attributes).toMatchObject({ status: 'failed', error: { code: 'not_found', block_id: null } })
  expect(JSON.stringify(failed)).not.toContain('Confidential')
  const refused = await app.api.post(`${path}/${byAdmin.id}/runs`, {
    as: colleague.as,
    body: { object: 'meeting', record_id: meeting.id },
  })
  expect(refused.status).toBe(404)
  await Promise.all([blind, seeing].map(({ id }) => app.api.delete(`${path}/${id}`)))
})

test('a step is refused what its owner may not do', async () => {
  const colleague = await app.addMember('member', 'curious')
  const meeting = await records.create('meeting', { title: 'Closed' })
  const change = {
    key: 'change',
    plugin_id: 'svc:update:record',
    input: { object: 'meeting', record_id: '{{trigger.state.event.data.id}}', attributes: { title: 'Opened' } },
  }
  const { id } = await create({ name: 'Opens', enabled: true, ...chain(byHand, change) }, colleague.as)
  const { attributes } = await runIn(await begin(id, { data: { id: meeting.id } }))
  expect(attributes).toMatchObject({ status: 'failed', error: { code: 'not_found', block_id: 'change' } })
  expect((await records.get('meeting', meeting.id)).body.data.attributes.title).toBe('Closed')
})

test('viewers neither make workflows nor run them', async () => {
  const { id } = await create({ name: 'Open', enabled: true, ...chain(byHand, makeTask) })
  expect((await app.api.post(path, { as: 'viewer', body: { name: 'Mine' } })).status).toBe(403)
  expect((await app.api.post(`${path}/${id}/runs`, { as: 'viewer', body: {} })).status).toBe(403)
})

describe('the scopes of the key that last changed the graph', () => {
  test('narrow what the workflow does', async () => {
    const narrow = await asKey('member', ['workflows:write', 'workflows:run', 'records:read'])
    const { id } = await create({ name: 'Narrow', enabled: true, ...chain(byHand, makeTask) }, narrow.as)
    expect((await runIn(await begin(id))).attributes).toMatchObject({ status: 'failed', error: { block_id: 'task' } })
    await app.api.patch(`${path}/${id}`, { as: 'member', body: { name: 'Still narrow' } })
    expect((await runIn(await begin(id))).attributes.status).toBe('failed')
    await app.api.patch(`${path}/${id}`, { as: 'member', body: { run_limits: { max_depth: 3 } } })
    expect((await runIn(await begin(id))).attributes.status).toBe('success')
    await app.api.patch(`${path}/${id}`, { as: narrow.as, body: { run_limits: { max_depth: 4 } } })
    expect((await runIn(await begin(id))).attributes.status).toBe('failed')
  })

  test('narrow what it sees', async () => {
    const blind = await asKey('member', ['workflows:write', 'records:read:company'])
    const { id } = await create(
      { name: 'Persons', enabled: true, trigger: { plugin_id: 'on:svc:create:record', input: { object: 'person' } } },
      blind.as,
    )
    const seeing = await create({
      name: 'Persons too',
      enabled: true,
      trigger: { plugin_id: 'on:svc:create:record', input: { object: 'person' } },
    })
    await records.create('person', {})
    await endedRuns(seeing.id)
    expect(await runs(id)).toEqual([])
  })
})

/** Waits for a workflow to be stopped by the server. */
const stopped = (id: string): Promise<Json> =>
  until(async () => {
    const { attributes } = (await app.api.get(`${path}/${id}`)).body.data
    return !attributes.enabled && attributes
  })

const told = async (id: string): Promise<Json[]> =>
  (await app.events()).filter(({ type, record_id }) => type === 'workflow.stopped' && record_id === id)

describe('a workflow stops', () => {
  test('when its owner leaves the workspace', async () => {
    const leaver = await app.addMember('member', 'leaver')
    const pause = { key: 'pause', plugin_id: 'general:delay:for', input: { amount: 2, unit: 'days' } }
    const { id } = await create({ name: 'Orphan', enabled: true, ...chain(byHand, pause, makeTask) }, leaver.as)
    const trigger = { plugin_id: 'on:svc:create:record', input: { object: 'company' } }
    const other = await create({ name: 'Orphan too', enabled: true, trigger }, leaver.as)
    const runId = await begin(id, {}, leaver.as)
    await runIn(runId, 'waiting')
    expect((await app.api.delete(`/workspaces/acme/users/${leaver.id}`)).status).toBeLessThan(300)
    app.forgetMemberships()
    await app.api.post(`/workspaces/acme/workflow-runs/${runId}/resume`)
    const held = { status: 'held', held_reason: 'owner_left', error: null }
    expect((await runIn(runId, 'held')).attributes).toMatchObject(held)
    expect(await stopped(id)).toMatchObject({ stopped_reason: 'owner_left' })
    const actor = { id, kind: 'workflow', on_behalf_of: { id: leaver.id, kind: 'user' } }
    expect(await told(id)).toMatchObject([{ payload: { reason: 'owner_left' }, actor }])
    await records.create('company', {})
    expect(await stopped(other.id)).toMatchObject({ stopped_reason: 'owner_left' })
    expect(await runs(other.id)).toEqual([])
    expect((await run(runId)).attributes.steps).toHaveLength(0)
    const refused = await app.api.post(`/workspaces/acme/workflow-runs/${runId}/resume`)
    expect([refused.status, refused.body.errors[0].code]).toEqual([409, 'run_state'])
    await app.api.patch(`${path}/${id}`, { body: { enabled: true } })
    const { attributes } = await runIn(runId)
    expect(attributes).toMatchObject({ status: 'success', held_reason: null, acting_id: app.userIds.admin })
  })

  test('when its key is revoked', async () => {
    const key = await asKey('admin', [], 'workspace')
    const { id } = await create({ name: 'Of a key', enabled: true, ...chain(byHand, makeTask) }, key.as)
    expect((await runIn(await begin(id))).attributes.status).toBe('success')
    expect((await app.api.delete(`/workspaces/acme/api-keys/${key.id}`)).status).toBeLessThan(300)
    app.forgetMemberships()
    expect((await runIn(await begin(id), 'held')).attributes.held_reason).toBe('credential_ended')
    expect(await stopped(id)).toMatchObject({ stopped_reason: 'credential_ended', enabled: false })
    expect(await told(id)).toHaveLength(1)
  })

  test('when its owner has a lower role than before, and no run fails of that', async () => {
    const admin = await app.addMember('admin', 'demoted')
    const meeting = await records.create('meeting', { title: 'Of an admin' })
    const change = {
      key: 'change',
      plugin_id: 'svc:update:record',
      input: { object: 'meeting', record_id: meeting.id, attributes: { title: 'Changed' } },
    }
    const { id } = await create({ name: 'Demoted', enabled: true, ...chain(onCompany, change) }, admin.as)
    const demoted = await app.api.patch(`/workspaces/acme/users/${admin.id}`, { body: { role: 'member' } })
    expect(demoted.status).toBe(200)
    app.forgetMemberships()
    const byHandId = await begin(id)
    expect((await runIn(byHandId, 'held')).attributes.held_reason).toBe('owner_demoted')
    expect(await stopped(id)).toMatchObject({ stopped_reason: 'owner_demoted' })
    await app.api.patch(`${path}/${id}`, { body: { enabled: true } })
    expect((await runIn(byHandId)).attributes).toMatchObject({ status: 'success', acting_id: app.userIds.admin })
    await app.api.delete(`${path}/${id}`)
  })
})
