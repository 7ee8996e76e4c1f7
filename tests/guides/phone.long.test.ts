import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { hasChromium, needsChromium, openChromium } from '../harness/chromium.ts'

const dist = fileURLToPath(new URL('../../packages/docs/dist', import.meta.url))
const pages = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.html'))

const app = await startApp()
const password = 'quiet rivers run deep'
const widths = [375, 1280]

/** Runs in the page: every fault of its layout at the width that it has. */
const faultsScript = `(() => {
  const width = document.documentElement.clientWidth
  const faults = []
  const named = (element) => element.tagName.toLowerCase() + ' "' + element.textContent.trim().slice(0, 60) + '"'
  if (document.documentElement.scrollWidth > width) faults.push('scrolls sideways')
  const ways = (element) => getComputedStyle(element).overflowX
  const scrolls = (element) => element !== null && (/auto|scroll/.test(ways(element)) || scrolls(element.parentElement))
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
  const isOwnText = (node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== ''
  for (const element of document.querySelectorAll('body *')) {
    if (!isShown(element) || element.closest('.skip, svg, nav') !== null) continue
    const { left, right, width: wide } = element.getBoundingClientRect()
    const hasText = [...element.childNodes].some(isOwnText)
    if (hasText && (right > width + 1 || left < -1) && !scrolls(element)) faults.push('out of sight: ' + named(element))
    const isCut = /hidden|clip/.test(ways(element)) && element.scrollWidth > element.clientWidth + 1
    if (isCut && !element.matches('input, textarea')) faults.push('cut off: ' + named(element))
    const isCell = /^T[DH]$/.test(element.tagName)
    if (isCell && element.textContent.trim().length > 24 && wide < 88) faults.push('narrow: ' + named(element))
  }
  for (const setting of document.querySelectorAll('.whole'))
    if (isShown(setting) && setting.getClientRects().length > 1) faults.push('broken: ' + named(setting))
  for (const sample of document.querySelectorAll('aside pre'))
    if (isShown(sample) && sample.scrollWidth > sample.clientWidth + 1) faults.push('wide sample: ' + named(sample))
  for (const table of document.querySelectorAll('main table'))
    if (isShown(table) && table.scrollWidth > table.clientWidth + 1 && !scrolls(table))
      faults.push('wide table: ' + named(table))
  for (const button of document.querySelectorAll('pre > .copy')) {
    const [at, code] = [button, button.previousElementSibling].map((one) => one.getBoundingClientRect())
    const isBeside = code.right <= at.left + 1 || code.top >= at.bottom - 1
    if (isShown(button) && !isBeside) faults.push('covered by its button: ' + named(button.parentElement))
  }
  const navigation = document.querySelector('nav')
  if (navigation !== null && navigation.scrollWidth > navigation.clientWidth + 1) faults.push('wide navigation')
  for (const table of document.querySelectorAll('.table:has(th:nth-child(3)) table'))
    if (getComputedStyle(table).display === 'table' && isShown(table) && table.getBoundingClientRect().width < 600)
      faults.push('cramped table: ' + named(table))
  const [folded, beside] = ['details.onpage', 'aside.onpage'].map((one) => document.querySelector(one))
  if (folded !== null && width < 1000 && (!isShown(folded) || folded.open)) faults.push('no folded list of the page')
  if (folded !== null && isShown(folded) && isShown(beside)) faults.push('two lists of the page')
  return faults
})()`

/** Runs in the page: the language of each sample in tabs that is visible. */
const visibleScript = `[...document.querySelectorAll('.tabs figure')]
  .filter((figure) => figure.checkVisibility())
  .map((figure) => figure.querySelector('figcaption').firstChild.textContent)`

/** The faults of the page that is open, at the width of a phone and of a screen. */
async function faultsOf(page: Page, path: string): Promise<string[]> {
  const found: string[] = []
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 })
    const faults = await page.evaluate<string[]>(faultsScript)
    found.push(...faults.map((fault) => `${path} at ${width}: ${fault}`))
  }
  return found
}

const context = hasChromium ? await openChromium({ viewport: { width: 375, height: 800 } }) : undefined

