import { describe, expect, test } from 'vitest'
import * as oauth from 'openid-client'
import { startApp } from '../harness/app.ts'
import type { Seen } from '../harness/journey.ts'
import { ask, connect, leaving, redeem, type ThirdParty, type Tokens } from '../harness/oauth.ts'

const app = await startApp()
const scope = 'openid offline_access records:read'

/** A person who is a member of acme and of other. */
const both = await app.addMember('member', 'both')
await app.oauth.admin.addUser({ workspace: 'other', email: 'both@example.com', role: 'member' })
const [acme, other] = (await Promise.all(['acme', 'other'].map(app.workspaceId))) as [string, string]

const read = (tokens: Tokens, slug: string) =>
  app.api
    .get(`/workspaces/${slug}/objects/person/resources`, { as: { authorization: `Bearer ${tokens.access_token}` } })
    .then(({ status }) => status)
const listed = async (tokens: Tokens): Promise<string[]> => {
  const { body } = await app.api.get('/workspaces', { as: { authorization: `Bearer ${tokens.access_token}` } })
  return body.data.map(({ attributes }: { attributes: { slug: string } }) => attributes.slug)
}

async function consentOf(third: ThirdParty, userId: string, parameters: Record<string, string> = {}) {
  const visitor = await app.oauth.visitorOf(userId)
  const asked = await ask(third, scope, parameters)
  return { visitor, asked, page: await visitor.open(asked.url) }
}

async function connectIn(third: ThirdParty, userId: string, workspace: string): Promise<Tokens> {
  const { visitor, asked, page } = await consentOf(third, userId)
  return redeem(third, asked, leaving(await visitor.submit(page, { answer: 'allow', workspace })))
}

const choicesOf = ({ text }: Seen): string[] =>
  [...text.matchAll(/<input type="radio" name="workspace" value="([^"]*)"( checked)?>/g)].map(
    ([, value = '', checked]) => value + (checked ?? ''),
  )

describe('a person says where an app is let in', () => {
  test('and has to say it, where there is more than one', async () => {
    const third = await app.oauth.register()
    const { visitor, page } = await consentOf(third, both.id)
    expect(choicesOf(page)).toEqual([acme, other, 'all'])
    for (const workspace of [
      {},
      { workspace: '' },
      { workspace: 'nonsense' },
      { workspace: app.userIds.admin },
    ] as Record<string, string>[]) {
      const again = await visitor.submit(page, { answer: 'allow', ...workspace })
      expect([again.status, again.text.includes('Choose a workspace')]).toEqual([422, true])
    }
    expect(await app.oauth.stored()).not.toContain(`"client_id":"${third.clientId}"`)
  })

  test('one: it is let in there and nowhere else, refreshed or not', async () => {
    const third = await app.oauth.register()
    const tokens = await connectIn(third, both.id, other)
    const next = await oauth.refreshTokenGrant(third.config, tokens.refresh_token as string)
    for (const one of [tokens, next]) {
      expect([await read(one, 'other'), await read(one, 'acme'), await listed(one)]).toEqual([200, 404, ['other']])
    }
    // The rights of the person say nothing of the app, nor the other way round.
    expect((await app.api.get('/workspaces/acme/objects/person/resources', { as: both.as })).status).toBe(200)
    expect(await read(tokens, 'acme')).toBe(404)
  })

  test('all: those that are joined later too, and not those that are left', async () => {
    const third = await app.oauth.register()
    const { id } = await app.addMember('member', 'joiner')
    const tokens = await connectIn(third, id, 'all')
    expect([await read(tokens, 'acme'), await read(tokens, 'other')]).toEqual([200, 404])
    await app.oauth.admin.addUser({ workspace: 'other', email: 'joiner@example.com', role: 'member' })
    expect([await read(tokens, 'other'), await listed(tokens)]).toEqual([200, ['acme', 'other']])
  })

  test('one after the other: each time it is asked, and neither gets what the other has', async () => {
    const third = await app.oauth.register()
    const first = await connectIn(third, both.id, acme)
    expect((await consentOf(third, both.id)).page.location, 'what was said before holds').toContain('code=')
    const { visitor, asked, page } = await consentOf(third, both.id, { prompt: 'consent' })
    expect(choicesOf(page)).toEqual([`${acme} checked`, other, 'all'])
    const second = await redeem(
      third,
      asked,
      leaving(await visitor.submit(page, { answer: 'allow', workspace: other })),
    )
    expect([
      await read(first, 'acme'),
      await read(first, 'other'),
      await read(second, 'acme'),
      await read(second, 'other'),
    ]).toEqual([200, 404, 404, 200])
    expect(choicesOf((await consentOf(third, both.id)).page), 'who has said two things is asked which').toEqual([
      acme,
      other,
      'all',
    ])
    const account = await visitor.open(`${app.origin}/auth/account`)
    for (const text of ['In Acme', 'In Other']) expect(account.text).toContain(text)
    await app.oauth.revokeAppOf(both.id, third.clientId)
    expect([await read(first, 'acme'), await read(second, 'other')]).toEqual([401, 401])
  })

  test('one that they leave: they are asked anew among the others, and what was given for it is over', async () => {
    const third = await app.oauth.register()
    const { id } = await app.addMember('member', 'leaver')
    await app.oauth.admin.addUser({ workspace: 'other', email: 'leaver@example.com', role: 'member' })
    const tokens = await connectIn(third, id, acme)
    const before = await consentOf(third, id)
    expect((await app.api.delete(`/workspaces/acme/users/${id}`)).status).toBe(200)
    const { visitor, asked, page } = await consentOf(third, id)
    expect([
      page.location,
      page.text.includes('Allow Mail Merge to access your account?'),
      page.text.includes('Acme'),
    ]).toEqual([null, true, false])
    await expect(oauth.refreshTokenGrant(third.config, tokens.refresh_token as string)).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    await expect(redeem(third, before.asked, leaving(before.page)), 'a code from before').rejects.toMatchObject({
      error: 'invalid_grant',
    })
    const next = await redeem(third, asked, leaving(await visitor.submit(page, { answer: 'allow', workspace: other })))
    expect([await read(next, 'other'), await read(next, 'acme')]).toEqual([200, 404])
  })

  test('nothing, where it only wants to know who they are', async () => {
    const third = await app.oauth.register({ scopes: ['openid'] })
    const visitor = await app.oauth.visitorOf(both.id)
    const page = await visitor.open((await ask(third, 'openid')).url)
    expect(choicesOf(page)).toEqual([])
    expect(leaving(await visitor.submit(page, { answer: 'allow' }))).toContain('code=')
  })
})

