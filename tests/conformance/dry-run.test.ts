import { expect, test } from 'vitest'
import { isMutation } from '@kontor/contract'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
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
    ['objects/person/resources', 'workflows'].map(
      async (list) => (await app.api.get(`/workspaces/acme/${list}`, { query: { 'page[limit]': 1000 } })).body,
    ),
  )

/** Of no body at all, nothing. */
const withoutMeta = ({ meta: _meta, ...body }: Json = {}): Json => body

test('every mutation of records has a dry run, and so has the change of a workflow', () => {
  const ofRecords = select((endpoint) => isMutation(endpoint) && endpoint.scope?.startsWith('records:') === true)
  expect(dry.map(([name]) => name)).toEqual([...ofRecords.map(([name]) => name), 'workflows.update'])
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
