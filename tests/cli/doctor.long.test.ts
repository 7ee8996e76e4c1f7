import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { existsSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { emptyDatabase, openAt } from '../harness/database.ts'
import { startApp } from '../harness/app.ts'
import { recordsOf } from '../harness/records.ts'
import { webhooksOf } from '../harness/webhooks.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { freePort } from '../harness/free-port.ts'
import { answered, lines, type Ended } from './kontor.ts'

const { baseUrl, databaseUrl, credentials } = await startApp()
const statuses = ({ json }: Ended): Record<string, string> =>
  Object.fromEntries((json.checks as { name: string; status: string }[]).map(({ name, status }) => [name, status]))

test('all is well', async () => {
  const settings = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: await scratchFolder(),
    KONTOR_BASE_URL: baseUrl,
    KONTOR_API_KEY: credentials.keys.adminKey!,
    KONTOR_WORKSPACE: 'acme',
  }
  const ended = await answered(['doctor', '--json'], settings)
  expect(ended).toMatchObject({ code: 0, stderr: '', json: { ok: true } })
  expect(statuses(ended)).toEqual({
    Node: 'ok',
    Settings: 'ok',
    'Data folder': 'ok',
    Database: 'ok',
    Indexes: 'ok',
    Jobs: 'ok',
    Events: 'ok',
    Webhooks: 'ok',
    API: 'ok',
  })
  expect((await answered(['doctor'], settings)).stdout).toMatch(/^ok {4}Node +24\./)
})

test.runIf(inject('database') === 'sqlite')('a large file is announced, since reading it takes a while', async () => {
  const scratch = await emptyDatabase()
  const settings = { DATABASE_URL: scratch.url, PORT: String(await freePort()) }
  await answered(['migrate'], settings)
  // The bytes behind its pages take no room on the disk.
  truncateSync(scratch.url.slice('sqlite:'.length), 1.5 * 1024 ** 3)
  expect(await answered(['doctor', '--json'], settings)).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Reading .* \(1\.5 GiB\) for damage …\n/),
  })
  await scratch.remove()
})

test('pending migrations are a warning, and are not applied', async () => {
  const scratch = await emptyDatabase()
  const settings = { DATABASE_URL: scratch.url, PORT: String(await freePort()) }
  await answered(['migrate', '--to', '1'], settings)
  for (const ended of [
    await answered(['doctor', '--json'], settings),
    await answered(['doctor', '--json'], settings),
  ]) {
    expect(ended.code).toBe(0)
    expect(ended.json.checks).toContainEqual({
      name: 'Database',
      status: 'warn',
      detail: expect.stringMatching(/migrations are pending/),
    })
    expect(ended.json.checks).toContainEqual({ name: 'API', status: 'ok', detail: expect.stringMatching(/is free/) })
  }
  await scratch.remove()
})

test('it makes no database where there is none', async () => {
  const folder = join(await scratchFolder(), 'data')
  const ended = await answered(['doctor', '--json'], { DATA_DIR: folder, PORT: String(await freePort()) })
  expect(statuses(ended)).toMatchObject({ Database: 'warn', 'Data folder': 'ok' })
  expect(existsSync(folder)).toBe(false)
})

test('each thing that fails is told, and the command fails', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  taken.on('connection', (socket) => socket.end('no HTTP\r\n\r\n'))
  const ended = await answered(['doctor', '--json'], {
    DATABASE_URL: 'postgres://unknown@127.0.0.1:1/none',
    PORT: String(port),
    DATA_DIR: '/proc/kontor',
  })
  taken.close()
  expect(ended).toMatchObject({ code: 1, json: { ok: false } })
  expect(statuses(ended)).toMatchObject({ Database: 'fail', API: 'fail' })
  expect(ended.json.checks).toContainEqual({
    name: 'Database',
    status: 'fail',
    detail: 'No database responds at DATABASE_URL.',
  })
})

