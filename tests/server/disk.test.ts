import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { apiOf } from '../harness/api.ts'
import { startApp } from '../harness/app.ts'
import { httpClient } from '../harness/http.ts'
import { ownPostgres } from '../harness/own-postgres.ts'
import { recordsPath, resourcesPath } from '../harness/records.ts'
import { startServer } from '../harness/server-process.ts'
import { hasSmallDisks, needsSmallDisk, smallDisk } from '../harness/small-disk.ts'
import { Writers } from '../harness/writers.ts'

const description = 'x'.repeat(2000)
const person = (title: string) => ({ data: { type: 'person', attributes: { job_title: title, description } } })

test.runIf(hasSmallDisks)(`a full disk refuses changes and nothing else, also to a server that was killed, until there is room${needsSmallDisk}`, { timeout: 180_000 }, async () => {
  const disk = smallDisk(inject('database') === 'postgres' ? 64 : 24)
  const databaseUrl = inject('database') === 'postgres' ? await (await ownPostgres()).databaseIn(disk.folder) : `sqlite:${join(disk.folder, 'kontor.db')}`
  const app = await startApp({ databaseUrl })
  let server = await startServer(databaseUrl)
  const writers = new Writers({ baseUrls: () => [server.baseUrl], credentials: app.credentials, count: 6, mayBreak: true })
  const http = httpClient()
  const api = () => apiOf(http, server.baseUrl, app.credentials)
  const create = () => api().post(recordsPath('person'), { as: 'adminKey', body: person('Engineer') })
  const read = () => api().get(resourcesPath('person'), { as: 'adminKey', query: { 'filter[job_title][Contains]': 'run' } })
  const readiness = async () => (await http.send({ method: 'GET', url: `${new URL(server.baseUrl).origin}/readyz` })).body
  const expectReadOnly = async () => {
    await expect.poll(async () => (await create()).status, { timeout: 20_000 }).toBe(503)
    const { status, headers, body } = await create()
    expect([status, body.errors[0].code, headers['retry-after']]).toEqual([503, 'unavailable', '5'])
    expect(body.errors[0].detail).toMatch(/disk of the database is full/)
    expect(await readiness()).toEqual({ status: 'read only', detail: body.errors[0].detail })
    expect((await read()).status).toBe(200)
  }

  writers.start()
  await writers.progress(50)
  disk.fill()
  await expectReadOnly()
  await server.kill()
  server = await startServer(databaseUrl)
  // Of a full tablespace Postgres tells once a table has to grow.
  if (inject('database') === 'sqlite') expect(server.output()).toMatch(/takes no changes/)
  await expectReadOnly()
  expect(server.output()).toMatch(/disk.full/)

  disk.free()
  await expect.poll(async () => (await create()).status, { timeout: 30_000 }).toBe(201)
  await expect.poll(readiness, { timeout: 30_000 }).toEqual({ status: 'ready' })
  await writers.progress(50)
  await writers.stop()
  expect(writers.faults).toEqual([])
  expect(await writers.differences(server.baseUrl)).toEqual([])
  expect(server.output()).not.toMatch(/"level":[56]0/)
  http.close()
  expect(await server.terminate()).toBe(0)
})
