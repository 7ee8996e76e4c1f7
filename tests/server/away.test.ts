import pg from 'pg'
import { describe, expect, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { countWaiting, emptyDatabase } from '../harness/database.ts'
import { letConnect, terminateBackends } from '../harness/postgres.ts'
import { recordsPath, resourcesPath } from '../harness/records.ts'
import { until } from '../harness/until.ts'

const app = await startApp()

const person = { data: { type: 'person', attributes: { job_title: 'Engineer' } } }
const create = () => app.api.post(recordsPath('person'), { as: 'adminKey', body: person })

describe.runIf(inject('database') === 'postgres')('a Postgres that is away', () => {
  test('ends neither the server nor a change while its transaction begins', async () => {
    expect((await create()).status).toBe(201)
    const holder = new pg.Client({ connectionString: app.databaseUrl })
    holder.on('error', () => {})
    await holder.connect()
    // Every transaction asks for the schemas of its workspace first.
    await holder.query('begin; lock table workspace in access exclusive mode')
    const changes = [1, 2, 3, 4].map(create)
    await until(async () => (await countWaiting(app.databaseUrl)) >= changes.length)
    await terminateBackends(app.databaseUrl)
    for (const { status, headers } of await Promise.all(changes))
      expect([201, 503], headers['retry-after']).toContain(status)
    expect((await create()).status).toBe(201)
  })

  test('that takes no connections is away, and comes back by itself', async () => {
    expect((await create()).status).toBe(201)
    await letConnect(app.databaseUrl, false)
    try {
      await terminateBackends(app.databaseUrl)
      for (const { status, body, headers } of [await create(), await app.api.get(resourcesPath('person'))])
        expect([status, body.errors?.[0]?.code, Number(headers['retry-after'])]).toEqual([503, 'unavailable', 2])
    } finally {
      await letConnect(app.databaseUrl, true)
    }
    expect((await create()).status).toBe(201)
  })

  test('whose database is dropped is away, and no fault of the server', async () => {
    const scratch = await emptyDatabase()
    const { http, origin } = await startApp({ databaseUrl: scratch.url })
    await scratch.remove()
    const { status, body, headers } = await http.send({ method: 'GET', url: `${origin}/oauth2/jwks` })
    expect([status, body.error, Number(headers['retry-after']) >= 1]).toEqual([503, 'temporarily_unavailable', true])
    const ready = await http.send({ method: 'GET', url: `${origin}/readyz` })
    expect([ready.status, ready.body.detail]).toEqual([503, 'The database does not respond; try again.'])
  })
})
