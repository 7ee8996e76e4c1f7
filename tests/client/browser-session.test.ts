import { createRestClient, records, resources, workspaces } from '@kontor/client'
import { createBrowserSession, type SessionOptions } from '@kontor/client/browser'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startApp } from '../harness/app.ts'
import { allow, leaving } from '../harness/oauth.ts'

const app = await startApp()
const home = 'https://people.example.com/'
const { clientId } = await app.oauth.register({ name: 'People', type: 'public', redirectUris: [home] })
const visitor = await app.oauth.visitor('member')

/** A tab of a browser: where it is, and what it keeps. */
function openTab(at: string) {
  const kept = new Map<string, string>()
  const tab = { href: at, left: Promise.withResolvers<string>() }
  vi.stubGlobal('location', {
    origin: new URL(home).origin,
    get href() {
      return tab.href
    },
    assign: (url: string) => tab.left.resolve(url),
  })
  vi.stubGlobal('history', { replaceState: (_data: unknown, _unused: string, url: string) => void (tab.href = url) })
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  })
  return { ...tab, kept, tab }
}
let opened: ReturnType<typeof openTab>
beforeEach(() => void (opened = openTab(`${home}people/7?shown=notes#last`)))
afterEach(() => void vi.unstubAllGlobals())

const sessionOf = (options: Partial<SessionOptions> = {}) =>
  createBrowserSession({ authUrl: app.origin, clientId, ...options })

/** The person signs in, and stands before the address of the page again. */
async function comeBack(answer: 'allow' | 'deny' = 'allow', options: Partial<SessionOptions> = {}): Promise<void> {
  void sessionOf(options).signIn()
  const page = await visitor.open(await opened.tab.left.promise)
  opened.tab.href =
    page.location ??
    (answer === 'allow' ? await allow(visitor, page) : leaving(await visitor.submit(page, { answer: 'deny' })))
}

const workspacesBy = (session: ReturnType<typeof sessionOf>) =>
  createRestClient({ url: app.baseUrl, accessToken: session.accessToken }).call(workspaces.list, {})

test('a person who says no comes back with the reason', async () => {
  expect(await sessionOf().resume()).toBe(false)
  await comeBack('deny')
  await expect(sessionOf().resume()).rejects.toMatchObject({ name: 'SignInFailed', code: 'access_denied' })
  expect(await sessionOf().resume()).toBe(false)
})

test('a person signs in, comes back to where they were, stays signed in, and signs out', async () => {
  await comeBack()
  const session = sessionOf()
  // As frameworks do that try effects twice: the code is redeemed once.
  expect(await Promise.all([session.resume(), session.resume()])).toEqual([true, true])
  expect(opened.tab.href).toBe(`${home}people/7?shown=notes#last`)
  expect((await workspacesBy(session)).body.data).toHaveLength(1)

  const reloaded = sessionOf()
  expect(await reloaded.resume()).toBe(true)
  const both = await Promise.all([reloaded.accessToken(), reloaded.accessToken()])
  expect(both[0]).toBe(both[1])
  expect(await reloaded.accessToken(both[0])).not.toBe(both[0])
  expect([...opened.kept.values()]).not.toContain(both[0])

  await reloaded.signOut()
  expect([...opened.kept.values()]).toEqual([])
  expect(await sessionOf().resume()).toBe(false)
  await expect(
    createRestClient({ url: app.baseUrl, accessToken: both[0] }).call(workspaces.list, {}),
  ).rejects.toMatchObject({ status: 401 })
})

test('a session has the scopes that it requests, and no others of the app', async () => {
  await comeBack('allow', { scope: 'records:read' })
  const session = sessionOf({ scope: 'records:read' })
  expect(await session.resume()).toBe(true)
  const rest = createRestClient({ url: app.baseUrl, accessToken: session.accessToken })
  const path = { workspace: 'acme', object: 'deal' }
  expect((await rest.call(resources.list, path)).status).toBe(200)
  const body = { data: { type: 'deal', attributes: { name: 'Out of scope' } } }
  await expect(rest.call(records.create, { ...path, body })).rejects.toMatchObject({ code: 'insufficient_scope' })
})

test('a session that has ended is told to the page, or leads to signing in', async () => {
  await comeBack()
  const session = sessionOf()
  await session.resume()
  const token = await session.accessToken()
  await app.oauth.revokeApp('member', clientId)
  const onSignedOut = vi.fn<() => void>()
  const told = sessionOf({ onSignedOut })
  await expect(workspacesBy(told)).rejects.toThrow('The session has ended. Sign in again.')
  expect(onSignedOut).toHaveBeenCalledOnce()
  opened.tab.left = Promise.withResolvers()
  void session.accessToken(token)
  expect(await opened.tab.left.promise).toContain('/oauth2/authorize?')
})

test('an address that somebody else has made signs nobody in', async () => {
  await comeBack()
  const { href } = opened.tab
  opened = openTab(href)
  expect(await sessionOf().resume()).toBe(false)
  void sessionOf().signIn()
  await opened.tab.left.promise
  opened.tab.href = href
  await expect(sessionOf().resume()).rejects.toThrow(/state/)
})
