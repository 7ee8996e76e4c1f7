import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { hasChromium, needsChromium, openChromium } from '../harness/chromium.ts'
import { resourcesPath } from '../harness/records.ts'

const app = await startApp()

test.runIf(hasChromium)(
  `no page scrolls sideways on a phone, and none asks for more than it may${needsChromium}`,
  async () => {
    const browser = await openChromium({ viewport: { width: 375, height: 800 } })
    const page = await browser.newPage()
    const refused: string[] = []
    page.on('console', (message) => refused.push(message.text()))
    for (const path of [
      '/docs/',
      '/docs/guides/connect-an-app',
      '/docs/errors',
      '/docs/reference/records/create',
      '/docs/errors/version_mismatch',
    ]) {
      await page.goto(app.origin + path)
      await page.locator('h1').first().waitFor()
      // A table is cut off whose end can neither be seen nor be scrolled to.
      const { width, cutOff } = await page.evaluate<{ width: number; cutOff: number }>(`({
      width: document.documentElement.scrollWidth,
      cutOff: [...document.querySelectorAll('table')]
        .filter((table) => table.getBoundingClientRect().right > innerWidth && table.closest('.table') === null).length,
    })`)
      expect({ path, width, cutOff }).toEqual({ path, width: 375, cutOff: 0 })
    }
    expect(refused).toEqual([])
  },
)

test.runIf(hasChromium)(
  `a reader tries an operation with the key that the banner hands over${needsChromium}`,
  async () => {
    const page = await (await openChromium()).newPage()
    const key = app.credentials.keys.adminKey
    await page.goto(`${app.origin}/docs/#key=${key}`)
    expect(page.url()).toBe(`${app.origin}/docs/`)
    await page.goto(`${app.origin}/docs/reference/resources/create`)
    expect(await page.locator('.tabs code').first().textContent()).toContain(`api-key ${key}`)
    const form = page.locator('form.try')
    const send = async (): Promise<string> => {
      await form.getByRole('button', { name: 'Send POST' }).click()
      await expect.poll(() => form.locator('button').first().isEnabled()).toBe(true)
      return (await form.locator('figure').textContent()) ?? ''
    }
    await form.getByLabel('Body').fill('{"data": {"type": "person", "attributes": {"job_title": "Tried"}}}')
    expect(await send()).toMatch(/^201 .*"Tried"/s)
    await form.getByLabel('Path').fill(resourcesPath('nothing'))
    expect(await send()).toMatch(/^404 /)
    await form.getByLabel('API key').fill('kp_other')
    expect(await send()).toMatch(/^401 /)
  },
)
