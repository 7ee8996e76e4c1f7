import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { runSeed, rounds } from '../harness/size.ts'
import { countOf, spelledTree, treeIn } from './reference-model/conditions.ts'
import { holds } from './reference-model/evaluate.ts'
import { objects } from './reference-model/fields.ts'
import { seed, worldOf } from './reference-model/seed.ts'
import { found, selects, spelled } from './reference-model/sql.ts'

/** Every run draws the same; another number draws others. A failure prints it with what it found. */
const runs = rounds(120, 12)

const app = await startApp()

const now = Date.parse('2028-02-29T23:59:59.999Z')
await seed(app, now, runSeed)
app.stopClock(now)

const callers = ['adminKey', 'memberKey'] as const
const worlds = { adminKey: await worldOf(app, 'adminKey'), memberKey: await worldOf(app, 'memberKey') }

const path = (object: string): string => `/workspaces/acme/objects/${object}/lists`

/** A list for all members, of which each sees what is theirs. */
async function makeList(object: string, query: Json): Promise<string> {
  const { status, body } = await app.api.post(path(object), {
    as: 'adminKey',
    body: { title: 'Law', type: 'dynamic', permission: 'workspace', query },
  })
  expect(status, `${JSON.stringify(query)} ${JSON.stringify(body?.errors)}`).toBe(201)
  return body.data.id
}

async function membersOf(
  as: (typeof callers)[number],
  object: string,
  list: string,
  limit = 1000,
): Promise<{ ids: string[]; total: number }> {
  const { status, body } = await app.api.get(`${path(object)}/${list}/resources`, {
    as,
    query: { 'page[limit]': limit },
  })
  expect(status, JSON.stringify(body?.errors)).toBe(200)
  return { ids: body.data.map(({ id }: Json) => id), total: body.meta.total_records }
}

const inOrder = (as: (typeof callers)[number], object: string, ids: ReadonlySet<string>): string[] =>
  [...worlds[as][object]!.values()]
    .filter(({ _id }) => ids.has(_id))
    .toSorted((a, b) =>
      a._created_at < b._created_at ? -1 : a._created_at > b._created_at ? 1 : a._id < b._id ? -1 : 1,
    )
    .map(({ _id }) => _id)

test('a list of SQL has the records that SQL says, for each reader', { timeout: 240_000 }, async () => {
  let some = 0
  await fc.assert(
    fc.asyncProperty(
      selects(worlds.adminKey, now),
      fc.option(fc.integer({ min: 1, max: 40 })),
      async (select, limit) => {
        const sql = spelled(select) + (limit === null ? '' : ` ORDER BY b._created_at LIMIT ${limit}`)
        const list = await makeList(select.object, { sql })
        for (const as of callers) {
          const expected = inOrder(as, select.object, found(worlds[as], select)).slice(0, limit ?? undefined)
          expect(await membersOf(as, select.object, list), `${as} ${sql}`).toEqual({
            ids: expected,
            total: expected.length,
          })
          if (expected.length > 0 && expected.length < worlds[as][select.object]!.size) some++
        }
      },
    ),
    { seed: runSeed, endOnFailure: true, numRuns: runs },
  )
  expect(some, 'lists that have some records and not all').toBeGreaterThan(runs / 4)
})

test(
  'a list of a filter tree has the records that the filter finds, for each reader',
  { timeout: 240_000 },
  async () => {
    const questions = fc.constantFrom(...Object.keys(objects)).chain((object) =>
      fc.record({
        object: fc.constant(object),
        tree: treeIn(object, { world: worlds.adminKey, now }).filter((tree) => countOf(tree) <= 50),
      }),
    )
    await fc.assert(
      fc.asyncProperty(questions, async ({ object, tree }) => {
        const list = await makeList(object, { filter: spelledTree(tree) })
        for (const as of callers) {
          const ids = new Set(
            [...worlds[as][object]!.values()]
              .filter((attributes) => holds(worlds[as], now, object, attributes, tree))
              .map(({ _id }) => _id as string),
          )
          const expected = inOrder(as, object, ids)
          expect(await membersOf(as, object, list), `${as} ${object} ${JSON.stringify(spelledTree(tree))}`).toEqual({
            ids: expected,
            total: expected.length,
          })
        }
      }),
      { seed: runSeed, endOnFailure: true, numRuns: Math.ceil(runs / 2) },
    )
  },
)
