import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { apiOf } from '../harness/api.ts'
import { startApp } from '../harness/app.ts'
import { receiver } from '../harness/receiver.ts'
import { recordsOf } from '../harness/records.ts'
import { startServer } from '../harness/server-process.ts'
import { freePort } from '../harness/free-port.ts'
import { failed, kontor, start } from './kontor.ts'

const app = await startApp()

test('goes on listening where it was when the server comes again', { timeout: 120_000 }, async () => {
  const there = await receiver()
  const settings = { PORT: String(await freePort()) }
  let server = await startServer(app.databaseUrl, settings)
  const env = {
    KONTOR_BASE_URL: server.baseUrl,
    KONTOR_API_KEY: app.credentials.keys.memberKey!,
    KONTOR_WORKSPACE: 'acme',
  }
  const running = start(['webhooks', 'listen', '--forward', there.url, '--events', 'record.created'], env)
  while (!running.stderr().includes('Forwarding ')) await sleep(20)
  const records = recordsOf({ api: apiOf(app.http, server.baseUrl, app.credentials) }, 'memberKey')
  const made: string[] = []
  const create = async () => {
    for (let count = 0; count < 20; count++) made.push((await records.create('company', { name: `${made.length}` })).id)
  }
  for (const end of ['kill', 'terminate'] as const) {
    await create()
    await server[end]()
    server = await startServer(app.databaseUrl, settings)
  }
  await create()
  await there.until(made.length)
  running.child.kill('SIGINT')
  expect((await running.ended).code).toBe(130)
  expect(there.got.map(({ body }) => body.record_id)).toEqual(made)
})

test('says what is missing', async () => {
  const env = {
    KONTOR_BASE_URL: app.baseUrl,
    KONTOR_API_KEY: app.credentials.keys.memberKey!,
    KONTOR_WORKSPACE: 'acme',
  }
  expect(await kontor(['webhooks', 'listen', '--forward', 'localhost:3000'], env)).toMatchObject(
    failed(2, /looks like http/),
  )
})
