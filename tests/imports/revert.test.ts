import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { importsOf, mappingOf } from '../harness/imports.ts'
import { createKey } from '../harness/people.ts'
import { recordsOf } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app)
const imports = importsOf(app)
const matched = {
  object: 'person',
  mapping: mappingOf({ 'E-mail': 'email_addresses', Job: 'job_title', Company: 'company_id.domains' }),
  match_on: 'email_addresses',
}

const valuesOf = async (id: string): Promise<Json> => {
  const { status, body } = await records.get('person', id)
  return status === 200 ? body.data.attributes : status
}

// First of all: no job runs before a test lets it.
test('an import that has not ended is not reverted; cancelled, or with an ended key, it writes nothing', async () => {
  const { body } = await imports.start('E-mail,Job,Company\ngus@example.com,Guide,\n', matched)
  const { id } = body.data
  const early = await app.api.post(`/workspaces/acme/imports/${id}/revert`, { as: 'member' })
  expect([early.status, early.body.errors[0]]).toMatchObject([409, { code: 'import_state', meta: { state: 'queued' } }])
  const cancelled = await imports.cancel(id)
  expect([cancelled.status, cancelled.body.data.attributes.state]).toEqual([200, 'cancelled'])
  const task = await app.api.get(`/workspaces/acme/async-tasks/${id}`)
  expect(task.body.data.attributes).toMatchObject({ state: 'cancelled', error_code: 'cancelled' })
  const { id: keyId, key } = await createKey(app.api.post, 'admin')
  const ofKey = await importsOf(app, { authorization: `api-key ${key}` }).start(
    'E-mail,Job,Company\nned@example.com,x,\n',
    matched,
  )
  await app.api.delete(`/workspaces/acme/api-keys/${keyId}`)
  await app.startJobs()
  await app.settled('imports.run')
  expect(await importsOf(app, 'admin').ended(ofKey.body.data.id)).toMatchObject({
    state: 'failed',
    error: expect.stringContaining('their key is no longer valid'),
  })
  expect((await imports.cancel(id)).body.data.attributes).toEqual(cancelled.body.data.attributes)
  expect(await records.count('person')).toBe(0)
  expect(await imports.revert(id)).toMatchObject({ state: 'done', changes: 0 })
})

test('a revert deletes what the import created, and restores what it changed unless it was changed since', async () => {
  const company = await records.create('company', { domains: { items: ['acme.example'] } })
  const people = await records.createMany(
    'person',
    ['ada', 'bob', 'cid'].map((name) => ({ email_addresses: { items: [`${name}@example.com`] }, job_title: 'Before' })),
  )
  const [ada, bob, cid] = people.map(({ id }) => id as string) as [string, string, string]
  const file = [
    'E-mail,Job,Company',
    'ada@example.com,After,acme.example',
    'bob@example.com,After,',
    'cid@example.com,Before,',
    'dan@example.com,First,acme.example',
    'eve@example.com,First,',
    'dan@example.com,Second,',
  ].join('\n')
  const done = await imports.run(file, matched)
  expect(done).toMatchObject({ created: 2, updated: 3, unchanged: 1, rejected: 0 })
  const made = async (name: string): Promise<string> =>
    (await records.list('person', { 'filter[email_addresses]': `${name}@example.com` })).body.data[0]?.id
  const [dan, eve] = [await made('dan'), await made('eve')]
  await records.patch('person', bob, { job_title: 'Since' })
  await records.patch('person', eve, { job_title: 'Since' })
  const early = await importsOf(app, (await app.addMember('member', 'colleague')).as).get(done._id)
  expect(early.status).toBe(404)

  const reverted = await imports.revert(done._id)
  expect(reverted).toMatchObject({ state: 'done', changes: 5, reverted: 3, conflict_count: 2 })
  expect(reverted.conflicts).toContainEqual(
    expect.objectContaining({ record_id: bob, field: 'job_title', reason: 'changed' }),
  )
  expect(reverted.conflicts).toContainEqual(expect.objectContaining({ record_id: eve, reason: 'changed' }))
  expect(await valuesOf(ada)).toMatchObject({ job_title: 'Before', company_id: null })
  expect(await valuesOf(bob)).toMatchObject({ job_title: 'Since' })
  expect(await valuesOf(cid)).toMatchObject({ job_title: 'Before' })
  expect([await valuesOf(dan), (await valuesOf(eve)).job_title]).toEqual([404, 'Since'])
  expect((await records.get('company', company.id)).status).toBe(200)
  // Once only: what is as it was stays so.
  await records.patch('person', ada, { job_title: 'After' })
  expect(await imports.revert(done._id)).toEqual(reverted)
  expect(await valuesOf(ada)).toMatchObject({ job_title: 'After' })
})

test('linked records that are missing are created once, and reverted with the import', async () => {
  const before = await records.count('company')
  const file = [
    'E-mail,Site,Company',
    'kim@example.com,new.example,New Ltd',
    'lea@example.com,new.example,',
    'max@example.com,acme.example,Not Acme',
    'ned@example.com,no domain,',
  ].join('\n')
  const mapping = mappingOf({
    'E-mail': 'email_addresses',
    Site: 'company_id.domains',
    Company: 'company_id.name',
  })
  const upload_id = await imports.upload(file)
  const body = { object: 'person', upload_id, mapping, match_on: 'email_addresses', create_missing: true }
  const preview = await app.api.post('/workspaces/acme/imports/preview', { as: 'member', body })
  expect(preview.body.data.rows.map(({ outcome }: Json) => outcome)).toEqual([
    'created',
    'created',
    'created',
    'rejected',
  ])
  const dry = await imports.create({ ...body, dry_run: true })
  expect(await imports.ended(dry.body.data.id)).toMatchObject({ created: 3, rejected: 1 })
  expect(await records.count('company')).toBe(before)
  const real = await imports.create(body)
  const done = await imports.ended(real.body.data.id)
  expect(done).toMatchObject({ state: 'completed', created: 3, rejected: 1 })
  expect(await imports.rejects(done._id)).toContain('The company was not created: ')
  const companies = (await records.list('company')).body.data.map(({ attributes }: Json) => attributes.name)
  expect(companies.toSorted()).toEqual(['New Ltd', null])
  expect(await imports.revert(done._id)).toMatchObject({ changes: 4, reverted: 4, conflict_count: 0 })
  expect(await records.count('company')).toBe(before)
})

test('the history of a record names the import that changed it, and nothing else does', async () => {
  const done = await imports.run('E-mail,Job,Company\nfay@example.com,Farmer,\n', matched)
  const { body } = await records.list('person', { 'filter[email_addresses]': 'fay@example.com' })
  const [{ id }] = body.data
  await records.patch('person', id, { job_title: 'Since' })
  const feed = await app.api.get(`/workspaces/acme/objects/person/records/${id}/activities`)
  const events = feed.body.data.flatMap(({ attributes }: Json) => attributes.data)
  expect(events.map(({ type, import_id }: Json) => [type, import_id])).toEqual([
    ['svc:update', undefined],
    ['svc:create', done._id],
  ])
  expect(events[1].actor).toMatchObject({ _id: app.userIds.member, entity: 'user' })
})
