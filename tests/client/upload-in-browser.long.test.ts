import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { hasChromium, needsChromium, openChromium } from '../harness/chromium.ts'
import { recordsOf } from '../harness/records.ts'
import { cut, proxyBefore, refuse } from './cut-uploads.ts'

const proxy = await proxyBefore()
const app = await startApp({ baseUrl: `${proxy.origin}/v1` })
proxy.forwardTo(app.origin)
const context = hasChromium ? await openChromium() : undefined
const client = fileURLToPath(new URL('../../packages/client/src/index.ts', import.meta.url))

const bytes = 900_000

/** A page of the same origin as the API, with the client. */
async function openPage() {
  const bundle = await rolldown({ input: client, platform: 'browser' })
  const { output } = await bundle.generate({ format: 'iife', name: 'kontor' })
  const page = await context!.newPage()
  const empty = { contentType: 'text/html', body: '<!doctype html><title>Upload</title>' }
  await page.route('**/page', (route) => route.fulfill(empty))
  await page.goto(`${proxy.origin}/page`)
  await page.addScriptTag({ content: output[0].code })
  // Slow enough for several reports.
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 400_000 }
  await (await context!.newCDPSession(page)).send('Network.emulateNetworkConditions', slow)
  return page
}

describe.skipIf(!hasChromium)(`uploads in a browser${needsChromium}`, () => {
  test('report bytes as they are sent, never fewer than before, and the whole once, at the end', async () => {
    const { id } = await recordsOf(app).create('person', { name: { first_name: 'Ada' } })
    const page = await openPage()
    proxy.meet(cut, refuse(503))
    const upload = `(async () => {
      const { createRestClient, uploadAttachment } = kontor
      const rest = createRestClient(${JSON.stringify({
        url: `${proxy.origin}/v1`,
        apiKey: app.credentials.keys.adminKey,
      })})
      const progress = []
      await uploadAttachment(rest, ${JSON.stringify({ workspace: 'acme', object: 'person', id })},
        new Blob([new Uint8Array(${bytes})]), { onProgress: (...sent) => progress.push(sent) })
      return progress
    })()`
    const progress = await page.evaluate<[number, number][]>(upload)
    expect(proxy.uploads()).toBe(3)
    const sent = progress.map(([some]) => some)
    expect(sent.length).toBeGreaterThan(3)
    expect(sent).toEqual([...new Set(sent)].toSorted((a, b) => a - b))
    expect(progress.every(([, total]) => total === bytes)).toBe(true)
    expect(sent.at(-1)).toBe(bytes)
  }, 120_000)
})
