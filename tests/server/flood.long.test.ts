import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { startApp } from '../harness/app.ts'
import { httpClient, type Answer, type HttpClient } from '../harness/http.ts'
import { recordsOf, recordsPath, resourcesPath } from '../harness/records.ts'
import { startServer } from '../harness/server-process.ts'
import { postHead, slowRequest } from '../harness/slow.ts'

// Real processes with little memory, as they would run in a small container.
const app = await startApp()
const heapMb = 128

const authorization = `api-key ${app.credentials.keys.adminKey}`
const json = { Authorization: authorization, 'Content-Type': 'application/json' }
const person = { type: 'person', attributes: { description: 'x'.repeat(1400) } }

type Server = Awaited<ReturnType<typeof startServer>> & { readonly origin: string }

async function startSmall(settings: Readonly<Record<string, string>> = {}): Promise<Server> {
  const server = await startServer(app.databaseUrl, {
    NODE_OPTIONS: `--max-old-space-size=${heapMb}`,
    LOG_LEVEL: 'error',
    ...settings,
  })
  return { ...server, origin: new URL(server.baseUrl).origin }
}

/** Memory of the process that only it uses, in MiB; the highest that it ever was. */
const peakMb = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024

const client = (): HttpClient => {
  const http = httpClient(Infinity)
  onTestFinished(http.close)
  return http
}

/**
 * Summarises the answers to many concurrent requests: the number of each status, and that each which is to be repeated
 * says when.
 */
