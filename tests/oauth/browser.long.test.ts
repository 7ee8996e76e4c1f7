import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import * as oauth from 'openid-client'
import { describe, expect, test } from 'vitest'
import { atEnd } from '../harness/at-end.ts'
import { startApp } from '../harness/app.ts'
import { hasChromium, needsChromium, openChromium } from '../harness/chromium.ts'
import { ask, redeem, type AuthorizationRequest, type ThirdParty, type Tokens } from '../harness/oauth.ts'

const scope = 'openid profile email offline_access records:read'
const password = 'a tall order of herring'

/** A web application of a third party: it sends its visitor to Kontor, and takes them back with a code. */
async function thirdPartysSite(
  register: (redirectUri: string) => Promise<ThirdParty>,
  parameters: Readonly<Record<string, string>> = {},
) {
  let asked: AuthorizationRequest | undefined
  let tokens: Tokens | undefined
  let problem: unknown
  const server = createServer((request, response) => {
    void (async () => {
      if (request.url === '/') {
        asked = await ask(third, scope, parameters)
        response.writeHead(303, { Location: asked.url }).end()
        return
      }
      if (request.url?.startsWith('/callback') !== true) {
        response.writeHead(404).end()
        return
      }
      try {
        // Posted or in the address, as the app has asked for.
        const answer = request.method === 'POST' ? `/callback?${await text(request)}` : request.url
        tokens = await redeem(third, asked as AuthorizationRequest, site + answer)
        response.setHeader('Content-Type', 'text/html').end('<h1>Connected to Kontor</h1>')
      } catch (error) {
        problem = error
        response.setHeader('Content-Type', 'text/html').end('<h1>Not connected</h1>')
      }
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const third = await register(`${site}/callback`)
  atEnd(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  )
  return {
    site,
    third,
    tokens: () => tokens as Tokens,
    problem: () => problem as { readonly error?: string } | undefined,
  }
}

if (!hasChromium) test.skip(`an app reads a record with the consent of a member${needsChromium}`)
else
  describe('in a real browser', async () => {
    const app = await startApp()
    const { id } = await app.addMember('member', 'nora', password)
    const record = await app.api.post('/workspaces/acme/objects/person/records', {
      body: { data: { type: 'person', attributes: { name: { first_name: 'Grace', last_name: 'Hopper' } } } },
    })
    const read = (tokens: Tokens) =>
      app.api.get(`/workspaces/acme/objects/person/resources/${record.body.data.id}`, {
        as: { authorization: `Bearer ${tokens.access_token}` },
      })

    test.for([true, false])(
      'an app reads a record with the consent of a member, until she takes it back (scripts: %s)',
      { timeout: 60_000 },
      async (javaScriptEnabled) => {
        const browser = await openChromium({ javaScriptEnabled })
        const page = await browser.newPage()
        const { site, third, tokens } = await thirdPartysSite((uri) =>
          app.oauth.register({ name: 'Herring Mail', redirectUris: [uri] }),
        )

        await page.goto(site)
        await page.getByLabel('E-mail address').fill('nora@example.com')
        await page.getByLabel('Password', { exact: true }).fill(password)
        await page.getByRole('button', { name: 'Sign in' }).click()

        await page.getByRole('heading', { name: 'Allow Herring Mail to access your account?' }).waitFor()
        expect(await page.getByRole('listitem').allInnerTexts()).toContain('Stay connected while you are away')
        await page.getByRole('button', { name: 'Allow', exact: true }).click()
        await page.getByRole('heading', { name: 'Connected to Kontor' }).waitFor()

        expect(tokens().claims()?.sub).toBe(id)
        const { status, body } = await read(tokens())
        expect([status, body.data.attributes.name.last_name]).toEqual([200, 'Hopper'])
        const fresh = await oauth.refreshTokenGrant(third.config, tokens().refresh_token as string)
        expect((await read(fresh)).status).toBe(200)

        await page.goto(`${app.origin}/auth/account`)
        await page.getByRole('button', { name: 'Revoke Herring Mail' }).click()
        await page.getByText('The app no longer has access.').waitFor()
        expect((await read(fresh)).status).toBe(401)
        await expect(oauth.refreshTokenGrant(third.config, fresh.refresh_token as string)).rejects.toMatchObject({
          error: 'invalid_grant',
        })
      },
    )

    test(
      'who was asked before is not asked again, and a person who says no sends the app away',
      { timeout: 60_000 },
      async () => {
        const browser = await openChromium()
        const page = await browser.newPage()
        const { site, problem, tokens } = await thirdPartysSite((uri) =>
          app.oauth.register({ name: 'Pushy', redirectUris: [uri] }),
        )
        await page.goto(site)
        await page.getByLabel('E-mail address').fill('nora@example.com')
        await page.getByLabel('Password', { exact: true }).fill(password)
        await page.getByRole('button', { name: 'Sign in' }).click()
        await page.getByRole('button', { name: 'Do not allow' }).click()
        await page.getByRole('heading', { name: 'Not connected' }).waitFor()
        expect(problem()?.error).toBe('access_denied')

        await page.goto(site)
        await page.getByRole('button', { name: 'Allow', exact: true }).click()
        await page.getByRole('heading', { name: 'Connected to Kontor' }).waitFor()
        const first = tokens()
        await page.goto(site)
        await page.getByRole('heading', { name: 'Connected to Kontor' }).waitFor()
        expect(tokens().access_token).not.toBe(first.access_token)
      },
    )

    test('an app that wants its answer posted gets it posted', { timeout: 60_000 }, async () => {
      const browser = await openChromium()
      const page = await browser.newPage()
      const { site, tokens } = await thirdPartysSite(
        (uri) => app.oauth.register({ name: 'Postal', redirectUris: [uri] }),
        { response_mode: 'form_post' },
      )
      await page.goto(site)
      await page.getByLabel('E-mail address').fill('nora@example.com')
      await page.getByLabel('Password', { exact: true }).fill(password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('button', { name: 'Allow', exact: true }).click()
      await page.getByRole('heading', { name: 'Connected to Kontor' }).waitFor()
      expect((await read(tokens())).status).toBe(200)
    })
  })