describe.skipIf(!hasChromium)(`on a phone and on a screen${needsChromium}`, () => {
  test('every page of the site can be read without scrolling sideways', { timeout: 600_000 }, async () => {
    const page = await context!.newPage()
    const found: string[] = []
    for (const path of pages) {
      await page.goto(`${app.origin}/docs/${path}`)
      found.push(...(await faultsOf(page, path)))
    }
    expect(pages.length).toBeGreaterThan(300)
    expect(found).toEqual([])
  })

  test('the list of a long page unfolds, and leads to its parts', async () => {
    const page = await context!.newPage()
    await page.setViewportSize({ width: 375, height: 800 })
    await page.goto(`${app.origin}/docs/guides/campaigns.html`)
    await page.getByText('On this page', { exact: true }).first().click()
    const link = page.locator('details.onpage a').last()
    const target = await link.getAttribute('href')
    await link.click()
    expect(new URL(page.url()).hash).toBe(target)
    expect(await page.evaluate<boolean>(`document.querySelector('${target}').getBoundingClientRect().top < 800`)).toBe(
      true,
    )
  })

  test.each(widths)('the language that a reader chooses is shown on every page, at %d', async (width) => {
    const page = await context!.newPage()
    await page.setViewportSize({ width, height: 800 })
    const open = (path: string) => page.goto(`${app.origin}/docs/${path}.html`)
    /** Returns the language of each sample that is visible, and of each tab that is marked as chosen. */
    const shown = async (): Promise<Set<string>> => {
      const visible = await page.evaluate<string[]>(visibleScript)
      const chosen = await page.locator('.tabs [role=tab][aria-selected=true]').allTextContents()
      expect(chosen).toEqual(visible)
      return new Set(chosen)
    }
    for (const [language, next] of [
      ['Python', 'TypeScript'],
      ['Command line', 'Python'],
    ] as const) {
      await open('guides/write-records')
      await page.getByRole('tab', { name: language }).last().click()
      expect(await shown()).toEqual(new Set([language]))
      await open('guides/link-records')
      expect(await shown()).toEqual(new Set([language]))
      // A page without the language shows curl, and changes no choice.
      await open('guides/mcp')
      expect(await shown()).toEqual(new Set([language === 'Python' ? language : 'curl']))
      await page.reload()
      await open('guides/use-lists')
      expect(await shown()).toEqual(new Set([language]))
      await page.getByRole('tab', { name: next }).first().click()
      await open('reference/lists/create')
      expect(await shown()).toEqual(new Set([next]))
    }
    await page.close()
  })

  test('the button beside a new key copies it', { timeout: 60_000 }, async () => {
    await app.addMember('member', 'copies', password)
    await context!.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: app.origin })
    const page = await context!.newPage()
    await page.goto(`${app.origin}/auth/account/keys/new`)
    await page.getByLabel('E-mail address').fill('copies@example.com')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.locator('#name').fill('Copied')
    await page.getByLabel('Everything that its owner may do').check()
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByRole('button', { name: 'Copied', exact: true }).waitFor()
    const key = await page.locator('.shown code').textContent()
    expect(key).toMatch(/^kp_/)
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(key)
    await context!.clearCookies()
    await page.close()
  })

  test('every page for people can be read without scrolling sideways', { timeout: 120_000 }, async () => {
    await app.addMember('admin', 'ada', password)
    const page = await context!.newPage()
    const found: string[] = []
    const look = async (path: string) => {
      await page.goto(app.origin + path)
      found.push(...(await faultsOf(page, path)))
    }
    const invitation = await app.api.post('/workspaces/acme/invitations', { body: { email: 'grace@example.com' } })
    const invited: string = invitation.body.data.attributes.accept_url
    for (const path of ['/auth/sign-in', '/auth/reset', '/auth/password?token=x', '/auth/nowhere', '/oauth2/device'])
      await look(path)
    await look(invited.slice(app.origin.length))
    await page.goto(`${app.origin}/auth/account`)
    await page.getByLabel('E-mail address').fill('ada@example.com')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL('**/auth/account')
    const own = ['', '/keys/new', '/second-factor', '/passkeys'].map((path) => `/auth/account${path}`)
    const ofWorkspace = ['keys', 'apps', 'apps/new'].map((path) => `/auth/account/workspaces/acme/${path}`)
    for (const path of [...own, ...ofWorkspace, '/auth/sign-out']) await look(path)
    const third = await app.oauth.register({ name: 'A name that is as long as the names of things of a directorate' })
    const asked = new URLSearchParams({ client_id: third.clientId, redirect_uri: third.redirectUri })
    for (const [name, value] of Object.entries({ response_type: 'code', scope: 'openid records:read lists:read' }))
      asked.set(name, value)
    await look(`/oauth2/authorize?${asked.toString()}`)
    expect(found).toEqual([])
  })
})
