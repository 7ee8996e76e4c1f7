import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'

const app = await startApp()
const read = (path: string) => app.http.send({ method: 'GET', url: app.origin + path })

/** The words that newcomers look for, and the text that must be beside them. */
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
    ['guides/connect-an-app', 'text/html', '<h1>OAuth 2.0 apps</h1>'],
    ['guides/sign-in.html', 'text/html', '<h1>Users and invitations</h1>'],
    ['reference/records/create.html', 'text/html', '<h1>Create a record</h1>'],
    ['reference/records/create.md', 'text/markdown', '# Create a record'],
    ['errors/version_mismatch.html', 'text/html', '<h1>Version mismatch</h1>'],
    ['assets/site.css', 'text/css', ':root'],
  ] as const) {
    const { status, headers, body } = await read(`/docs/${path}`)
    expect([status, headers['content-type']], path).toEqual([200, `${type}; charset=utf-8`])
    expect(headers['content-security-policy']).toMatch(/^default-src 'none';script-src 'self';style-src 'self'/)
    expect(body).toContain(heading)
    // The server of this test may have a port that begins so.
    expect(body).not.toMatch(/127\.0\.0\.1:4000\b/)
  }
  expect((await read('/docs/reference/records/create')).body).toContain(`${app.origin}/v1/workspaces/acme`)
  // Each folder of an address would be in every link of the page.
  const deep = await read(`/docs/${'x/'.repeat(4000)}`)
  expect([deep.status, deep.headers['content-type']]).toEqual([404, 'application/json; charset=utf-8'])
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
