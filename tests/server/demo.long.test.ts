import { expect, test } from 'vitest'
import { emptyDatabase } from '../harness/database.ts'
import { httpClient } from '../harness/http.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { startServer } from '../harness/server-process.ts'
import { visitorOf } from '../harness/visitor.ts'

test(
  'the first start prints a link to set the password of the admin, later ones where to sign in',
  { timeout: 60_000 },
  async ({ onTestFinished }) => {
    const scratch = await emptyDatabase()
    const http = httpClient()
    onTestFinished(async () => {
      http.close()
      await scratch.remove()
    })
    const settings = { KONTOR_DEMO: '1', DATA_DIR: await scratchFolder() }
    const first = await startServer(scratch.url, settings)
    await expect.poll(first.output).toMatch(/Admin +admin@example\.com; set a password within an hour:/)
    const [link = ''] = /http\S+\/auth\/password\?token=[\w-]{43}/.exec(first.output()) ?? []
    const browser = visitorOf({ http, origin: new URL(first.baseUrl).origin })
    await browser.go(link)
    expect((await browser.submit('/auth/password', { password: 'quiet rivers run deep' })).status).toBe(303)
    expect((await browser.signIn('admin@example.com', 'quiet rivers run deep')).status).toBe(303)
    expect(await first.terminate()).toBe(0)

    const second = await startServer(scratch.url, settings)
    await expect.poll(second.output).toMatch(/Sign in +http:\/\/127\.0\.0\.1:\d+\/auth\/sign-in as admin@example\.com/)
    expect(second.output()).not.toContain('token=')
    expect(await second.terminate()).toBe(0)
  },
)

test('a server limits tries to sign in by itself', { timeout: 30_000 }, async ({ onTestFinished }) => {
  const scratch = await emptyDatabase()
  const http = httpClient()
  onTestFinished(async () => {
    http.close()
    await scratch.remove()
  })
  const server = await startServer(scratch.url)
  const browser = visitorOf({ http, origin: new URL(server.baseUrl).origin })
  const tries: number[] = []
  for (let round = 0; round < 12; round++)
    tries.push((await browser.signIn(`unknown-${round}@example.com`, 'not the password')).status)
  expect(tries.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 422))
  expect(tries).toContain(429)
  expect(await server.terminate()).toBe(0)
})