async function summary(answers: readonly Promise<Answer>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { status, headers } of await Promise.all(answers)) {
    const name =
      status >= 400 ? `${status}, retry after ${headers['retry-after'] === undefined ? 'nothing' : 'seconds'}` : 'done'
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

/** Right after a flood, the next one who comes is served at once, and all room is there again. */
async function expectCalm({ origin, terminate, output }: Server, http: HttpClient): Promise<void> {
  const since = performance.now()
  const { status } = await http.send({
    method: 'GET',
    url: `${origin}/v1${resourcesPath('person')}?page[limit]=1`,
    headers: json,
  })
  expect([status, output()]).toEqual([200, expect.not.stringMatching(/"level":[56]0/)])
  expect(performance.now() - since).toBeLessThan(5000)
  await vi.waitFor(async () => {
    const { body } = await http.send({ method: 'GET', url: `${origin}/metrics` })
    expect(body).toMatch(/^kontor_requests_in_flight 0$/m)
    expect(body).toMatch(/^kontor_held_bytes 0$/m)
  }, 10_000)
  // Where the flood was a long one, the load balancer hears two seconds later that it is over.
  await vi.waitFor(
    async () => expect((await http.send({ method: 'GET', url: `${origin}/readyz` })).status).toBe(200),
    5000,
  )
  expect(await terminate()).toBe(0)
}

describe.runIf(process.platform === 'linux')('a server with 128 MB', () => {
  const records = recordsOf(app)

  test('under three thousand requests at once answers each, and holds its memory', { timeout: 120_000 }, async () => {
    await records.createMany(
      'person',
      Array.from({ length: 1000 }, () => person.attributes),
    )
    const server = await startSmall({ REQUESTS_MAX: '200' })
    const http = client()
    const send = (method: string, path: string, body?: unknown) =>
      http.send({
        method,
        url: `${server.origin}/v1${path}`,
        headers: json,
        body: body === undefined ? undefined : JSON.stringify(body),
      })
    const get = () => send('GET', `${resourcesPath('person')}?page[limit]=1`)
    const create = () => send('POST', recordsPath('person'), { data: person })
    const list = () =>
      send('GET', `${resourcesPath('person')}?page[limit]=500&sortOrder[column]=description&sortOrder[dir]=ASC`)
    const answers = Array.from({ length: 3000 }, (_, index) =>
      index % 10 === 0 ? list() : index % 2 === 0 ? get() : create(),
    )
    const during = [await http.send({ method: 'GET', url: `${server.origin}/healthz` })]
    const counts = await summary(answers)
    expect(during.map(({ status }) => status)).toEqual([200])
    expect(Object.keys(counts).toSorted()).toEqual(['503, retry after seconds', 'done'])
    expect(counts['done']).toBeGreaterThanOrEqual(200)
    expect(peakMb(server.pid)).toBeLessThan(400)
    await expectCalm(server, http)
  })

  test('under hundreds of megabytes of bodies takes what it has room for', { timeout: 120_000 }, async () => {
    const server = await startSmall()
    const http = client()
    const body = JSON.stringify({ data: Array.from({ length: 2000 }, () => person) })
    const url = `${server.origin}/v1${recordsPath('person')}/bulk?dry_run=true`
    const counts = await summary(
      Array.from({ length: 100 }, () => http.send({ method: 'POST', url, headers: json, body })),
    )
    expect(Object.keys(counts).toSorted()).toEqual(['503, retry after seconds', 'done'])
    expect(peakMb(server.pid)).toBeLessThan(400)
    await expectCalm(server, http)
  })

  test(
    'gives thousands of bodies that never come no room for long, and serves all other callers meanwhile',
    { timeout: 60_000 },
    async () => {
      const server = await startSmall({ REQUEST_TIMEOUT_MS: '4000' })
      const http = client()
      const slow = Array.from({ length: 2000 }, () =>
        slowRequest(server.origin, `${postHead(`/v1${recordsPath('person')}`, 1_000_000, authorization)}{"data":`),
      )
      const answered = (status: number) => slow.filter((one) => one.answered().startsWith(`HTTP/1.1 ${status} `)).length
      await vi.waitFor(() => expect(answered(503)).toBeGreaterThan(1900), 10_000)
      expect(
        (
          await http.send({
            method: 'POST',
            url: `${server.origin}/v1${recordsPath('person')}`,
            headers: json,
            body: JSON.stringify({ data: person }),
          })
        ).status,
      ).toBe(201)
      await vi.waitFor(() => expect(slow.every(({ isClosed }) => isClosed())).toBe(true), 20_000)
      expect(answered(503) + answered(408)).toBe(2000)
      expect(peakMb(server.pid)).toBeLessThan(400)
      await expectCalm(server, http)
    },
  )

  test('ends heads that come slowly with 408', { timeout: 60_000 }, async () => {
    const server = await startSmall({ REQUEST_TIMEOUT_MS: '2000' })
    const http = client()
    const slow = Array.from({ length: 1000 }, () =>
      slowRequest(server.origin, 'GET /v1/workspaces/acme/users HTTP/1.1\r\nX-Slow: '),
    )
    for (let second = 0; second < 5; second++) {
      await sleep(1000)
      for (const { socket, isClosed } of slow) if (!isClosed()) socket.write('x')
      expect(
        (await http.send({ method: 'GET', url: `${server.baseUrl}/workspaces/acme/users`, headers: json })).status,
      ).toBe(200)
    }
    await vi.waitFor(() => expect(slow.every(({ isClosed }) => isClosed())).toBe(true), 10_000)
    expect(slow.filter((one) => one.answered().startsWith('HTTP/1.1 408 ')).length).toBe(1000)
    await expectCalm(server, http)
  })

  test('ends uploads without a signature, however slowly they come', { timeout: 60_000 }, async () => {
    const server = await startSmall()
    const slow = Array.from({ length: 100 }, () =>
      slowRequest(server.origin, postHead('/v1/files/none?token=none', 1_000_000, undefined)),
    )
    await vi.waitFor(
      () => {
        for (const { socket, isClosed } of slow) if (!isClosed()) socket.write('x')
        expect(slow.every(({ isClosed }) => isClosed())).toBe(true)
      },
      { timeout: 30_000, interval: 1000 },
    )
    expect(slow.filter((one) => one.answered().startsWith('HTTP/1.1 403 ')).length).toBe(100)
    await expectCalm(server, client())
  })

  test('gives up answers that are not read, once they take all room', { timeout: 120_000 }, async () => {
    await records.createMany(
      'person',
      Array.from({ length: 1000 }, () => person.attributes),
    )
    const server = await startSmall()
    const http = client()
    const list =
      `GET /v1${resourcesPath('person')}?page[limit]=1000 HTTP/1.1\r\nHost: kontor\r\nAuthorization: ` +
      `${authorization}\r\n\r\n`
    // More than the system keeps for them on the way.
    const unread = Array.from({ length: 5 }, () => slowRequest(server.origin, list.repeat(12)))
    for (const { socket } of unread) socket.pause()
    const roomMb = heapMb / 16
    const heldMb = async () =>
      Number(
        /^kontor_held_bytes (\d+)$/m.exec(
          (await http.send({ method: 'GET', url: `${server.origin}/metrics` })).body,
        )![1],
      ) /
      1024 ** 2
    await vi.waitFor(async () => expect(await heldMb()).toBeGreaterThan(roomMb), { timeout: 30_000, interval: 20 })
    await vi.waitFor(async () => expect(await heldMb()).toBeLessThanOrEqual(roomMb), { timeout: 15_000, interval: 50 })
    expect(
      (await http.send({ method: 'GET', url: `${server.baseUrl}/workspaces/acme/users`, headers: json })).status,
    ).toBe(200)
    for (const { socket } of unread) socket.destroy()
    expect(peakMb(server.pid)).toBeLessThan(400)
    await expectCalm(server, http)
  })
})
