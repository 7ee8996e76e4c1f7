import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as oauth from 'openid-client'
import { chromium, type Page } from 'playwright-core'
import { kontorData, type Server } from '../shell.ts'
import { step, tell } from '../tell.ts'
import { object, workspace } from './model.ts'

const executablePath = '/usr/bin/chromium'
const scope = 'openid offline_access records:read'

type Partnership = {
  readonly server: Server
  readonly member: { readonly email: string }
  /** A committee that the member may see, and one that they may not. */
  readonly committeeId: string
  readonly hiddenId: string
}

/** A third party's app reads a committee with the consent of a member, until the member takes it back. */
export async function connectPartner({ server, member, committeeId, hiddenId }: Partnership): Promise<void> {
  step("A third party's app reads it with the consent of that member, until it is taken back")
  if (!existsSync(executablePath))
    return tell('left out: it needs a browser (apt-get update && apt-get install -y chromium)')
  const authUrl = new URL(server.baseUrl).origin
  const site = await openSite(authUrl)
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-quic'] })
  const read = async (id: string, token: string): Promise<number> => {
    const response = await fetch(`${server.baseUrl}/workspaces/${workspace}/objects/${object}/records/${id}`, {
      headers: { Authorization: `Bearer ${token}` },
    })
    await response.body?.cancel()
    return response.status
  }
  try {
    const page = await browser.newPage()
    await choosePassword(page, member.email)
    await page.goto(site.url)
    await page.getByRole('heading', { name: 'Allow Hearing Planner to access your account?' }).waitFor()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByRole('heading', { name: 'Connected' }).waitFor()
    const token = await site.refreshed()
    assert.deepEqual([await read(committeeId, token), await read(hiddenId, token)], [200, 404])
    tell('the app reads what the member may see, and nothing else')

    await page.goto(`${authUrl}/auth/account`)
    await page.getByRole('button', { name: 'Revoke Hearing Planner' }).click()
    await page.getByText('The app no longer has access.').waitFor()
    assert.equal(await read(committeeId, token), 401)
    await assert.rejects(site.refreshed(), { error: 'invalid_grant' })
    tell('after the member took the consent back: 401, and no new token')
  } finally {
    await browser.close()
    await site.close()
  }
}

const password = 'the gentleman yields five minutes'

/** By the link that an operator hands out; a person who sets their first password is signed in. */
async function choosePassword(page: Page, email: string): Promise<void> {
  const { url } = await kontorData<{ url: string }>('user', 'password-link', '--email', email)
  await page.goto(url)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Set the password' }).click()
  // Leaving the page before the sign-in has completed would cancel it.
  await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor()
}

/** The web site of the app: it sends its visitor to Kontor, and takes them back with a code. */
async function openSite(authUrl: string) {
  const server = createServer(
    (request, response) =>
      void answer(request.url ?? '/').then(
        ({ status, headers, body }) => response.writeHead(status, headers).end(body),
        (error: unknown) => response.writeHead(500).end(String(error)),
      ),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const redirectUri = `${url}/callback`
  const { client_id: clientId } = await kontorData<{ client_id: string }>(
    'oauth-client',
    'create',
    '--name',
    'Hearing Planner',
    '--redirect-uri',
    redirectUri,
    '--public',
  )
  const config = await oauth.discovery(new URL(authUrl), clientId, undefined, oauth.None(), {
    execute: [oauth.allowInsecureRequests],
  })
  const [verifier, state] = [oauth.randomPKCECodeVerifier(), oauth.randomState()]
  let refreshToken = ''

  async function answer(
    path: string,
  ): Promise<{ readonly status: number; readonly headers: Record<string, string>; readonly body: string }> {
    if (!path.startsWith('/callback')) {
      const code_challenge = await oauth.calculatePKCECodeChallenge(verifier)
      const { href } = oauth.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope,
        state,
        code_challenge,
        code_challenge_method: 'S256',
      })
      return { status: 303, headers: { Location: href }, body: '' }
    }
    const tokens = await oauth.authorizationCodeGrant(config, new URL(url + path), {
      pkceCodeVerifier: verifier,
      expectedState: state,
    })
    refreshToken = tokens.refresh_token ?? ''
    return { status: 200, headers: { 'Content-Type': 'text/html' }, body: '<h1>Connected</h1>' }
  }

  return {
    url,
    /** A new access token. */
    async refreshed(): Promise<string> {
      const tokens = await oauth.refreshTokenGrant(config, refreshToken)
      refreshToken = tokens.refresh_token ?? refreshToken
      return tokens.access_token
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
