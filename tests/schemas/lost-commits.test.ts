import { beforeAll, describe, expect, inject, test } from 'vitest'
import { startApp, type TestApp } from '../harness/app.ts'
import { recordsOf } from '../harness/records.ts'
import { changesOf, schemasOf, schemasPath } from '../harness/schemas.ts'
import { swallowingProxy } from '../harness/swallowing-proxy.ts'

const name = { type: 'string', xSvcPrimary: true }

// SQLite is in the same process: it has no answer that is lost on its way.
describe.runIf(inject('database') === 'postgres')('a change of a schema whose commit went through unheard', () => {
  let proxy: Awaited<ReturnType<typeof swallowingProxy>>
  let app: TestApp
  beforeAll(async () => {
    const { databaseUrl, credentials } = await startApp()
    proxy = await swallowingProxy(databaseUrl)
    app = await startApp({ beside: { databaseUrl: proxy.url, credentials } })
  })

  /** An object with a record, whose fields the server knows. */
  async function makeKnown(): Promise<{ object: string; fields: () => Promise<string[]> }> {
    const object = await schemasOf(app).make({ name })
    const { id } = await recordsOf(app).create(object, {})
    const fields = async () => Object.keys((await recordsOf(app).get(object, id)).body.data.attributes)
    expect(await fields()).not.toContain('note')
    return { object, fields }
  }

  test('by a request, is what the server reads by from then on', async () => {
    const { object, fields } = await makeKnown()
    proxy.loseCommitAfter('insert into schema_version')
    const body = { data: { type: 'schema-properties', attributes: { note: { type: 'string' } } } }
    expect((await app.api.post(`${schemasPath}/${object}/properties`, { body })).status).toBe(503)
    expect(await fields()).toContain('note')
  })

  test('by a task, is what the server reads by from then on', async () => {
    const { object, fields } = await makeKnown()
    await app.startJobs()
    proxy.loseCommitAfter('insert into schema_version')
    await changesOf(app).edit(object, (properties) => (properties.note = { type: 'string' }))
    expect(await fields()).toContain('note')
  })

  test('by a task that is told of as completed, before the server has heard of its commit', async () => {
    const { object, fields } = await makeKnown()
    await app.startJobs()
    const handOver = proxy.keepCommitAfter('insert into schema_version')
    await changesOf(app).edit(object, (properties) => (properties.note = { type: 'string' }))
    expect(await fields()).toContain('note')
    handOver()
    await expect.poll(fields).toContain('note')
  })
})
