import { join } from 'node:path'
import { expect, inject } from 'vitest'
import { apiOf } from '../harness/api.ts'
import { startApp } from '../harness/app.ts'
import { httpClient } from '../harness/http.ts'
import { ownPostgres } from '../harness/own-postgres.ts'
import { recordsPath, resourcesPath } from '../harness/records.ts'
import { startServer } from '../harness/server-process.ts'
import { smallDisk } from '../harness/small-disk.ts'
import { Writers } from '../harness/writers.ts'

/** Records that the pages of a full disk may still have room for. */
const createdMax = 500

/** Enough for what the writers of a long series leave, and soon filled. */
const diskMib = 160

const description = 'x'.repeat(2000)
const person = (title: string) => ({ data: { type: 'person', attributes: { job_title: title, description } } })

/**
 * A server under load on a disk that is full again and again, and is killed each time; expects that changes are refused
 * meanwhile and nothing else, that it says so, and that all goes on by itself once there is room.
 */
export async function expectToSurviveFullDisk(rounds: number): Promise<void> {
  const disk = smallDisk(diskMib)
  const databaseUrl =
    inject('database') === 'postgres'
      ? await (await ownPostgres()).databaseIn(disk.folder)
      : `sqlite:${join(disk.folder, 'kontor.db')}`
  const app = await startApp({ databaseUrl })
  let server = await startServer(databaseUrl)
  const writers = new Writers({
    baseUrls: () => [server.baseUrl],
    credentials: app.credentials,
    count: 6,
    mayBreak: true,
  })
  const http = httpClient()
  const api = () => apiOf(http, server.baseUrl, app.credentials)
  const create = () => api().post(recordsPath('person'), { as: 'adminKey', body: person('Engineer') })
  const read = () =>
    api().get(resourcesPath('person'), { as: 'adminKey', query: { 'filter[job_title][Contains]': 'run' } })
  const readiness = async () =>
    (await http.send({ method: 'GET', url: `${new URL(server.baseUrl).origin}/readyz` })).body
  const expectReadOnly = async () => {
    // A page that has room yet takes some more of them.
    let answer = await create()
    for (let more = 1; answer.status === 201 && more <= createdMax; more++) answer = await create()
    const { status, headers, body } = answer
    expect([status, body.errors[0].code, headers['retry-after']]).toEqual([503, 'unavailable', '5'])
    expect(body.errors[0].detail).toMatch(/disk of the database is full/)
    expect(await readiness()).toEqual({ status: 'read only', detail: body.errors[0].detail })
    expect((await read()).status).toBe(200)
  }

  writers.start()
  for (let round = 1; round <= rounds; round++) {
    await writers.progress(25)
    disk.fill()
    await expectReadOnly()
    await server.kill()
    server = await startServer(databaseUrl)
    // Of a full tablespace Postgres tells once a table has to grow.
    const { output } = server
    if (inject('database') === 'sqlite') await expect.poll(output).toMatch(/accepts no changes/)
    await expectReadOnly()
    expect(server.output()).toMatch(/disk.full/)
    disk.free()
    await expect.poll(async () => (await create()).status, { timeout: 30_000 }).toBe(201)
    await expect.poll(readiness, { timeout: 30_000 }).toEqual({ status: 'ready' })
  }
  await writers.progress(50)
  await writers.stop()
  expect(writers.faults).toEqual([])
  expect(await writers.differences(server.baseUrl)).toEqual([])
  expect(server.output()).not.toMatch(/"level":[56]0/)
  http.close()
  expect(await server.terminate()).toBe(0)
}
