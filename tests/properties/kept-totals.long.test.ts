import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { QueryText } from '../harness/api.ts'
import { startApp } from '../harness/app.ts'
import { recordsOf } from '../harness/records.ts'
import { rounds } from '../harness/size.ts'

// Two nodes on one database, each with totals of its own. A total of every page is compared with what its reader has
// written, while others write.
const first = await startApp({ fieldIndexThreshold: 0 })
const nodes = [first, await startApp({ fieldIndexThreshold: 0, beside: first })].map((app) =>
  recordsOf(app, 'memberKey'),
)
await first.startJobs()

const nodeOf = (n: number) => nodes[n % nodes.length] as (typeof nodes)[number]

async function totalOf(n: number, query: QueryText): Promise<number> {
  const { body } = await nodeOf(n).list('company', { 'page[limit]': 1, ...query })
  return body.meta.total_records
}

/** More than the statement of a page counts. */
const many = 1050
await nodeOf(0).createMany(
  'company',
  Array.from({ length: many }, () => ({ name: 'Many', description: 'of the beginning' })),
)

const pick = (from: string[], n: number): string | undefined => from.splice(n % Math.max(1, from.length), 1)[0]

const steps = fc.sample(
  fc.tuple(fc.constantFrom('create', 'move', 'delete', 'restore', 'rename', 'look'), fc.nat(), fc.nat(), fc.nat()),
  { numRuns: rounds(1200, 240), seed: 147 },
)

test('a total is that of the last commit, on whichever node, while others write', { timeout: 300_000 }, async () => {
  const writers = 6
  let renamed = 0
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const here: string[] = []
      const there: string[] = []
      const gone: string[] = []
      const texts = [`first${writer}x`, `second${writer}x`] as const
      for (const [act, n, writing, reading] of steps.filter((_step, index) => index % writers === writer)) {
        const node = nodeOf(writing)
        if (act === 'create') here.push((await node.create('company', { description: texts[0] })).id)
        const from = { move: here, delete: here, restore: gone, rename: there }[act as string]
        const id = from && pick(from, n)
        if (id !== undefined && act === 'move') {
          await node.patch('company', id, { description: texts[1] })
          there.push(id)
        } else if (id !== undefined && act === 'delete') {
          await node.remove('company', [id])
          gone.push(id)
        } else if (id !== undefined && act === 'restore') {
          await node.restore('company', [id])
          here.push(id)
        } else if (id !== undefined && act === 'rename') {
          await node.patch('company', id, { name: 'Many', description: null })
          renamed++
        }
        const found = await Promise.all(
          [reading, reading + 1].flatMap((at) =>
            texts.map((text) => totalOf(at, { 'filter[description][Contains]': text })),
          ),
        )
        expect(found, `after ${act}`).toEqual([here.length, there.length, here.length, there.length])
        expect(await totalOf(reading, { 'filter[name]': 'Many' })).toBeGreaterThanOrEqual(many)
      }
    }),
  )
  expect(renamed).toBeGreaterThan(0)
  for (const at of [0, 1]) {
    expect(await totalOf(at, { 'filter[name]': 'Many' })).toBe(many + renamed)
    // Once again, when it is kept.
    await first.idle()
    expect(await totalOf(at, { 'filter[name]': 'Many' })).toBe(many + renamed)
    expect(await totalOf(at, { 'filter[name]': 'Many' })).toBe(many + renamed)
  }
})
