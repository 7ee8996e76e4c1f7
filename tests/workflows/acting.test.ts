import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { createKey, type Caller } from '../harness/people.ts'
import { recordsOf } from '../harness/records.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const records = recordsOf(app, 'admin')
const { create, run, runs, runIn, until, path, runsPath } = workflowsOf(app)

const byHand = { plugin_id: 'on:manual:execution' }
const pause = { key: 'pause', plugin_id: 'general:delay:for', input: { amount: 2, unit: 'days' } }
/** Changes a meeting that only admins and its owner see. */
const renaming = (title: string) => ({
  key: 'rename',
  plugin_id: 'svc:update:record',
  input: { object: 'meeting', record_id: '{{trigger.state.event.data.id}}', attributes: { title } },
})

const meeting = await records.create('meeting', { title: 'Closed' })

const begin = async (id: string, as: Caller = 'admin'): Promise<string> => {
  const { status, body } = await app.api.post(`${path}/${id}/runs`, { as, body: { data: { id: meeting.id } } })
  expect([status, body.errors]).toEqual([201, undefined])
  return body.data.id
}
const endOf = async (runId: string): Promise<Json> => {
  const { status, acting_id, error } = (await runIn(runId)).attributes
  return { status, acting_id, code: error?.code }
}
const patch = async (id: string, body: Json, as: Caller = 'admin'): Promise<Json> => {
  const answer = await app.api.patch(`${path}/${id}`, { as, body })
  expect([answer.status, answer.body.errors]).toEqual([200, undefined])
  return answer.body.data.attributes
}
const member = app.userIds.member
const admin = app.userIds.admin
const asMember = { status: 'failed', acting_id: member, code: 'not_found' }
const asAdmin = { status: 'success', acting_id: admin, code: undefined }

test('a workflow runs as whoever last enabled it or changed its graph; a rename changes nothing', async () => {
  const made = await create({ name: 'Whose', enabled: true, ...chain(byHand, renaming('One')) }, 'member')
  const { id } = made
  expect(made.attributes).toMatchObject({ owner_id: member, acting_id: member })
  expect(await endOf(await begin(id))).toEqual(asMember)
  expect(await patch(id, { name: 'Renamed', description: 'By an admin' })).toMatchObject({ acting_id: member })
  expect(await patch(id, { enabled: true, published_at: '2026-01-01T00:00:00.000Z' })).toMatchObject({
    acting_id: member,
  })
  expect(await endOf(await begin(id))).toEqual(asMember)
  expect(await patch(id, chain(byHand, renaming('Two')))).toMatchObject({ owner_id: member, acting_id: admin })
  expect(await endOf(await begin(id))).toEqual(asAdmin)
  expect(await patch(id, { name: 'By its owner' }, 'member')).toMatchObject({ acting_id: admin })
  expect(await patch(id, chain(byHand, renaming('Three')), 'member')).toMatchObject({ acting_id: member })
  expect(await endOf(await begin(id))).toEqual(asMember)
  await patch(id, { enabled: false })
  expect(await patch(id, { enabled: true })).toMatchObject({ acting_id: admin })
  expect(await endOf(await begin(id))).toEqual(asAdmin)
  expect((await records.get('meeting', meeting.id)).body.data.attributes.title).toBe('Three')
})

test('with the scopes of the credential that did so', async () => {
  const { id } = await create({ name: 'Narrowed', enabled: true, ...chain(byHand, renaming('Four')) })
  const { key } = await createKey(app.api.post, 'admin', { scopes: ['workflows:write', 'records:read'] })
  const narrow = { authorization: `api-key ${key}` }
  await patch(id, { name: 'Still wide' }, narrow)
  expect(await endOf(await begin(id))).toEqual(asAdmin)
  await patch(id, { run_limits: { max_depth: 2 } }, narrow)
  expect(await endOf(await begin(id))).toEqual({ status: 'failed', acting_id: admin, code: 'insufficient_scope' })
})

