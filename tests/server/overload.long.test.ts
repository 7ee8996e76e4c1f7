import { describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { startApp, type TestApp } from '../harness/app.ts'
import { holdWrites } from '../harness/database.ts'
import { httpClient } from '../harness/http.ts'
import { recordsPath } from '../harness/records.ts'
import { postHead, slowRequest } from '../harness/slow.ts'
import { all } from '../conformance/endpoints.ts'
import { expectError } from '../conformance/expect.ts'
import { surfaces } from '../conformance/surfaces.ts'

const calm = await startApp()
/** Has room for eight requests, which may always come in. */
const small = await startApp({ requestsMax: 8, beside: calm })

const bearer = `Bearer ${calm.credentials.cast.tokens.admin}`
const personsPath = `/v1${recordsPath('person')}`
const metric = async ({ http, origin }: TestApp, name: string) =>
  Number(
    new RegExp(`^${name} (\\d+)`, 'm').exec((await http.send({ method: 'GET', url: `${origin}/metrics` })).body)?.[1],
  )
/** As patient as a machine is slow. */
const until = (holds: () => unknown) => vi.waitFor(holds, 10_000)
const inFlight = (app: TestApp) => metric(app, 'kontor_requests_in_flight')
const readyz = ({ http, origin }: TestApp) => http.send({ method: 'GET', url: `${origin}/readyz` })

/** Fills the server with requests whose bodies do not come. */
async function fill(app: TestApp, count: number, bytes = 100) {
  const requests = Array.from({ length: count }, () => slowRequest(app.origin, postHead(personsPath, bytes, bearer)))
  await until(async () => expect(await inFlight(app)).toBe(count))
  return {
    requests,
    empty: async () => {
      for (const { socket } of requests) socket.destroy()
      await until(async () => expect(await inFlight(app)).toBe(0))
    },
  }
}

const [, usersList] = all.find(([name]) => name === 'users.list')!

describe('more requests than may be at work', () => {
  test('are told to come again, on every surface, with and without a credential', async () => {
    const { empty } = await fill(small, 8)
    for (const surface of Object.values(surfaces)) {
      for (const as of ['admin', 'adminKey', 'anonymous'] as const) {
        const outcome = await surface(small, 'users.list', usersList, { workspace: 'acme' }, { as })
        expectError(usersList, outcome, 'overloaded')
        expect(outcome.headers['retry-after']).toBe('1')
      }
    }
    await empty()
    for (const surface of Object.values(surfaces))
      expect((await surface(small, 'users.list', usersList, { workspace: 'acme' })).status).toBe(200)
  })

  test('are refused before their bodies are read, and can go on with the same connection', async () => {
    const { empty } = await fill(small, 8)
    const body = 'x'.repeat(80)
    const refused = slowRequest(small.origin, postHead(personsPath, body.length, bearer))
    await until(() => expect(refused.answered()).toMatch(/^HTTP\/1\.1 503 /))
    await empty()
    refused.socket.write(
      `${body}GET /v1/workspaces/acme/users HTTP/1.1\r\nHost: kontor\r\nAuthorization: ${bearer}\r\n\r\n`,
    )
    await until(() => expect(refused.answered()).toMatch(/HTTP\/1\.1 200 /))
  })

  test('leave health, readiness and metrics answering; the load balancer hears of it after ten seconds', async () => {
    const { empty } = await fill(small, 8)
    const refuse = () => small.api.get('/workspaces/acme/users')
    small.wait(3000)
    for (let second = 0; second < 9; second++) {
      expect((await refuse()).status).toBe(503)
      expect([
        (await readyz(small)).status,
        (await small.http.send({ method: 'GET', url: `${small.origin}/healthz` })).status,
      ]).toEqual([200, 200])
      small.wait(1100)
    }
    small.wait(300)
    await refuse()
    const { status, headers, body } = await readyz(small)
    expect([status, headers['retry-after'], body]).toEqual([503, '1', { status: 'overloaded' }])
    expect((await small.http.send({ method: 'GET', url: `${small.origin}/healthz` })).status).toBe(200)
    await empty()
    small.wait(3000)
    expect((await readyz(small)).status).toBe(200)
  })

  test('are counted by their reason', async () => {
    const reason = 'kontor_overload_refusals_total{reason="requests"}'.replaceAll(/[{}"]/g, '\\$&')
    const before = await metric(small, reason)
    const { empty } = await fill(small, 8)
    await small.api.get('/workspaces/acme/users')
    await small.api.get('/no/such/path')
    await empty()
    expect(await metric(small, reason)).toBe(before + 2)
  })
})

describe('bodies', () => {
  test('of unknown callers are not read, on any surface: no room is taken, and the answer does not wait', async () => {
    for (const path of [
      personsPath,
      '/trpc/records.createMany',
      '/trpc/records.createMany,records.createMany?batch=1',
      '/actions/records.createMany',
    ]) {
      for (const authorization of [undefined, 'Bearer nothing', 'api-key pk_nothing']) {
        const { answered } = slowRequest(calm.origin, postHead(path, 16_000_000, authorization))
        await until(() => expect(answered()).toMatch(/^HTTP\/1\.1 (401|413) /))
        expect(await metric(calm, 'kontor_held_bytes')).toBe(0)
      }
    }
  })

  test('take room from when they begin to come until they are answered', async () => {
    const { requests, empty } = await fill(calm, 3, 500_000)
    expect(await metric(calm, 'kontor_held_bytes')).toBe(1_500_000)
    requests[0]!.socket.write(' '.repeat(500_000))
    await until(async () => expect(await metric(calm, 'kontor_held_bytes')).toBe(1_000_000))
    expect(requests[0]!.answered()).toMatch(/^HTTP\/1\.1 4\d\d /)
    await empty()
    expect(await metric(calm, 'kontor_held_bytes')).toBe(0)
  })
})

describe('a queue before the database', () => {
  test(
    'has an end: who comes then is told so before his body is read, all others are served',
    { timeout: 60_000 },
    async () => {
      const created = (app: Pick<TestApp, 'http' | 'origin'>) =>
        app.http.send({
          method: 'POST',
          url: `${app.origin}${personsPath}`,
          headers: { Authorization: bearer, 'Content-Type': 'application/json' },
          body: '{"data":{"type":"person","attributes":{}}}',
        })
      expect((await created(calm)).status).toBe(201)
      const http = httpClient(Infinity)
      onTestFinished(http.close)
      const release = await holdWrites(calm.databaseUrl)
      const waiting = Array.from({ length: 560 }, () => created({ http, origin: calm.origin }))
      const waits =
        inject('database') === 'postgres' ? 'kontor_database_connections_waiting' : 'kontor_database_writer_waiting'
      await until(async () => expect(await metric(calm, waits)).toBeGreaterThanOrEqual(500))
      const late = slowRequest(calm.origin, postHead(personsPath, 100, bearer))
      await until(() => expect(late.answered()).toMatch(/^HTTP\/1\.1 503 [^]*Retry-After: 1\r/))
      await release()
      const answers = await Promise.all(waiting)
      expect(new Set(answers.map(({ status, headers }) => `${status} ${headers['retry-after'] ?? ''}`))).toEqual(
        new Set(['201 ', '503 1']),
      )
      expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThanOrEqual(500)
      expect((await created(calm)).status).toBe(201)
    },
  )
})
