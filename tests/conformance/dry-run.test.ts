import { expect, test } from 'vitest'
import { isMutation } from '@kontor/contract'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'
import { exampleInput, hasParameter, select } from './endpoints.ts'
import { expectError, expectRehearsal, expectSuccess } from './expect.ts'
import { normalise } from './normalise.ts'
import { rest } from './surfaces.ts'

const app = await startApp()

/** Where `dry_run` asks that nothing be written; elsewhere it asks for a test run, which is stored. */
const dry = select((endpoint) => hasParameter(endpoint, 'dry_run') && endpoint.testRuns !== true)

/** Everything that lists show, ids and versions included. */
const everything = (): Promise<Json[]> =>
  Promise.all(
    ['objects/person/resources', 'workflows', 'campaigns', 'agents'].map(
      async (list) => (await app.api.get(`/workspaces/acme/${list}`, { query: { 'page[limit]': 1000 } })).body,
    ),
  )

/** Of no body at all, nothing. */
const withoutMeta = ({ meta: _meta, ...body }: Json = {}): Json => body

test('every mutation of records has a dry run, and so have workflows, campaigns and agents', () => {
  const ofRecords = select((endpoint) => isMutation(endpoint) && endpoint.scope?.startsWith('records:') === true)
    // An import is a task: its body says that it is to write nothing. An export changes no record.
    .filter(([name]) => !/^(imports|exports)\./.test(name))
  const ofDefinitions = ['workflows', 'campaigns', 'agents'].flatMap((all) => [`${all}.create`, `${all}.update`])
  const names = ofRecords.map(([name]) => name)
  expect(dry.map(([name]) => name)).toEqual([...names, ...ofDefinitions])
})

test.for(dry)('%s: answers as the real call does, and writes nothing', async ([name, endpoint]) => {
  const input = await exampleInput(app, name, endpoint)
  await app.events()
  const before = await everything()
  const rehearsal = await rest(app, name, endpoint, { ...input, dry_run: true })
  expectRehearsal(endpoint, rehearsal)
  expect(rehearsal.body.meta).toMatchObject({ dry_run: true, diff: expect.any(Array) })
  expect(rehearsal.body.meta.diff.length).toBeGreaterThan(0)
  expect(await everything()).toEqual(before)
  expect(await app.events()).toEqual([])
  const real = await rest(app, name, endpoint, { ...input, dry_run: false })
  expectSuccess(endpoint, real)
  expect(real.body?.meta?.dry_run).toBeUndefined()
  // The version that the real call would make does not exist, so there is no tag to match it with.
  expect(rehearsal.headers['etag']).toBeUndefined()
  expect(normalise(withoutMeta(rehearsal.body))).toEqual(normalise(withoutMeta(real.body)))
  expect(await app.events()).not.toEqual([])
})

test('a call that changes several records names the record of each change', async () => {
  const own = recordsOf(app, 'admin')
  const made = await own.createMany('deal', [{ name: 'One' }, { name: 'Two' }])
  const ids = made.map(({ id }) => id)
  const path = recordsPath('deal')
  const data = ids.map((id) => ({ type: 'deal', id, attributes: { amount: 5 } }))
  const query = { dry_run: true }
  const changes = (await app.api.patch(path, { body: { data }, query })).body.meta.diff
  expect(changes).toEqual(ids.map((record_id) => ({ op: 'add', path: ['amount'], val: 5, oldVal: null, record_id })))
  const removals = (await app.api.delete(path, { body: { items: ids }, query })).body.meta.diff
  expect(removals.map(({ record_id }: Json) => record_id)).toEqual(ids)
})

test.for(dry)('%s: refuses what the real call refuses', async ([name, endpoint]) => {
  const input = await exampleInput(app, name, endpoint)
  const refused = endpoint.body === undefined ? { ...input, id: 'nothing' } : { ...input, body: { bogus: 1 } }
  const real = await rest(app, name, endpoint, refused)
  expectError(endpoint, await rest(app, name, endpoint, { ...refused, dry_run: true }), real.body.errors[0].code)
})

test.for(dry)('%s: keeps no answer under an Idempotency-Key', async ([name, endpoint]) => {
  const input = await exampleInput(app, name, endpoint)
  const headers = { 'Idempotency-Key': `dry-${name}` }
  expectRehearsal(endpoint, await rest(app, name, endpoint, { ...input, dry_run: true }, { headers }))
  const real = await rest(app, name, endpoint, input, { headers })
  expectSuccess(endpoint, real)
  expect(real.headers['idempotency-replayed']).toBeUndefined()
})
