import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { hasChromium, needsChromium, openChromium } from '../harness/chromium.ts'
import { resourcesPath } from '../harness/records.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { onTerminal } from '../cli/kontor.ts'

const app = await startApp()
const read = (path: string) => app.http.send({ method: 'GET', url: app.origin + path })

/** What newcomers look for, and what must stand beside it. */
const words: [word: string, said: RegExp][] = [
  ['quick start', /npm start/],
  ['pagination', /page\[offset\]/],
  ['upsert', /match_on/],
  ['OAuth 2.0 app', /\/oauth2\/authorize/],
  ['bulk', /records\/bulk/],
  ['versioning', /\/v1. only grows/],
  ['custom object', /schemas\/objects/],
  ['merge duplicates', /\/merges/],
  ['webhook', /webhook-signature/],
  ['CORS', /CORS_ORIGINS/],
  ['SDK', /@kontor\/client/],
]

test.each(words)('who searches the guide for "%s" finds it, with what to do', async (word, said) => {
  const { body } = await read('/v1/openapi.json')
  const chapters = (body.info.description as string).split(/^#+ /m)
  const found = chapters.filter((chapter) => chapter.toLowerCase().includes(word.toLowerCase()))
  expect(
    found.some((chapter) => said.test(chapter)),
    word,
  ).toBe(true)
})

test('the site is served with the addresses of this server', async () => {
  for (const [path, type, heading] of [
    ['', 'text/html', '<h1>Kontor</h1>'],
    ['guides/', 'text/html', '<h1>Guides</h1>'],
    ['guides/connect-an-app', 'text/html', '<h1>Connect an app</h1>'],
    ['guides/sign-in.html', 'text/html', '<h1>Letting people in</h1>'],
    ['reference/records/create.html', 'text/html', '<h1>Create a record</h1>'],
    ['reference/records/create.md', 'text/markdown', '# Create a record'],
    ['errors/version_mismatch.html', 'text/html', '<h1>Version mismatch</h1>'],
    ['assets/site.css', 'text/css', ':root'],
  ] as const) {
    const { status, headers, body } = await read(`/docs/${path}`)
    expect([status, headers['content-type']], path).toEqual([200, `${type}; charset=utf-8`])
    expect(headers['content-security-policy']).toMatch(/^default-src 'none';script-src 'self';style-src 'self'/)
    expect(body).toContain(heading)
    expect(body).not.toContain('127.0.0.1:4000')
  }
  expect((await read('/docs/reference/records/create')).body).toContain(`${app.origin}/v1/workspaces/acme`)
  for (const path of ['nothing', '..%2Findex', '..%2F..%2Fpackage', 'guides/nothing.html', '.built', '404.html/x/y']) {
    const { status, headers, body } = await read(`/docs/${path}`)
    expect([status, headers['content-type']], path).toEqual([404, 'text/html; charset=utf-8'])
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'/)
    expect(body).toContain('<h1>No such page</h1>')
    const [, stylesheet = ''] = / rel="stylesheet" href="([^"]*)"/.exec(body) ?? []
    expect(new URL(stylesheet, `${app.origin}/docs/${path}`).pathname).toBe('/docs/assets/site.css')
  }
  const collection = await read('/docs/kontor.postman_collection.json')
  expect(collection.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(collection.body.variable).toContainEqual({ key: 'baseUrl', value: app.baseUrl })
  const cutShort = await read('/docs/reference/records/')
  expect([cutShort.status, cutShort.headers['location']]).toEqual([301, '../records'])
  const { status, headers } = await read('/docs')
  expect([status, headers['location']]).toEqual([301, 'docs/'])
  const { description } = (await read('/v1/openapi.json')).body.info
  for (const [, path = ''] of description.matchAll(/\]\((\/docs\/[^)]*)\)/g))
    expect((await read(path)).status, path).toBe(200)
})

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
      '/docs/guides/errors',
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

const hasTerminal = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0

test.runIf(hasTerminal)('the log can be read at a terminal, and is JSON elsewhere', async () => {
  // It ends by itself, since the port is taken, and has warned before.
  const env = {
    DATABASE_URL: app.databaseUrl,
    DATA_DIR: await scratchFolder(),
    PORT: new URL(app.origin).port,
    BASEURL: 'x',
  }
  const { output } = await onTerminal(['serve'], env)
  expect(output).toMatch(/\d\d:\d\d:\d\d.*WARN.*BASEURL is no setting of Kontor\. Did you mean BASE_URL\?/)
  expect(output).not.toContain('{"level"')
})