const granted = ({ scope: given = '' }: Tokens): string[] => given.split(' ')

describe('what an app gets that names no scope of the API', () => {
  test('is everything that the person may do, and they are told so', async () => {
    const third = await app.oauth.register()
    const visitor = await app.oauth.visitor('member')
    const page = await visitor.open((await ask(third, 'openid profile')).url)
    expect(page.text).toContain('Everything that you may do')
    const tokens = await connect(third, visitor, 'openid profile')
    expect(granted(tokens)).toEqual(
      expect.arrayContaining(['openid', 'records:write', 'schemas:write', 'members:read']),
    )
    for (const named of ['members:write', 'keys:write', 'workspaces:write'])
      expect(granted(tokens)).not.toContain(named)
    expect(await read(tokens, 'acme')).toBe(200)
  })

  test('is what it was registered for, where that is less', async () => {
    const third = await app.oauth.register({ scopes: ['records:read:person', 'lists:read'] })
    const tokens = await connect(third, await app.oauth.visitor('member'), 'openid')
    expect(granted(tokens)).toEqual(['openid', 'records:read:person', 'lists:read'])
    expect(await read(tokens, 'acme')).toBe(200)
    expect(
      (
        await app.api.get('/workspaces/acme/objects/company/resources', {
          as: { authorization: `Bearer ${tokens.access_token}` },
        })
      ).status,
    ).toBe(403)
  })

  test('nothing, where it names something that there is not', async () => {
    const third = await app.oauth.register()
    expect(granted(await connect(third, await app.oauth.visitor('member'), 'openid record:read'))).toEqual(['openid'])
  })

  test.for(['records:write', 'keys:write', 'records:read'])(
    'and for more than it was registered for (%s) it asks in vain',
    async (wanted) => {
      const third = await app.oauth.register({ scopes: ['records:read:person'] })
      const visitor = await app.oauth.visitor('member')
      const page = await visitor.open((await ask(third, `openid ${wanted}`)).url)
      expect(new URL(leaving(page)).searchParams.get('error')).toBe('invalid_scope')
    },
  )

  test('an app may ask for less than it was registered for', async () => {
    const third = await app.oauth.register({ scopes: ['records:read', 'keys:write'] })
    expect(granted(await connect(third, await app.oauth.visitor('member'), 'records:read:person'))).toEqual([
      'records:read:person',
    ])
  })

  test(
    'creating a key and renaming a workspace, where its registration names that; the key does no more than the ' +
      'app',
    async () => {
      const third = await app.oauth.register({ scopes: ['records:read', 'keys:write', 'workspaces:write'] })
      const { access_token: token } = await connect(third, await app.oauth.visitor('admin'), 'openid')
      const as = { authorization: `Bearer ${token}` }
      const create = (scopes: readonly string[]) =>
        app.api.post('/workspaces/acme/api-keys', {
          as,
          body: { data: { type: 'api-key', attributes: { name: 'Of an app', scopes } } },
        })
      expect([
        (await create(['records:read'])).status,
        (await create([])).status,
        (await create(['records:write'])).status,
      ]).toEqual([201, 403, 403])
      expect(
        (
          await app.api.patch('/workspaces/acme', {
            as,
            body: { data: { type: 'workspace', attributes: { name: 'Acme' } } },
          })
        ).status,
      ).toBe(200)
    },
  )
})

test.for([
  [{ scopes: ['records:fly'] }, '"records:fly" is not a scope. The scopes are: records:read,'],
  [{ redirectUris: [`https://app.example/${'x'.repeat(500)}`] }, 'redirect_uris: Must have at most 500 characters.'],
  [{ name: 'a\u0007b' }, 'name: Must not contain control characters'],
] as const)('an app of the operator is under the rules of the API: not %j', async ([request, message]) => {
  await expect(app.oauth.register(request)).rejects.toThrow(message)
})