test('a run goes on as it began: what was written before an edit gets no rights of the one who edits', async () => {
  const { id } = await create({ name: 'Old graph', enabled: true, ...chain(byHand, pause, renaming('Five')) }, 'member')
  const runId = await begin(id)
  await runIn(runId, 'waiting')
  await patch(id, chain(byHand, renaming('Six')))
  await app.api.post(`${runsPath}/${runId}/resume`, { as: 'member' })
  expect(await endOf(runId)).toEqual(asMember)
  expect(await endOf(await begin(id))).toEqual(asAdmin)
})

test('what is written while it is disabled is never run with the rights of who ran it before', async () => {
  const { id } = await create({ name: 'Disabled', ...chain(byHand, renaming('Seven')) }, 'member')
  await patch(id, { enabled: true })
  await patch(id, { enabled: false })
  const asOwner = (body: Json) => app.api.post(`${path}/${id}/runs`, { as: 'member', body })
  expect((await asOwner({ data: { id: meeting.id } })).status).toBe(403)
  expect((await asOwner({ data: { id: meeting.id }, dry_run: true })).status).toBe(403)
  await patch(id, chain(byHand, renaming('Eight')), 'member')
  expect(await endOf(await begin(id, 'member'))).toEqual(asMember)
})

test('what a run has read is seen by admins and by the one as whom it ran, not by an owner who sees less', async () => {
  const { id } = await create({ name: 'Read', enabled: true, ...chain(byHand, renaming('Nine')) }, 'member')
  const own = await begin(id)
  await endOf(own)
  await patch(id, chain(byHand, renaming('Ten')))
  const others = await begin(id)
  await endOf(others)
  const idsOf = async (as: Caller) => (await runs(id, as)).map((one) => one.id)
  expect([await idsOf('admin'), await idsOf('member')]).toEqual([[others, own], [own]])
  const list = await app.api.get(`${path}/${id}/runs`, { as: 'member' })
  expect(list.body.meta.total_records).toBe(1)
  expect((await run(own, 'member')).id).toBe(own)
  expect((await app.api.get(`${runsPath}/${others}`, { as: 'member' })).status).toBe(404)
  for (const act of ['cancel', 'resume'])
    expect((await app.api.post(`${runsPath}/${others}/${act}`, { as: 'member' })).status).toBe(404)
})

test('where the one as whom it runs has left it stops, and runs as whoever enables it anew', async () => {
  const leaver = await app.addMember('admin', 'leaving')
  const { id } = await create({ name: 'Left', enabled: true, ...chain(byHand, pause, renaming('Eleven')) }, 'member')
  const before = await begin(id)
  await runIn(before, 'waiting')
  await patch(id, { run_limits: { max_depth: 3 } }, leaver.as)
  const during = await begin(id)
  await runIn(during, 'waiting')
  expect((await app.api.delete(`/workspaces/acme/users/${leaver.id}`)).status).toBeLessThan(300)
  app.forgetMemberships()
  await app.api.post(`${runsPath}/${during}/resume`)
  expect((await runIn(during, 'held')).attributes).toMatchObject({ held_reason: 'owner_left', acting_id: leaver.id })
  const stopped = await until(async () => {
    const { attributes } = (await app.api.get(`${path}/${id}`)).body.data
    return !attributes.enabled && attributes
  })
  expect(stopped).toMatchObject({ stopped_reason: 'owner_left', owner_id: member, acting_id: leaver.id })
  expect(await patch(id, { enabled: true }, 'member')).toMatchObject({ stopped_reason: null, acting_id: member })
  expect(await endOf(during)).toEqual(asMember)
  await app.api.post(`${runsPath}/${before}/resume`)
  expect(await endOf(before)).toEqual(asMember)
  expect((await app.api.get(`${path}/${id}`)).body.data.attributes.enabled).toBe(true)
})
