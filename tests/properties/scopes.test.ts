import { scopes } from '@kontor/contract'
import { afterEach, describe, expect, test } from 'vitest'
import { exampleInput, workspaced } from '../conformance/endpoints.ts'
import { surfaces } from '../conformance/surfaces.ts'
import { startApp } from '../harness/app.ts'
import type { Answer } from '../harness/http.ts'
import { createKey, type Caller } from '../harness/people.ts'
import { someOf } from '../harness/size.ts'
import { readsOf, writesOf, type Call } from './scopes/calls.ts'
import { objects, wordOf, World, type ObjectName } from './scopes/world.ts'

// A credential that is narrowed to some objects neither sees a record of another one nor changes one, whatever it
// calls.
const app = await startApp()
const world = new World(app)
await world.begin()

const areas = scopes.filter((scope) => !scope.startsWith('records:'))

const narrowedTo = async (...open: readonly ObjectName[]): Promise<Caller> => {
  const own = open.flatMap((object) => ['read', 'write', 'delete'].map((verb) => `records:${verb}:${object}`))
  return { authorization: `api-key ${(await createKey(app.api.post, 'admin', { scopes: [...areas, ...own] })).key}` }
}

const send = ({ method, path, query, body }: Call, as: Caller): Promise<Answer> =>
  app.api.send(method, path, { as, ...(query && { query }), ...(body !== undefined && { body }) })

const outside = (open: readonly ObjectName[]): ObjectName[] => objects.filter((object) => !open.includes(object))

/** Nothing of the other objects stands in an answer. */
function expectSilent({ body }: Pick<Answer, 'body'>, open: readonly ObjectName[], what: string): void {
  const text = JSON.stringify(body) ?? ''
  for (const object of outside(open)) expect(text, `${what} tells of ${object}`).not.toContain(wordOf(object))
}

/** No record of the other objects has changed, come or gone. */
async function unchanged<T>(open: readonly ObjectName[], what: string, work: () => Promise<T>): Promise<T> {
  const closed = outside(open)
  const theirs = (versions: ReadonlyMap<string, number>) =>
    new Map([...versions].filter(([key]) => closed.some((object) => key.startsWith(object))))
  const before = theirs(await app.recordVersions())
  const done = await work()
  expect(theirs(await app.recordVersions()), what).toEqual(before)
  return done
}

/** Refused, and told why, exactly where it touches what the credential does not open. */
function expectRefused({ status, body }: Answer, call: Call, open: readonly ObjectName[]): void {
  const missing = call.touches.filter((object) => !open.includes(object))
  if (missing.length === 0) return expect(status, `${call.what}: ${JSON.stringify(body)}`).toBeLessThan(300)
  expect([status, body.errors?.[0]?.code], `${call.what}: ${JSON.stringify(body)}`).toEqual([403, 'insufficient_scope'])
  const { required } = body.errors[0].meta
  expect(
    missing
      .map((object) => new RegExp(`^records:(read|write|delete)(:${object})?$`))
      .some((pattern) => pattern.test(required)),
    `${call.what}: ${required}`,
  ).toBe(true)
}

const sets: readonly (readonly ObjectName[])[] = [
  ...objects.map((object) => [object]),
  ['person', 'company'],
  ['task', 'person', 'c_desk'],
]

describe.each(someOf(sets, 1).map((open) => [open.join(' and '), open] as const))('a key for %s', (_, open) => {
  test.each(someOf(objects, 1))('reads nothing else along with %s records', async (object) => {
    const as = await narrowedTo(...open)
    for (const call of readsOf(world, object)) {
      const answer = await send(call, as)
      expectSilent(answer, open, call.what)
      expectRefused(answer, call, open)
    }
  })

  test.each(someOf(objects, 1))('changes nothing else along with %s records', async (object) => {
    const as = await narrowedTo(...open)
    await world.renew()
    for (const call of await writesOf(world, object)) {
      const answer = await unchanged(open, call.what, () => send(call, as))
      expectSilent(answer, open, call.what)
      expectRefused(answer, call, open)
    }
  })

  test('finds nothing else where it searches everything', async () => {
    const as = await narrowedTo(...open)
    for (const object of objects) {
      const { status, body } = await app.api.post('/workspaces/acme/search', { as, body: { query: wordOf(object) } })
      expect([status, body.meta.total_records > 0]).toEqual([200, open.includes(object)])
    }
  })
})

describe('every endpoint', () => {
  const open = ['company'] as const
  afterEach(() => app.restoreMembers())

  test.for(someOf(workspaced, 2))(
    '%s leaves records of other objects alone, on every surface',
    async ([name, endpoint]) => {
      const input = await exampleInput(app, name, endpoint)
      const as = await narrowedTo(...open)
      for (const surface of Object.values(surfaces)) {
        const outcome = await unchanged(open, name, () => surface(app, name, endpoint, input, { as }))
        expectSilent(outcome, open, name)
        // The person of the examples, who also stands in the document of the API.
        if (name !== 'schemas.describe')
          expect(JSON.stringify(outcome.body) ?? '').not.toContain('"last_name":"Hopper"')
      }
    },
  )
})

test(
  'whose credential is not narrowed sees and changes all of it: the property is about something',
  { timeout: 120_000 },
  async () => {
    const all: Caller = 'adminKey'
    await world.renew()
    for (const object of someOf(objects, 1)) {
      for (const call of readsOf(world, object)) expectRefused(await send(call, all), call, objects)
      for (const call of await writesOf(world, object)) expectRefused(await send(call, all), call, objects)
      await world.renew()
    }
  },
)
