import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { hasChromium, needsChromium, openChromium } from '../harness/chromium.ts'
import { recordsOf } from '../harness/records.ts'
import { scratchFolder } from '../harness/scratch.ts'

const example = fileURLToPath(new URL('../../examples/browser', import.meta.url))
const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }

/** Serves what Vite has built. */
const folder = await scratchFolder()
const site = createServer((request, response) => {
  const path = request.url?.split('?', 1)[0] ?? '/'
  const name = path === '/' ? '/index.html' : path
  readFile(join(folder, name)).then(
    (bytes) => response.writeHead(200, { 'Content-Type': types[extname(name)] ?? 'text/plain' }).end(bytes),
    () => response.writeHead(404).end(),
  )
})
await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
afterAll(() => void site.close())
const home = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
const app = await startApp({ corsOrigins: [home] })
const records = recordsOf(app)
const context = hasChromium ? await openChromium({ colorScheme: 'light' }) : undefined

test('the example is short', async () => {
  const sources = (await readdir(join(example, 'src'))).filter((name) => /\.tsx?$/.test(name))
  const texts = await Promise.all(sources.map((name) => readFile(join(example, 'src', name), 'utf8')))
  expect(texts.join('').match(/\S.*\n/g)?.length).toBeLessThan(200)
})

describe.skipIf(!hasChromium)(`the example for browsers, in one${needsChromium}`, () => {
  let page: Page
  const rows = () => page.locator('.people li')
  const title = () => page.getByLabel('Job title')

  beforeAll(async () => {
    await app.startJobs()
    await app.addMember('member', 'nora', 'a tall order of herring')
    const { clientId } = await app.oauth.register({ name: 'People', type: 'public', redirectUris: [`${home}/`] })
    await promisify(execFile)(process.execPath, ['node_modules/vite/bin/vite.js', 'build', '--outDir', folder], {
      cwd: example,
      env: { ...process.env, NODE_ENV: 'production', VITE_KONTOR_URL: app.origin, VITE_CLIENT_ID: clientId },
    })
    const names = Array.from({ length: 120 }, (_, index) => String(index).padStart(3, '0'))
    await records.createMany(
      'person',
      names.map((name) => ({ name: { first_name: 'Ada', last_name: name }, job_title: 'Clerk' })),
    )
    page = (await context?.newPage()) as Page
  }, 180_000)

  test('a person signs in, scrolls, searches, and sees what others change', { timeout: 120_000 }, async () => {
    await page.goto(home)
    await page.getByLabel('E-mail address').fill('nora@example.com')
    await page.getByLabel('Password').fill('a tall order of herring')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByRole('heading', { name: 'People' }).waitFor()
    await rows().nth(49).waitFor()
    while ((await rows().count()) < 120) await page.mouse.wheel(0, 4000)

    await page.getByLabel('Search').fill('007')
    await expect.poll(() => rows().allTextContents(), { timeout: 20_000 }).toEqual(['Ada 007Clerk'])
    const [found] = (await records.list('person', { search: '007' })).body.data
    await records.patch('person', found.id, { job_title: 'Agent' })
    await expect.poll(() => rows().allTextContents(), { timeout: 20_000 }).toEqual(['Ada 007Agent'])
  })

  test('a change that meets another shows it, and the person chooses', { timeout: 120_000 }, async () => {
    const [found] = (await records.list('person', { search: '007' })).body.data
    const stored = async () => (await records.get('person', found.id)).body.data.attributes.job_title
    await rows().first().click()
    await title().fill('Baker')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect.poll(stored, { timeout: 20_000 }).toBe('Baker')

    for (const [choice, kept] of [
      ['Keep theirs', 'Brewer 0'],
      ['Save mine', 'Candlemaker 1'],
    ] as const) {
      const number = kept.slice(-1)
      await title().fill(`Candlemaker ${number}`)
      await records.patch('person', found.id, { job_title: `Brewer ${number}` })
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText(`It is now Brewer ${number}.`).waitFor()
      await page.getByRole('button', { name: choice }).click()
      await expect.poll(() => title().inputValue(), { timeout: 20_000 }).toBe(kept)
      await expect.poll(stored, { timeout: 20_000 }).toBe(kept)
    }
  })
})
