import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { rebuildSearchDocuments } from '@kontor/server'
import { startApp } from '../harness/app.ts'
import { migrateAgain, openAt } from '../harness/database.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'

test('records that are older than the search get their documents in the background, and nobody searches before', { timeout: 60_000 }, async () => {
  const old = await startApp()
  const records = recordsOf(old)
  const made = await records.createMany('person', Array.from({ length: 300 }, (_, index) => ({ name: { full_name: `Number ${index} Ångström` } })))
  await records.remove('person', [made[0]!.id, made[1]!.id])
  await migrateAgain(old.databaseUrl, '0012-search')

  const app = await startApp({ beside: old })
  const now = recordsOf(app)
  const found = async (search: string) => (await now.list('person', { search })).body.meta?.total_records
  const { status, headers, body } = await now.list('person', { search: 'angstrom' })
  expect([status, body.errors[0].code, Number(headers['retry-after']) > 0]).toEqual([503, 'overloaded', true])
  expect((await app.api.post('/workspaces/acme/search', { body: { query: 'angstrom', entities: ['company'] } })).status, 'there are none').toBe(200)

  // What is written meanwhile writes its own, or leaves it to the job.
  expect((await now.patch('person', made[2]!.id, { job_title: 'Changed' })).status).toBe(200)
  expect((await now.patch('person', made[3]!.id, { avatar_url: 'https://example.com/3' })).status).toBe(200)
  await now.remove('person', [made[4]!.id])
  expect((await app.api.post(`${recordsPath('person')}/restore`, { body: { items: [made[0]!.id] } })).status).toBe(200)
  await now.create('person', { name: { full_name: 'New Ångström' } })

  await app.startJobs()
  for (const until = Date.now() + 20_000; (await found('angstrom')) === undefined && Date.now() < until; ) await sleep(50)
  expect([await found('angstrom'), await found('changed'), await found('number 3 ang')]).toEqual([299, 1, 11])
  expect((await app.api.post('/workspaces/acme/search', { body: { query: 'max' } })).body.data.map(({ type }: { type: string }) => type)).toEqual(['user'])
})

type Schema = { readonly properties: Readonly<Record<string, object>> }

test('documents are made again where the fields change that are searched', { timeout: 60_000 }, async () => {
  const app = await startApp()
  const records = recordsOf(app)
  const made = await records.createMany('company', Array.from({ length: 120 }, (_, index) => ({ name: `Number ${index}`, industry: 'Shipping', description: 'Sails from Gdańsk' })))
  const searched = async (one: typeof app, query: string) => (await recordsOf(one).list('company', { search: query })).body.meta.total_records
  expect([await searched(app, 'gdansk'), await searched(app, 'shipping')]).toEqual([0, 120])

  const database = openAt(app.databaseUrl)
  const workspaceId = await app.workspaceId('acme')
  await database.write(async (tx) => {
    const key = { workspace_id: workspaceId, object: 'company' }
    const [current] = await tx.query<{ document: Schema }>(({ knex }) => knex('schema_version').select('document').where(key))
    const { description, industry, ...others } = current!.document.properties
    const properties = { ...others, description: { ...description, xSvcSearchable: true }, industry: { ...industry, xSvcSearchable: false } }
    await tx.insert('schema_version', [{ ...key, version: 2, document: { ...current!.document, properties }, created_at: app.now(), created_by: app.userIds.admin }])
    await tx.change(({ knex }) => knex('workspace').where({ id: workspaceId }).increment('schema_epoch', 1))
    await rebuildSearchDocuments(tx, { workspaceId, object: 'company', now: app.now() })
  })
  await database.close()

  const next = await startApp({ beside: app })
  await recordsOf(next).patch('company', made[0]!.id, { name: 'Renamed' })
  expect([await searched(next, 'gdansk'), await searched(next, 'shipping'), await searched(next, 'number')]).toEqual([1, 119, 119])
  await next.startJobs()
  for (const until = Date.now() + 20_000; (await searched(next, 'gdansk')) !== 120 && Date.now() < until; ) await sleep(50)
  expect([await searched(next, 'gdansk'), await searched(next, 'shipping'), await searched(next, 'number')]).toEqual([120, 0, 119])
})
