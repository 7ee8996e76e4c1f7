import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { hasChromium, needsChromium, openChromium } from '../harness/chromium.ts'
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
  ['webhook', /There are no webhooks yet/],
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
  expect((await read('/docs/')).body.toLowerCase()).toContain(word.toLowerCase())
})

test('guides are pages of this server', async () => {
  const index = await read('/docs/guides/')
  expect(index.body).toContain('<a href="connect-an-app">Connect an app</a>')
  for (const [name, heading] of [
    ['connect-an-app', 'Connect an app'],
    ['sign-in', 'Letting people in'],
  ]) {
    const { status, headers, body } = await read(`/docs/guides/${name}`)
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/)
    expect(body).toContain(`<h1>${heading}</h1>`)
    expect(body).toContain(app.origin)
    expect(body).not.toContain('127.0.0.1:4000')
    expect(body).not.toMatch(/<script|style="|href="(?!https?:|#|\.\.?\/|connect-an-app|sign-in)/)
  }
  for (const path of ['nothing', 'connect-an-app.html', '..%2Findex', '..%2F..%2Fpackage'])
    expect((await read(`/docs/guides/${path}`)).status, path).toBe(404)
  const { status, headers } = await read('/docs')
  expect([status, headers['location']]).toEqual([301, 'docs/'])
  const { description } = (await read('/v1/openapi.json')).body.info
  for (const [, path = ''] of description.matchAll(/\]\((\/docs\/[^)]*)\)/g))
    expect((await read(path)).status, path).toBe(200)
})

test.runIf(hasChromium)(
  `neither the reference nor a guide scrolls sideways on a phone${needsChromium}`,
  { timeout: 60_000 },
  async () => {
    const browser = await openChromium({ viewport: { width: 375, height: 800 } })
    const page = await browser.newPage()
    for (const path of ['/docs/', '/docs/guides/connect-an-app', '/docs/guides/sign-in']) {
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
  },
)

const hasTerminal = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0

test.runIf(hasTerminal)('the log can be read at a terminal, and is JSON elsewhere', { timeout: 60_000 }, async () => {
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
