import { expect, onTestFinished, test } from 'vitest'
import { apiOf } from '../harness/api.ts'
import { startApp } from '../harness/app.ts'
import { holdRecord } from '../harness/held-record.ts'
import { httpClient } from '../harness/http.ts'
import { until } from '../harness/until.ts'

const app = await startApp()

/** More than one commit of SQLite contains. */
const flood = 100
const few = 12
/** The most that Postgres serves at once. */
const connections = 10

const company = (name: string) => ({ data: { type: 'company', attributes: { name } } })
const companies = (workspace: string) => `/workspaces/${workspace}/objects/company/records`

/** Requests that wait for a connection to Postgres, or for the writer of SQLite. */
async function countWaiting(): Promise<number> {
  const { body } = await app.http.send({ method: 'GET', url: `${app.origin}/metrics` })
  return Number(/^kontor_database_(?:connections|writer)_waiting(?:\{.*\})? (\S+)/m.exec(body)?.[1])
}

test('a change of another workspace is served before those of one that floods the server', async () => {
  const http = httpClient(flood)
  onTestFinished(http.close)
  const api = apiOf(http, app.baseUrl, app.credentials)
  const { id } = (await app.api.post(companies('acme'), { body: company('Acme') })).body.data
  const release = await holdRecord(app.databaseUrl, id)
  let answered = 0
  const changes = Array.from({ length: flood }, async (_, index) => {
    const { status } = await api.patch(`${companies('acme')}/${id}`, { body: company(`Acme ${index}`) })
    answered++
    return status
  })
  await until(async () => (await countWaiting()) > flood - connections)

  let answeredBefore: number | undefined
  const others = Array.from({ length: few }, async (_, index) => {
    const { status } = await app.api.post(companies('other'), { as: 'stranger', body: company(`Other ${index}`) })
    answeredBefore ??= answered
    return status
  })
  // Postgres serves them now, SQLite once its writer is free again.
  await until(async () => answeredBefore !== undefined || (await countWaiting()) > flood + few / 2)
  await release()

  expect(new Set(await Promise.all(others))).toEqual(new Set([201]))
  expect(answeredBefore).toBeLessThan(flood * 0.8)
  expect(new Set(await Promise.all(changes))).toEqual(new Set([200]))
})
