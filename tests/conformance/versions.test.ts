import { expect, test } from 'vitest'
import { errorCodesOf, isConditional, isMutation } from '@kontor/contract'
import { startApp } from '../harness/app.ts'
import { turnOf } from '../harness/size.ts'
import { exampleInput, mutations, select } from './endpoints.ts'
import { expectError, expectSuccess } from './expect.ts'
import { pathOf, rest, surfaces } from './surfaces.ts'

const app = await startApp()

const changing = select(
  (endpoint) => endpoint.versioned === true && isMutation(endpoint) && endpoint.path.endsWith('{id}'),
)
const tag = (version: string) => ({ headers: { 'If-Match': version } })

test.for(
  turnOf(
    22,
    select((endpoint) => endpoint.versioned === true && !isMutation(endpoint)),
  ),
)('%s: the same version as long as nothing changes', async ([name, endpoint]) => {
  const input = await exampleInput(app, name, endpoint)
  const first = await rest(app, name, endpoint, input)
  const etag = String(first.headers['etag'])
  expect(etag).toBe('"1"')
  // The answers to a reader change with rights and schemas too, of which the version knows nothing.
  for (const held of [undefined, etag, `W/${etag}`, '*', '"0"']) {
    const headers = held === undefined ? {} : { 'If-None-Match': held }
    const again = await rest(app, name, endpoint, input, { headers })
    expect([again.status, again.body, again.headers['etag']], held).toEqual([200, first.body, etag])
  }
})

test.for(select(isConditional))('%s: is spared a reader who has it', async ([name, endpoint]) => {
  const input = await exampleInput(app, name, endpoint)
  const first = await rest(app, name, endpoint, input)
  const etag = String(first.headers['etag'])
  expect(etag).toMatch(/^"\d+"$/)
  for (const held of [etag, `W/${etag}`, `"0", ${etag}`, '*']) {
    const unchanged = await rest(app, name, endpoint, input, { headers: { 'If-None-Match': held } })
    expect([unchanged.status, unchanged.body, unchanged.headers['etag']], held).toEqual([304, undefined, etag])
  }
  for (const other of ['"0"', 'nonsense', '""'])
    expect((await rest(app, name, endpoint, input, { headers: { 'If-None-Match': other } })).body).toEqual(first.body)
})

test.for(turnOf(23, changing))(
  '%s: 412 on another version, with the current one, and nothing happens',
  async ([name, endpoint]) => {
    const input = await exampleInput(app, name, endpoint)
    await app.events()
    for (const surface of Object.values(surfaces)) {
      // A weak tag never equals any, by RFC 9110; a tag that we never gave out is just another one.
      for (const version of [
        '"2"',
        '"0"',
        '"7", "8"',
        '"999999999999999"',
        'W/"1"',
        'W/"2", "3"',
        '"a"',
        '""',
        '"01"',
        '"1,1"',
      ]) {
        const outcome = await surface(app, name, endpoint, input, tag(version))
        expectError(endpoint, outcome, 'version_mismatch')
        expect(outcome.body.errors[0]).toMatchObject({ meta: { current_version: 1 }, source: { header: 'If-Match' } })
      }
    }
    expect(await app.events()).toEqual([])
  },
)

test.for(turnOf(24, changing))('%s: goes through on its version, one of several, or any', async ([name, endpoint]) => {
  for (const version of ['"1"', '"4", "1"', 'W/"1","1"', '"a,b" , "1"', '*', ' "1" '])
    expectSuccess(endpoint, await rest(app, name, endpoint, await exampleInput(app, name, endpoint), tag(version)))
})

test.for(turnOf(25, changing))('%s: what is no entity tag is 400', async ([name, endpoint]) => {
  const input = await exampleInput(app, name, endpoint)
  for (const version of ['1', '"1', '"1" "2"', 'w/"1"', 'W/1', '"a b"', '*, "1"', 'nonsense']) {
    const outcome = await rest(app, name, endpoint, input, tag(version))
    expectError(endpoint, outcome, 'invalid_parameter')
    expect(outcome.body.errors[0].source).toEqual({ header: 'If-Match' })
  }
})

test.for(
  turnOf(
    26,
    mutations.filter(([, endpoint]) => !errorCodesOf(endpoint).includes('version_mismatch')),
  ),
)('%s: has no version to match, and says so rather than pass over it', async ([name, endpoint]) => {
  const input = await exampleInput(app, name, endpoint)
  await app.events()
  for (const surface of Object.values(surfaces)) {
    const outcome = await surface(app, name, endpoint, input, tag('"1"'))
    expectError(endpoint, outcome, 'invalid_parameter')
    expect(outcome.body.errors[0].source).toEqual({ header: 'If-Match' })
  }
  expect(await app.events()).toEqual([])
  expectSuccess(endpoint, await rest(app, name, endpoint, input, tag('*')))
})

test.for(turnOf(27, changing))('%s: of two changes on one version one wins', async ([name, endpoint]) => {
  const input = await exampleInput(app, name, endpoint)
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => rest(app, name, endpoint, input, tag('"1"'))))
  const statuses = outcomes.map(({ status }) => status).toSorted((a, b) => a - b)
  // A call after a deletion finds nothing; a call after a change finds another version.
  expect(statuses).toEqual([
    endpoint.status ?? 200,
    ...Array.from({ length: 7 }, () => (endpoint.method === 'DELETE' ? 404 : 412)),
  ])
  expect((await app.api.get(pathOf(endpoint, input))).status).toBe(endpoint.method === 'DELETE' ? 404 : 200)
})