test('a wrong key, a wrong address and wrong settings', async () => {
  const settings = { DATABASE_URL: databaseUrl, KONTOR_BASE_URL: baseUrl }
  const wrongKey = await answered(['doctor', '--json', '--api-key', 'pk_wrong', '--workspace', 'acme'], settings)
  expect(wrongKey).toMatchObject({ code: 1, json: { ok: false } })
  expect(statuses(wrongKey)['API']).toBe('fail')
  expect(statuses(await answered(['doctor', '--json', '--base-url', 'http://127.0.0.1:1/v1'], settings))['API']).toBe(
    'fail',
  )
  const wrongSettings = await answered(['doctor', '--json'], { PORT: 'many', LOG_LEVEL: 'loud' })
  expect(wrongSettings.json.checks).toContainEqual({
    name: 'Settings',
    status: 'fail',
    detail: expect.stringMatching(/PORT="many".*\n.*LOG_LEVEL="loud"/),
  })
})

test('the indexes that were built on demand, and how far the others are', async () => {
  const own = await startApp({ fieldIndexThreshold: 0 })
  const { createMany, list } = recordsOf(own)
  await createMany('company', [{ name: 'One', industry: 'Tech' }, { name: 'Two' }])
  const indexes = async () => {
    const { json, stdout } = await answered(['doctor', '--json'], {
      DATABASE_URL: own.databaseUrl,
      DATA_DIR: await scratchFolder(),
      PORT: String(await freePort()),
    })
    return (
      (json?.checks as { name: string; status: string; detail: string }[] | undefined)?.find(
        ({ name }) => name === 'Indexes',
      ) ?? stdout
    )
  }
  expect(await indexes()).toMatchObject({ status: 'ok', detail: expect.stringMatching(/^none/) })
  await list('company', { 'filter[industry]': 'Tech', 'sortOrder[column]': 'employee_count', 'sortOrder[dir]': 'ASC' })
  expect(await indexes()).toMatchObject({
    detail: expect.stringMatching(
      lines(
        /^0 fields are indexed on demand, 2 more on the way/,
        / +acme: company\.employee_count \(number\) building, 0%/,
        / +acme: company\.industry \(text\) building, 0%$/,
      ),
    ),
  })
  await own.startJobs()
  await own.indexes.ready()
  await list('company', { 'filter[industry]': 'Tech' })
  expect(await indexes()).toMatchObject({
    detail: expect.stringMatching(
      lines(
        /^2 fields are indexed on demand, 0 more on the way/,
        /.*employee_count \(number\) ready/,
        /.*industry \(text\) ready, last used \d{4}-\d\d-\d\d \d\d:\d\d$/,
      ),
    ),
  })
})

test('jobs and events that no process takes, and webhooks that have stopped by themselves', async () => {
  // A server that runs no jobs, and no worker beside it.
  const alone = await startApp()
  const { _id: id } = await webhooksOf(alone).create({ url: 'https://example.com/hook', events: ['record.created'] })
  await webhooksOf(alone).test(id)
  await recordsOf(alone).create('company', { name: 'Late' })
  const database = openAt(alone.databaseUrl)
  const from = Date.now() - 5 * 60_000
  await database.write(async (tx) => {
    for (const table of ['outbox', 'event']) await tx.change(({ knex }) => knex(table).update({ created_at: from }))
    await tx.change(({ knex }) => knex('job').update({ run_at: from }))
  })
  const stop = { enabled: false, disabled_reason: 'failing', disabled_at: Date.parse('2026-01-02T03:04:05Z') }
  const settings = { DATABASE_URL: alone.databaseUrl, PORT: String(await freePort()) }
  const checks = async () => {
    const { code, json } = await answered(['doctor', '--json'], settings)
    expect(code).toBe(0)
    return Object.fromEntries(json.checks.map((check: { name: string }) => [check.name, check]))
  }
  const before = await checks()
  expect(before['Webhooks']).toMatchObject({ status: 'ok', detail: 'none has stopped by itself' })
  expect(before['Jobs']).toMatchObject({ status: 'warn', detail: expect.stringContaining('Jobs are late') })
  expect(before['Events']).toMatchObject({
    status: 'warn',
    detail: expect.stringMatching(
      inject('database') === 'postgres'
        ? /Events wait for their numbers, the oldest for 5 minutes/
        : /webhooks: [1-9]\d* events? behind, the oldest for 5 minutes/,
    ),
  })
  await database.write((tx) => tx.change(({ knex }) => knex('webhook').update(stop)))
  expect((await checks())['Webhooks']).toEqual({
    name: 'Webhooks',
    status: 'warn',
    detail: expect.stringMatching(
      lines(/^1 webhook has stopped;.*/, new RegExp(` +${id} of acme: failing for five days, at 2026-01-02 03:04$`)),
    ),
  })
  await database.close()
})
