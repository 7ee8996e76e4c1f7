import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { migrateAt } from '../harness/database.ts'
import { httpClient } from '../harness/http.ts'
import { longRun } from '../harness/long-run.ts'
import { ownPostgres } from '../harness/own-postgres.ts'
import { terminateBackends } from '../harness/postgres.ts'
import { startServer } from '../harness/server-process.ts'
import { expectServersToSurvive } from './outages.ts'

const writers = 24
const terminatedEveryMs = 700

/**
 * It ends what hangs, and judges nothing: a machine that others load takes two minutes to make the database and to
 * start both servers. Whether these go on is asked by the writers, who wait a minute for it.
 */
const limits = { timeout: 900_000 }

/** A pause in which the writers find the database as it is. */
const pauseMsMax = 1500

describe.runIf(inject('database') === 'postgres')('two servers under load lose and double nothing, and stay up', () => {
  test('while their connections are terminated again and again', limits, async () => {
    const { rounds } = longRun(40)
    const app = await startApp()
    await expectServersToSurvive({
      app,
      writers,
      async outages() {
        for (let round = 1; round <= rounds; round++) {
          await sleep(terminatedEveryMs)
          await terminateBackends(app.databaseUrl)
        }
      },
    })
  })

  test.for(['stop', 'kill'] as const)('while Postgres is gone again and again, by %s', limits, async (end) => {
    const { rounds, random } = longRun(8)
    const postgres = await ownPostgres()
    await expectServersToSurvive({
      app: await startApp({ databaseUrl: postgres.url }),
      writers,
      async outages() {
        for (let round = 1; round <= rounds; round++) {
          await sleep(random.between(100, pauseMsMax))
          await postgres[end]()
          await sleep(random.between(0, pauseMsMax))
          await postgres.start()
        }
      },
    })
  })
})

const client = 'client_id=019b2f6e-7a00-7000-8000-00000000dead&redirect_uri=https://x.example'
const person = { data: { type: 'person', attributes: { job_title: 'Engineer' } } }

describe.runIf(inject('database') === 'postgres')('a Postgres that is away', () => {
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
      // The credentials of the caller are trusted for some seconds; after that they are read again.
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
})
