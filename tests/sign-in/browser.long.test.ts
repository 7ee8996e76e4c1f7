import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { hasChromium, needsChromium, openChromium } from '../harness/chromium.ts'

const password = 'quiet rivers run deep'
const next = 'loud mountains stand still'

const app = await startApp()
const { api, origin } = app

async function signIn(page: Page, email: string, given: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(given)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

const heading = (page: Page): Promise<string | null> => page.getByRole('heading', { level: 1 }).textContent()

const invite = async (email: string): Promise<string> =>
  (await api.post('/workspaces/acme/invitations', { body: { email, name: 'Grace Hopper' } })).body.data.attributes
    .accept_url

const context = hasChromium ? await openChromium({ javaScriptEnabled: false }) : undefined

/** A page of a person who is not signed in; what it complains of, but for refusals, is a fault. */
async function open(): Promise<{ page: Page; complaints: string[] }> {
  await context?.clearCookies()
  const page = (await context?.newPage()) as Page
  const complaints: string[] = []
  page.on('console', (message) => {
    if (!message.text().includes('the server responded with a status of 4')) complaints.push(message.text())
  })
  return { page, complaints }
}

describe.skipIf(!hasChromium)(`in a real browser, without scripts${needsChromium}`, () => {
  test(
    'a person is invited, signs up, changes their name, signs out, forgets their password, and is back',
    { timeout: 60_000 },
    async () => {
      const { page, complaints } = await open()
      await page.goto(await invite('grace@example.com'))
      expect(await heading(page)).toBe('Join Acme')
      await page.getByLabel('New password').fill('short')
      await page.getByRole('button', { name: 'Create the account' }).click()
      expect(await page.locator(':focus').getAttribute('id')).toBe('password')
      await page.getByLabel('New password').fill(password)
      await page.getByRole('button', { name: 'Create the account' }).click()
      expect(await heading(page)).toBe('Your account')

      await page.getByLabel('Your name').fill('Rear Admiral Hopper')
      await page.getByRole('button', { name: 'Change the name' }).click()
      expect(await page.getByRole('status').textContent()).toBe('Your name is changed.')
      await page.getByRole('button', { name: 'Sign out' }).click()
      expect(await page.getByRole('status').textContent()).toBe('You are signed out.')

      await signIn(page, 'grace@example.com', 'not the password')
      expect(await page.getByRole('alert').textContent()).toBe('The e-mail address or the password is wrong.')
      await page.getByRole('link', { name: 'Forgot your password?' }).click()
      await page.getByLabel('E-mail address').fill('grace@example.com')
      await page.getByRole('button', { name: 'Send the link' }).click()
      expect(await heading(page)).toBe('Check your e-mail')
      await expect.poll(() => app.loggedLinks.length).toBe(1)
      await page.goto(app.loggedLinks[0] as string)
      await page.getByLabel('New password').fill(next)
      await page.getByRole('button', { name: 'Set the password' }).click()
      expect(await page.getByRole('status').textContent()).toBe('Your password is set. Sign in with it.')
      await signIn(page, 'grace@example.com', next)
      expect(await page.getByLabel('Your name').inputValue()).toBe('Rear Admiral Hopper')
      expect(complaints).toEqual([])
    },
  )

  test('who comes to a page of their own signs in, and goes on to it', { timeout: 60_000 }, async () => {
    await app.addMember('member', 'ada', password)
    const { page, complaints } = await open()
    await page.goto(origin + '/auth/account')
    await signIn(page, 'ada@example.com', password)
    await page.waitForURL('**/auth/account')
    expect(await heading(page)).toBe('Your account')
    expect(await page.getByText('This browser').count()).toBe(1)
    expect(complaints).toEqual([])
  })

  test(
    'every page has one heading, a title, labels for its fields, and colours that can be read',
    { timeout: 60_000 },
    async () => {
      await app.addMember('viewer', 'reader', password)
      const { page } = await open()
      const look = async (scheme: 'light' | 'dark') => {
        await page.emulateMedia({ colorScheme: scheme })
        expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
        expect(await page.title()).toMatch(/ · Kontor$/)
        expect((await page.evaluate<number[]>(labelsScript)).filter((labels) => labels !== 1)).toEqual([])
        expect(await worstContrast(page)).toBeGreaterThanOrEqual(4.5)
        const widths = await page.evaluate<[number, number]>(
          '[document.documentElement.scrollWidth, window.innerWidth]',
        )
        expect(widths[0]).toBeLessThanOrEqual(widths[1])
      }
      await page.setViewportSize({ width: 320, height: 640 })
      for (const path of [
        '/auth/sign-in',
        '/auth/reset',
        '/auth/password?token=x',
        (await invite('looked-at@example.com')).slice(origin.length),
        '/auth/sign-out',
      ]) {
        await page.goto(origin + path)
        for (const scheme of ['light', 'dark'] as const) await look(scheme)
      }
      await page.goto(origin + '/auth/sign-in')
      await signIn(page, 'reader@example.com', 'not the password')
      for (const scheme of ['light', 'dark'] as const) await look(scheme)
      await signIn(page, 'reader@example.com', password)
      for (const scheme of ['light', 'dark'] as const) await look(scheme)
      await page.getByRole('button', { name: 'Sign out' }).click()

      await app.addMember('admin', 'chief', password)
      await page.goto(origin + '/auth/account')
      await signIn(page, 'chief@example.com', password)
      await page.waitForURL('**/auth/account')
      const [keys, apps] = ['keys', 'apps'].map((what) => `/auth/account/workspaces/acme/${what}`)
      for (const path of [`${apps}/new`, '/auth/account/keys/new']) {
        await page.goto(origin + path)
        await page.getByRole('checkbox').first().check()
        await page.locator('main form button').click()
        for (const scheme of ['light', 'dark'] as const) await look(scheme)
        await page.locator('#name').fill('A name that is as long as the names of things of a directorate may become')
        if (path === `${apps}/new`)
          await page.locator('#redirect_uris').fill(`https://example.com/${'kontor/'.repeat(30)}`)
        await page.locator('main form button').click()
        expect(await page.getByRole('link', { name: 'I have copied it' }).count()).toBe(1)
        for (const scheme of ['light', 'dark'] as const) await look(scheme)
      }
      for (const path of [keys, apps, '/auth/nowhere']) {
        await page.goto(`${origin}${path}`)
        for (const scheme of ['light', 'dark'] as const) await look(scheme)
      }
      for (const path of [keys, apps]) {
        await page.goto(`${origin}${path}`)
        await page
          .getByRole('link', { name: /^Rotate/ })
          .last()
          .click()
        for (const scheme of ['light', 'dark'] as const) await look(scheme)
      }
    },
  )

  test('what is shown once stands there in full, and one click selects it', { timeout: 60_000 }, async () => {
    await app.addMember('admin', 'copies', password)
    const { page } = await open()
    await page.setViewportSize({ width: 320, height: 640 })
    await page.goto(origin + '/auth/account')
    await signIn(page, 'copies@example.com', password)
    await page.waitForURL('**/auth/account')
    await page.goto(origin + '/auth/account/keys/new')
    await page.locator('#name').fill('Copied')
    await page.getByLabel('Everything that its owner may do').check()
    await page.getByRole('button', { name: 'Create the key' }).click()
    const key = page.locator('.shown dd code')
    await key.click()
    expect(await page.evaluate<string>('getSelection().toString().trim()')).toBe(await key.textContent())
    expect(await page.evaluate<boolean[]>(cutScript)).toEqual([false, false])
  })
})

/** Counts the labels of each field. */
const labelsScript =
  `[...document.querySelectorAll('input:not([type=hidden], [hidden]), textarea')].map((field) => ` +
  'field.labels.length)'

/** Returns whether part of what is to be copied is out of sight. */
const cutScript = `[...document.querySelectorAll('.shown dd, pre')]
  .map((element) => element.scrollWidth > element.clientWidth)`

/**
 * Runs in the page, which has other types than a test: the least contrast (WCAG 2.2, 1.4.3) of any text with what is
 * behind it.
 */
const contrastScript = `(() => {
  const channels = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number)
  const luminance = (colour) => {
    const [r, g, b] = channels(colour)
      .map((channel) => channel / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const behind = (element) => {
    const colour = getComputedStyle(element).backgroundColor
    return channels(colour)[3] === 0 && element.parentElement !== null ? behind(element.parentElement) : colour
  }
  const isText = (node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== ''
  const texts = [...document.querySelectorAll('body *')].filter((element) => [...element.childNodes].some(isText))
  return Math.min(...texts.map((element) => {
    const [one, other] = [luminance(getComputedStyle(element).color), luminance(behind(element))]
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
  }))
})()`

const worstContrast = (page: Page): Promise<number> => page.evaluate<number>(contrastScript)
