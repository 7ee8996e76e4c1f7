import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { migrateAgain } from '../harness/database.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'
import { changesOf, schemasOf } from '../harness/schemas.ts'

test(
  'records that are older than the search get their documents in the background, and no search answers before',
  { timeout: 60_000 },
  async () => {
    const old = await startApp()
    const records = recordsOf(old)
    const made = await records.createMany(
      'person',
      Array.from({ length: 300 }, (_, index) => ({ name: { full_name: `Number ${index} Ångström` } })),
    )
    await records.remove('person', [made[0]!.id, made[1]!.id])
    await migrateAgain(old.databaseUrl, '0014-search')

    const app = await startApp({ beside: old })
    const now = recordsOf(app)
    const found = async (search: string) => (await now.list('person', { search })).body.meta?.total_records
    const { status, headers, body } = await now.list('person', { search: 'angstrom' })
    expect([status, body.errors[0].code, Number(headers['retry-after']) > 0]).toEqual([503, 'overloaded', true])
    expect(
      (await app.api.post('/workspaces/acme/search', { body: { query: 'angstrom', entities: ['company'] } })).status,
      'there are none',
    ).toBe(200)

    // What is written meanwhile writes its own, or leaves it to the job.
    expect((await now.patch('person', made[2]!.id, { job_title: 'Changed' })).status).toBe(200)
    expect((await now.patch('person', made[3]!.id, { avatar_url: 'https://example.com/3' })).status).toBe(200)
    await now.remove('person', [made[4]!.id])
    expect((await app.api.post(`${recordsPath('person')}/restore`, { body: { items: [made[0]!.id] } })).status).toBe(
      200,
    )
    await now.create('person', { name: { full_name: 'New Ångström' } })

    await app.startJobs()
    for (const until = Date.now() + 20_000; (await found('angstrom')) === undefined && Date.now() < until;)
      await sleep(50)
    expect([await found('angstrom'), await found('changed'), await found('number 3 ang')]).toEqual([299, 1, 11])
    expect(
      (await app.api.post('/workspaces/acme/search', { body: { query: 'max' } })).body.data.map(
        ({ type }: { type: string }) => type,
      ),
    ).toEqual(['user'])
  },
)

test(
  'where the fields change that are searched, records are soon found by others, custom objects too',
  { timeout: 60_000 },
  async () => {
    const app = await startApp()
    const { make } = schemasOf(app)
    const { edit } = changesOf(app)
    const records = recordsOf(app, 'admin')
    const searched = async (object: string, query: string) =>
      (await records.list(object, { search: query })).body.meta.total_records
    const text = { type: ['string', 'null'], xSvcType: 'text' }
    const object = await make({
      name: { type: 'string', xSvcPrimary: true },
      port: text,
      notes: { ...text, xSvcType: 'long_text' },
      flag: text,
    })
    await records.createMany(
      object,
      Array.from({ length: 120 }, (_, index) => ({
        name: `Ship ${index}`,
        port: 'Gdańsk',
        notes: 'Sails on Monday',
        flag: 'Panama',
      })),
    )
    expect([
      await searched(object, 'gdansk'),
      await searched(object, 'monday'),
      await searched(object, 'panama'),
    ]).toEqual([120, 0, 120])
    await edit(object, (properties: Json) => {
      properties.notes.xSvcSearchable = true
      properties.port.xSvcSearchable = false
      delete properties.flag
    })
    for (const until = Date.now() + 20_000; (await searched(object, 'monday')) !== 120 && Date.now() < until;)
      await sleep(50)
    expect([
      await searched(object, 'gdansk'),
      await searched(object, 'monday'),
      await searched(object, 'panama'),
      await searched(object, 'ship 7'),
    ]).toEqual([0, 120, 0, 11])
    expect(
      (await app.api.post('/workspaces/acme/search', { as: 'admin', body: { query: 'monday ship 77' } })).body,
    ).toMatchObject({ data: [{ type: object, attributes: { name: 'Ship 77' } }], meta: { total_records: 1 } })
  },
)
