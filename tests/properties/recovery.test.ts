import fc from 'fast-check'
import { expect, test } from 'vitest'
import { activitiesOf } from '../harness/activities.ts'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, resourcesPath } from '../harness/records.ts'
import { rounds } from '../harness/size.ts'

// Whatever is deleted, restored, merged and linked in whatever order: documents, links, totals and feeds fit together.
const app = await startApp()
const records = recordsOf(app)
const feed = activitiesOf(app)

const size = 4
const index = fc.nat({ max: size - 1 })
const object = fc.constantFrom('company', 'person', 'deal')

type Step =
  | { readonly kind: 'remove'; readonly object: string; readonly indexes: readonly number[] }
  | { readonly kind: 'restore'; readonly object: string; readonly indexes: readonly number[] }
  | { readonly kind: 'merge'; readonly object: string; readonly into: number; readonly from: readonly number[] }
  | {
      readonly kind: 'refer'
      readonly object: 'person' | 'deal'
      readonly index: number
      readonly company: number | null
    }
  | { readonly kind: 'link'; readonly people: readonly number[] }

const indexes = fc.uniqueArray(index, { minLength: 1, maxLength: 2 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('remove' as const), object, indexes }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('restore' as const), object, indexes }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('merge' as const), object, into: index, from: indexes }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('refer' as const),
      object: fc.constantFrom('person' as const, 'deal' as const),
      index,
      company: fc.option(index),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('link' as const), people: indexes }) },
)

type World = Readonly<Record<string, readonly string[]>>

async function take(world: World, one: Step): Promise<number> {
  const ids = (name: string, wanted: readonly number[]) => wanted.map((at) => world[name]![at] as string)
  if (one.kind === 'remove') return (await records.remove(one.object, ids(one.object, one.indexes))).status
  if (one.kind === 'restore') return (await records.restore(one.object, ids(one.object, one.indexes))).status
  if (one.kind === 'merge')
    return (await records.merge(one.object, world[one.object]![one.into]!, ids(one.object, one.from))).status
  if (one.kind === 'refer')
    return (
      await records.patch(one.object, world[one.object]![one.index]!, {
        company_id: one.company === null ? null : world['company']![one.company],
      })
    ).status
  const people = ids('person', one.people).map((id) => ({ type: 'person', id }))
  return (
    await app.api.post(resourcesPath('deal'), {
      as: 'member',
      body: { data: { type: 'deal', attributes: {}, relationships: { people: { data: people } } } },
    })
  ).status
}

/** The total, which is a counter, is the number of records; each has a feed without gaps. */
async function expectCounted(name: string): Promise<void> {
  const { data, meta } = (await records.list(name, { 'page[limit]': 10_000 })).body
  expect(data).toHaveLength(meta.total_records)
  for (const { id } of data.slice(-size) as Json[]) {
    const { body } = await feed.list(name, id)
    expect(body.meta.total_records).toBe(body.data.length)
  }
}

test('the property', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      const world: Record<string, string[]> = {}
      for (const name of ['company', 'person', 'deal'])
        world[name] = (
          await records.createMany(
            name,
            Array.from({ length: size }, () => ({})),
          )
        ).map(({ id }) => id)
      for (const [at, company] of world['company']!.entries())
        await records.patch('person', world['person']![at]!, { company_id: company })
      for (const one of steps) {
        expect([200, 201, 204, 404, 422], JSON.stringify(one)).toContain(await take(world, one))
        expect(await app.linkFaults(), JSON.stringify(one)).toEqual([])
      }
      for (const name of Object.keys(world)) await expectCounted(name)
      // Records that are not there were merged into one that is, once everything is restored.
      for (const [name, ids] of Object.entries(world)) for (const id of ids) await records.restore(name, [id])
      expect(await app.linkFaults()).toEqual([])
      for (const [name, ids] of Object.entries(world)) {
        for (const id of ids) {
          const { status, body } = await records.get(name, id)
          if (status === 404) expect((await records.get(name, body.errors[0].meta.merged_into)).status).toBe(200)
        }
      }
    }),
    { numRuns: rounds(40, 5), interruptAfterTimeLimit: 60_000 },
  )
})
