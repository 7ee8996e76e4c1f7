import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { hasChromium, needsChromium, openChromium } from '../harness/chromium.ts'

/** Browsers have no passkeys for 127.0.0.1, so the app is reached by a name. */
const proxy = createServer((received, response) => {
  const { method, headers, url } = received
  const forwarded = request(app.origin + url, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  received.pipe(forwarded)
})
await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
afterAll(() => void proxy.close())
const authUrl = `http://localhost:${(proxy.address() as AddressInfo).port}`
const app = await startApp({ authUrl })
const password = 'quiet rivers run deep'
const context = hasChromium ? await openChromium() : undefined

describe.skipIf(!hasChromium)(`in a real browser${needsChromium}`, () => {
  test('a person adds a passkey, and signs in with it', { timeout: 60_000 }, async () => {
    await app.addMember('member', 'ada', password)
    const page = (await context?.newPage()) as Page
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    const devices = await page.context().newCDPSession(page)
    await devices.send('WebAuthn.enable')
    await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await page.goto(`${authUrl}/auth/account/passkeys`)
    await page.getByLabel('E-mail address').fill('ada@example.com')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByLabel('Name').fill('This laptop')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('The passkey is added.').waitFor()
    expect(await page.getByRole('main').textContent()).toContain('This laptop')

    await context?.clearCookies()
    await page.goto(`${authUrl}/auth/sign-in`)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    expect(complaints).toEqual([])
  })
})
