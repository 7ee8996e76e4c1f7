import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, inject, test } from 'vitest'
import { apiOf } from '../harness/api.ts'
import { startApp } from '../harness/app.ts'
import { emptyDatabase, migrateAt } from '../harness/database.ts'
import { httpClient } from '../harness/http.ts'
import { ownPostgres } from '../harness/own-postgres.ts'
import { terminateBackends } from '../harness/postgres.ts'
import { recordsPath } from '../harness/records.ts'
import { startServer } from '../harness/server-process.ts'

const app = await startApp()

const client = 'client_id=019b2f6e-7a00-7000-8000-00000000dead&redirect_uri=https://x.example'
const person = { data: { type: 'person', attributes: { job_title: 'Engineer' } } }

describe.runIf(inject('database') === 'postgres')('a Postgres that is away', () => {
  test('ends neither the server nor a change while its transaction begins', async () => {
    const server = await startServer(app.databaseUrl)
    const api = apiOf(app.http, server.baseUrl, app.credentials)
    const create = () => api.post(recordsPath('person'), { as: 'adminKey', body: person })
    expect((await create()).status).toBe(201)
    const holder = new pg.Client({ connectionString: app.databaseUrl })
    holder.on('error', () => {})
    await holder.connect()
    // Every transaction asks for the schemas of its workspace first.
    await holder.query('begin; lock table workspace in access exclusive mode')
    const changes = [1, 2, 3, 4].map(create)
    await sleep(300)
    await terminateBackends(app.databaseUrl)
    for (const { status, headers } of await Promise.all(changes))
      expect([201, 503], headers['retry-after']).toContain(status)
    expect((await create()).status).toBe(201)
    expect(server.output()).not.toMatch(/"level":[56]0/)
    expect(await server.terminate()).toBe(0)
  })

  test(
    'is told with 503 and when to come again, on every surface, until it is back',
    { timeout: 120_000 },
    async () => {
      const postgres = await ownPostgres()
      await migrateAt(postgres.url)
      const server = await startServer(postgres.url, { KONTOR_DEMO: '1' })
      const key = /API key +(\S+)/.exec(server.output())?.[1]
      const { origin } = new URL(server.baseUrl)
      const http = httpClient()
      const Authorization = `api-key ${key}`
      const W = `${server.baseUrl}/workspaces/acme`
      const json = { Authorization, 'Content-Type': 'application/json' }
      const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
      const calls = {
        'a read': () => http.send({ method: 'GET', url: `${W}/objects/person/resources`, headers: { Authorization } }),
        'a change': () =>
          http.send({
            method: 'POST',
            url: `${W}/objects/person/records`,
            headers: json,
            body: JSON.stringify(person),
          }),
        tRPC: () =>
          http.send({
            method: 'POST',
            url: `${origin}/trpc/records.create`,
            headers: json,
            body: JSON.stringify({ workspace: 'acme', object: 'person', body: person }),
          }),
        'an action': () =>
          http.send({
            method: 'POST',
            url: `${origin}/actions/records.create`,
            headers: json,
            body: JSON.stringify({ workspace: 'acme', object: 'person', body: person }),
          }),
        'a page': () =>
          http.send({
            method: 'GET',
            url: `${origin}/auth/account`,
            headers: { Cookie: 'kontor_session=0000000000000000000000' },
          }),
        'keys of OAuth': () => http.send({ method: 'GET', url: `${origin}/oauth2/jwks` }),
        'a token of OAuth': () =>
          http.send({
            method: 'POST',
            url: `${origin}/oauth2/token`,
            headers: form,
            body: `grant_type=authorization_code&code=x&${client}`,
          }),
        'an authorization': () =>
          http.send({
            method: 'GET',
            url: `${origin}/oauth2/authorize?${client}&response_type=code`,
          }),
        readiness: () => http.send({ method: 'GET', url: `${origin}/readyz` }),
      }
      const before = await Promise.all(Object.values(calls).map(async (call) => (await call()).status))
      expect(before.filter((status) => status >= 500)).toEqual([])
      await postgres.stop()
      // What was read of the caller is trusted for some seconds; after that it is asked for again.
      for (const waitMs of [0, 5500]) {
        await sleep(waitMs)
        for (const [name, call] of Object.entries(calls)) {
          const { status, headers } = await call()
          expect([name, status, Number(headers['retry-after']) >= 1]).toEqual([name, 503, true])
        }
        const { body } = await calls['a change']()
        expect(body.errors[0]).toMatchObject({ code: 'unavailable', status: '503' })
      }
      expect((await http.send({ method: 'GET', url: `${origin}/healthz` })).status).toBe(200)
      await postgres.start()
      await expect
        .poll(async () => Promise.all(Object.values(calls).map(async (call) => (await call()).status)), {
          timeout: 20_000,
        })
        .toEqual(before)
      expect(server.output()).not.toMatch(/"level":50/)
      http.close()
      expect(await server.terminate()).toBe(0)
    },
  )

  test('whose database is dropped is away, and no fault of the server', { timeout: 60_000 }, async () => {
    const scratch = await emptyDatabase()
    const server = await startServer(scratch.url)
    const { origin } = new URL(server.baseUrl)
    const http = httpClient()
    await scratch.remove()
    const { status, body, headers } = await http.send({ method: 'GET', url: `${origin}/oauth2/jwks` })
    expect([status, body.error, Number(headers['retry-after']) >= 1]).toEqual([503, 'temporarily_unavailable', true])
    const ready = await http.send({ method: 'GET', url: `${origin}/readyz` })
    expect([ready.status, ready.body.detail]).toEqual([503, 'The database does not answer; try again.'])
    expect(server.output()).not.toMatch(/"level":50/)
    http.close()
    await server.kill()
  })
})
