import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { unknownId } from '../harness/records.ts'

const app = await startApp()
const { api, userIds } = app

const invitations = '/workspaces/acme/invitations'
const invite = (attributes: Json) => api.post(invitations, { body: { data: { type: 'invitation', attributes } } })
const sevenDaysMs = 7 * 86_400_000

test('answers with the link where no e-mail is sent, once', async () => {
  await app.events()
  const { status, body } = await invite({ email: 'Grace@Example.com', name: 'Grace Hopper' })
  expect(status).toBe(201)
  const { accept_url, ...told } = body.data.attributes
  expect(accept_url).toMatch(new RegExp(`^${app.origin}/auth/invitation\\?token=[\\w-]{43}$`))
  expect(told).toMatchObject({
    _id: body.data.id,
    email: 'Grace@Example.com',
    name: 'Grace Hopper',
    role: 'member',
    state: 'pending',
    _created_by: userIds.admin,
  })
  expect(Date.parse(told.expires_at) - Date.parse(told._created_at)).toBe(sevenDaysMs)
  expect((await api.get(`${invitations}/${body.data.id}`)).body).toEqual({ data: { ...body.data, attributes: told } })
  expect((await api.get(invitations)).body.data).toEqual([{ ...body.data, attributes: told }])
  const stored = JSON.stringify(await app.rows(await app.workspaceId('acme')))
  expect(stored).not.toContain(new URL(accept_url).searchParams.get('token'))
  const [event] = await app.events()
  expect(event).toMatchObject({
    type: 'member.invited',
    object: 'invitation',
    record_id: body.data.id,
    payload: { email: 'Grace@Example.com', role: 'member' },
  })
})

test('an address is invited once, and no member is', async () => {
  const first = await invite({ email: 'one@example.com' })
  const again = await invite({ email: 'ONE@example.com', role: 'admin' })
  expect([again.status, again.body.errors[0].code, again.body.errors[0].meta]).toEqual([
    409,
    'unique_violation',
    { field: 'email', existing_id: first.body.data.id },
  ])
  const member = await invite({ email: 'Member@example.com' })
  expect([member.status, member.body.errors[0].meta]).toEqual([409, { field: 'email', existing_id: userIds.member }])
  // A person with an account elsewhere is no member here.
  expect((await invite({ email: 'stranger@example.com' })).status).toBe(201)
  const both = await Promise.all([invite({ email: 'twice@example.com' }), invite({ email: 'twice@example.com' })])
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
})

test('sent again it has another link and seven more days', async () => {
  const { body } = await api.post(invitations, { body: { email: 'again@example.com' } })
  await app.advance(86_400_000)
  const again = await api.post(`${invitations}/${body.data.id}/resend`)
  expect(again.status).toBe(200)
  expect(again.body.data.attributes.accept_url).not.toBe(body.data.attributes.accept_url)
  expect(
    Date.parse(again.body.data.attributes.expires_at) - Date.parse(body.data.attributes.expires_at),
  ).toBeGreaterThanOrEqual(86_400_000)
  const path = (url: string) => url.slice(app.origin.length)
  const statusOf = async (url: string) => (await app.http.send({ method: 'GET', url: app.origin + path(url) })).status
  expect([
    await statusOf(body.data.attributes.accept_url),
    await statusOf(again.body.data.attributes.accept_url),
  ]).toEqual([404, 200])
})

test('an expired one says so, and makes room for another', async () => {
  const { body } = await invite({ email: 'late@example.com' })
  await app.advance(sevenDaysMs)
  expect((await api.get(`${invitations}/${body.data.id}`)).body.data.attributes.state).toBe('expired')
  const next = await invite({ email: 'late@example.com', role: 'viewer' })
  expect([next.status, next.body.data.attributes.role]).toEqual([201, 'viewer'])
  expect((await api.get(`${invitations}/${body.data.id}`)).status).toBe(404)
})

test('a revoked one is gone', async () => {
  const { body } = await invite({ email: 'revoked@example.com' })
  await app.events()
  expect(await api.delete(`${invitations}/${body.data.id}`)).toMatchObject({ status: 200, body: {} })
  expect((await app.events()).map(({ type }) => type)).toEqual(['member.invitation_revoked'])
  expect((await api.delete(`${invitations}/${body.data.id}`)).status).toBe(404)
  expect((await app.http.send({ method: 'GET', url: body.data.attributes.accept_url })).status).toBe(404)
})

test.for([unknownId, 'mine'])('404 for no invitation: %s', async (id) => {
  for (const answer of [
    await api.get(`${invitations}/${id}`),
    await api.delete(`${invitations}/${id}`),
    await api.post(`${invitations}/${id}/resend`),
  ])
    expect(answer.status).toBe(404)
})

test.for([
  [{ email: 'no-address' }, '/email'],
  [{ email: 'a@example.com', role: 'owner' }, '/role'],
  [{ email: 'a@example.com', name: ' ' }, '/name'],
])('422 for %j', async ([body, pointer]) => {
  const answer = await api.post(invitations, { body })
  expect([answer.status, answer.body.errors[0].source]).toEqual([422, { pointer }])
})
