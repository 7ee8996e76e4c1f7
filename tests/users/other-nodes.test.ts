import { expect, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { followEvents } from '../harness/event-stream.ts'
import type { Json } from '../harness/http.ts'
import { connect } from '../harness/oauth.ts'
import { createKey, type Caller } from '../harness/people.ts'
import { share } from '../harness/grants.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'
import { changesOf, schemasOf } from '../harness/schemas.ts'
import { until } from '../harness/until.ts'
import { workflowsOf } from '../harness/workflows.ts'
import { nameOnly } from '../schemas/name-only.ts'

// SQLite has one process.
const testOnPostgres = test.runIf(inject('database') === 'postgres')

const app = await startApp({ rateLimitPerMinute: 600 })
/** Its clock stands still: what it has read of a caller never gets too old by itself. */
const node = await startApp({
  beside: app,
  rateLimitPerMinute: 600,
  standingStill: true,
  baseUrl: app.baseUrl,
  authUrl: app.origin,
})
const acme = '/workspaces/acme'
const users = `${acme}/users`

const statusFor = async (as: Caller): Promise<number> => (await node.api.get(users, { as })).status
/** Waits until the other node has heard of a change. */
const heard = (status: number, as: Caller): Promise<unknown> =>
  until(async () => (await statusFor(as)) === status, { what: () => statusFor(as) })

const bearer = (token: string): Caller => ({ authorization: `Bearer ${token}` })
const keyed = (key: string): Caller => ({ authorization: `api-key ${key}` })

testOnPostgres(
  'another node refuses a key that was revoked or rotated, without waiting for its trust to end',
  async () => {
    const [revoked, rotated] = [await createKey(app.api.post, 'admin'), await createKey(app.api.post, 'admin')]
    expect([await statusFor(keyed(revoked.key)), await statusFor(keyed(rotated.key))]).toEqual([200, 200])
    await app.api.delete(`${acme}/api-keys/${revoked.id}`)
    await heard(401, keyed(revoked.key))
    await app.api.post(`${acme}/api-keys/${rotated.id}/rotate`, { body: { overlap_hours: 0 } })
    await heard(401, keyed(rotated.key))
  },
)

testOnPostgres('it refuses members who were removed or demoted, and ends their streams', async () => {
  const [gone, demoted] = [await app.addMember('member', 'gone'), await app.addMember('admin', 'demoted')]
  expect([await statusFor(gone.as), await statusFor(demoted.as)]).toEqual([200, 200])
  const stream = await followEvents(node, { as: gone.as })
  await app.startJobs()
  await app.api.delete(`${users}/${gone.id}`)
  await heard(404, gone.as)
  expect(await stream.ended).toBe(true)
  const made = `${users}/${demoted.id}/made`
  expect((await node.api.get(made, { as: demoted.as })).status).toBe(200)
  await app.api.patch(`${users}/${demoted.id}`, { body: { role: 'member' } })
  await until(async () => (await node.api.get(made, { as: demoted.as })).status === 403)
})

testOnPostgres('it refuses tokens of an app that was disconnected', async () => {
  const third = await app.oauth.register()
  const { access_token: token } = await connect(third, await app.oauth.visitor('member'), 'members:read')
  expect(await statusFor(bearer(token))).toBe(200)
  await app.oauth.revokeApp('member', third.clientId)
  await heard(401, bearer(token))
})

testOnPostgres('it knows no field any more that was removed', async () => {
  const object = await schemasOf(app).make({ ...nameOnly, code: { type: 'string' } })
  const { id } = await recordsOf(app).create(object, { name: 'A', code: 'k' })
  const namesAt = async (at: typeof app): Promise<string[]> =>
    Object.keys((await recordsOf(at).get(object, id)).body.data.attributes)
  expect(await namesAt(node)).toContain('code')
  await changesOf(app).edit(object, (properties) => delete properties['code'])
  await until(async () => !(await namesAt(node)).includes('code'))
})

testOnPostgres('it applies withdrawn grants, settings and disabled workflows to the next request', async () => {
  const { id } = await recordsOf(app).create('meeting', { title: 'Talk' })
  const grant = await share(app.api.post, `meeting/records/${id}`, app.userIds.viewer, 'view')
  const meeting = async (): Promise<number> =>
    (await node.api.get(`${recordsPath('meeting')}/${id}`, { as: 'viewer' })).status
  expect(await meeting()).toBe(200)
  await app.api.delete(`${acme}/objects/meeting/records/${id}/access/${grant}`)
  expect(await meeting()).toBe(404)

  await app.api.post(`${acme}/settings`, { body: { key: 'time_zone', value: 'Asia/Kathmandu' } })
  expect(JSON.stringify((await node.api.get(`${acme}/settings/time_zone`)).body)).toContain('Asia/Kathmandu')

  const workflows = workflowsOf(app)
  const trigger = { plugin_id: 'on:svc:automation-webhook' }
  const { id: workflow } = await workflows.create({ name: 'Inbound', enabled: true, trigger, blocks: {} })
  const post = async (): Promise<number> =>
    (await node.api.post(`/webhooks/workflows/acme/${workflow}`, { as: 'anonymous', body: {} })).status
  expect(await post()).toBe(200)
  await app.api.patch(`${workflows.path}/${workflow}`, { body: { enabled: false } })
  expect(await post()).toBe(404)
})

/** Calls of `users.list` that the other node would let through now. */
async function left(): Promise<number> {
  const { body } = await node.api.get(`${acme}/limits`)
  const limits: Json[] = body.data.attributes.rate_limits
  return limits.find(({ operation }) => operation === 'users.list').remaining
}

testOnPostgres('it counts what others have let through against the limit of a workspace', async () => {
  const before = await left()
  await Promise.all(Array.from({ length: 300 }, () => app.api.get(users)))
  await until(async () => (await left()) <= before - 150, { what: left })
  expect(await left()).toBeGreaterThan(before - 320)
})
