import { expect, test } from 'vitest'
import * as oauth from 'openid-client'
import { startApp } from '../harness/app.ts'
import { ask, connect, leaving } from '../harness/oauth.ts'
import { createKey, type Caller } from '../harness/people.ts'

const app = await startApp()
const { api } = app
const invitations = '/workspaces/acme/invitations'
const scopes = ['members:read', 'members:write']

async function appFor(person: 'admin', registered: readonly string[] = scopes): Promise<Caller> {
  const third = await app.oauth.register({ scopes: registered })
  const { access_token: token } = await connect(third, await app.oauth.visitor(person), registered.join(' '))
  return { authorization: `Bearer ${token}` }
}

const narrowedKey = async (): Promise<Caller> => ({
  authorization: `api-key ${(await createKey(api.post, 'admin', { scopes })).key}`,
})

const invite = (as: Caller, email: string, role: string) => api.post(invitations, { as, body: { email, role } })
const codeOf = ({ status, body }: Awaited<ReturnType<typeof invite>>) => [status, body.errors?.[0].code]

test('members:write is for apps whose registration names it', async () => {
  const third = await app.oauth.register()
  const visitor = await app.oauth.visitor('admin')
  const { url } = await ask(third, 'openid members:write')
  expect(new URL(leaving(await visitor.open(url))).searchParams.get('error')).toBe('invalid_scope')
  const { scope = '', access_token: token } = await connect(third, visitor, 'openid')
  expect(scope.split(' ')).toContain('members:read')
  expect(scope.split(' ')).not.toContain('members:write')
  const refused = await invite({ authorization: `Bearer ${token}` }, 'eve@example.com', 'member')
  expect(codeOf(refused)).toEqual([403, 'insufficient_scope'])
})

test('consent names it beside everything else', async () => {
  const everything = (await connect(await app.oauth.register(), await app.oauth.visitor('admin'), 'openid')).scope ?? ''
  const asked = everything.split(' ').filter((scope) => scope.includes(':'))
  const third = await app.oauth.register({ scopes: [...asked, 'members:write'] })
  const page = await (await app.oauth.visitor('admin')).open((await ask(third, 'openid')).url)
  for (const text of ['Everything that you may do', 'Invite and remove members']) expect(page.text).toContain(text)
})

test('a refresh token from when it was a default brings it back no more', async () => {
  const third = await app.oauth.register({ scopes: ['records:read', 'members:write'] })
  const visitor = await app.oauth.visitor('admin')
  const tokens = await connect(third, visitor, 'openid offline_access records:read members:write')
  expect(tokens.scope).toContain('members:write')
  await app.oauth.unname(third.clientId)
  const { access_token: token } = await oauth.refreshTokenGrant(third.config, tokens.refresh_token as string)
  const as = { authorization: `Bearer ${token}` }
  expect((await api.get('/workspaces/acme/objects/person/resources', { as })).status).toBe(200)
  expect(codeOf(await invite(as, 'back@example.com', 'member'))).toEqual([403, 'insufficient_scope'])
})

test.for([
  ['an app', () => appFor('admin')],
  ['a key with scopes', narrowedKey],
] as const)('%s invites members and viewers, and makes nobody an admin', async ([name, callerOf]) => {
  const as = await callerOf()
  const tag = name.replaceAll(' ', '-')
  expect((await invite(as, `m-${tag}@example.com`, 'member')).status).toBe(201)
  expect((await invite(as, `v-${tag}@example.com`, 'viewer')).status).toBe(201)
  expect(codeOf(await invite(as, `a-${tag}@example.com`, 'admin'))).toEqual([403, 'forbidden'])
  // A link to an invitation of another would do as well, and so would a member who is raised.
  const { body } = await invite('admin', `a-${tag}@example.com`, 'admin')
  expect(codeOf(await api.post(`${invitations}/${body.data.id}/resend`, { as }))).toEqual([403, 'forbidden'])
  const raised = { as, body: { role: 'admin' } }
  expect(codeOf(await api.patch(`/workspaces/acme/users/${app.userIds.member}`, raised))).toEqual([403, 'forbidden'])
  const lowered = { as, body: { role: 'viewer' } }
  expect((await api.patch(`/workspaces/acme/users/${app.userIds.member}`, lowered)).status).toBe(200)
  await app.restoreMembers()
})

test('the link is shown to people and their keys, never to an app', async () => {
  const asApp = await appFor('admin')
  const { body } = await invite(asApp, 'linked@example.com', 'member')
  expect(body.data.attributes.accept_url).toBeNull()
  const again = await api.post(`${invitations}/${body.data.id}/resend`, { as: asApp })
  expect([again.status, again.body.data.attributes.accept_url]).toEqual([200, null])
  for (const as of ['admin', 'adminKey', await narrowedKey()] as const) {
    const shown = await api.post(`${invitations}/${body.data.id}/resend`, { as })
    expect(shown.body.data.attributes.accept_url).toContain('/auth/invitation?token=')
  }
})
