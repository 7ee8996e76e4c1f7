import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { visitorOf } from '../harness/visitor.ts'

const app = await startApp()
const { api } = app
const invitations = '/workspaces/acme/invitations'
const users = '/workspaces/acme/users'
const password = 'quiet rivers run deep'

/** An admin who has invited an address of their own. */
async function inviter(name: string) {
  const admin = await app.addMember('admin', name, password)
  const { status, body } = await api.post(invitations, {
    as: admin.as,
    body: { email: `${name}-again@example.com`, role: 'admin' },
  })
  expect(status).toBe(201)
  return { ...admin, invitation: body.data.id as string, link: linkOf(body.data.attributes.accept_url) }
}

const linkOf = (url: string): string => url.slice(app.origin.length)

const stateOf = async (id: string) => {
  const listed = (await api.get(invitations, { query: { 'page[limit]': 500 } })).body.data
  const [{ attributes }] = listed.filter((one: { id: string }) => one.id === id)
  expect((await api.get(`${invitations}/${id}`)).body.data.attributes).toEqual(attributes)
  return attributes.state
}

test.for([
  ['is removed', (id: string) => api.delete(`${users}/${id}`)],
  ['becomes a member', (id: string) => api.patch(`${users}/${id}`, { body: { role: 'member' } })],
  ['becomes a viewer', (id: string) => api.patch(`${users}/${id}`, { body: { role: 'viewer' } })],
] as const)('an invitation ends when its inviter %s', async ([what, end]) => {
  const name = what.replaceAll(' ', '-')
  const { id, invitation, link } = await inviter(name)
  const browser = visitorOf(app)
  await browser.go(link)
  expect((await end(id)).status).toBe(200)
  expect(await stateOf(invitation)).toBe('ended')
  expect((await visitorOf(app).go(link)).status).toBe(404)
  expect((await browser.submit('/auth/invitation', { name: 'Mallory', password })).status).toBe(404)
  const members = (await api.get(users, { query: { 'page[limit]': 500 } })).body.data
  expect(members.filter(({ attributes }: Json) => attributes.email === `${name}-again@example.com`)).toEqual([])
})

test('one who leaves ends their own, and signing in does not help', async () => {
  const account = await app.addMember('member', 'leaver-again', password)
  await api.delete(`${users}/${account.id}`)
  const { id, as, link } = await inviter('leaver')
  const browser = visitorOf(app)
  await browser.signIn('leaver-again@example.com', password)
  await browser.go(link)
  expect((await api.delete(`${users}/${id}`, { as })).status).toBe(200)
  expect((await browser.submit('/auth/invitation/accept')).status).toBe(404)
})

test('it stays ended when they are admin again, until one sends it again', async () => {
  const { id, as, invitation, link } = await inviter('returner')
  await api.patch(`${users}/${id}`, { body: { role: 'member' } })
  await api.patch(`${users}/${id}`, { body: { role: 'admin' } })
  expect([await stateOf(invitation), (await visitorOf(app).go(link)).status]).toEqual(['ended', 404])
  const { body } = await api.post(`${invitations}/${invitation}/resend`, { as })
  expect([body.data.attributes.state, body.data.attributes._created_by]).toEqual(['pending', id])
  expect((await visitorOf(app).go(linkOf(body.data.attributes.accept_url))).status).toBe(200)
})

test('another admin who sends it again answers for it; it ends with them, and not with the first', async () => {
  const first = await inviter('first')
  const second = await app.addMember('admin', 'second')
  const { body } = await api.post(`${invitations}/${first.invitation}/resend`, { as: second.as })
  expect(body.data.attributes._created_by).toBe(second.id)
  await api.delete(`${users}/${first.id}`)
  expect(await stateOf(first.invitation)).toBe('pending')
  await api.delete(`${users}/${second.id}`)
  expect(await stateOf(first.invitation)).toBe('ended')
})

test('an ended one makes room for another', async () => {
  const { id, invitation } = await inviter('room')
  await api.delete(`${users}/${id}`)
  const next = await api.post(invitations, { body: { email: 'room-again@example.com' } })
  expect(next.status).toBe(201)
  expect((await api.get(`${invitations}/${invitation}`)).status).toBe(404)
})

test('on another node, which still takes the inviter for an admin, none is made', async () => {
  const node = await startApp({ beside: app })
  const { id, as } = await app.addMember('admin', 'elsewhere')
  expect((await node.api.get(invitations, { as })).status).toBe(200)
  await api.patch(`${users}/${id}`, { body: { role: 'member' } })
  const { status, body } = await node.api.post(invitations, { as, body: { email: 'late@example.com', role: 'admin' } })
  expect([status, body.errors[0].code]).toEqual([403, 'forbidden'])
})
