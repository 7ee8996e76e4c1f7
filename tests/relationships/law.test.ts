import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, recordsPath, resourcesPath } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app)

/** Both ends of the relationships that are tried: the first of a pair is to many. */
const pairs = [
  { one: ['company', 'people'], other: ['person', 'company_id'], kind: 'one-to-many' },
  { one: ['person', 'deals'], other: ['deal', 'people'], kind: 'many-to-many' },
] as const

const each = 4

type Operation = { readonly pair: number; readonly fromOther: boolean; readonly at: number; readonly to: readonly number[]; readonly how: 'replace' | 'add' | 'remove' | 'unlink' }

const operation: fc.Arbitrary<Operation> = fc.record({
  pair: fc.nat(pairs.length - 1),
  fromOther: fc.boolean(),
  at: fc.nat(each - 1),
  to: fc.array(fc.nat(each - 1), { maxLength: 4 }),
  how: fc.constantFrom('replace', 'add', 'remove', 'unlink'),
})

/** What is linked, as pairs of the first end's place and the second's. */
class Model {
  readonly links = pairs.map(() => new Set<string>())

  apply({ pair, fromOther, at, to, how }: Operation): void {
    const links = this.links[pair] as Set<string>
    const key = (other: number): string => (fromOther ? `${other}-${at}` : `${at}-${other}`)
    const mine = [...links].filter((link) => link.split('-')[fromOther ? 1 : 0] === String(at))
    const toMany = pairs[pair]?.kind === 'many-to-many'
    const toOne = !toMany && fromOther
    const wanted = toOne ? to.slice(0, 1) : to
    if (how === 'add' && toOne) return
    if (how === 'remove') return wanted.forEach((other) => links.delete(key(other)))
    if (how === 'unlink' || (how === 'replace' && (toMany || toOne))) mine.forEach((link) => links.delete(link))
    for (const other of wanted) {
      // Taken over: a record at the end to one has no other link.
      const taken = toMany || fromOther ? [] : [...links].filter((link) => link.endsWith(`-${other}`))
      taken.forEach((link) => links.delete(link))
      links.add(key(other))
    }
  }
}

async function run({ pair, fromOther, at, to, how }: Operation, ids: Readonly<Record<string, string[]>>): Promise<void> {
  const { one, other, kind } = pairs[pair] as (typeof pairs)[number]
  const [object, relationship] = fromOther ? other : one
  const [entity] = fromOther ? one : other
  const toOne = fromOther && kind === 'one-to-many'
  const data: Json[] = (toOne ? to.slice(0, 1) : to).map((place) => ({ type: entity, id: ids[entity]?.[place] }))
  const body = { data: how === 'unlink' ? [{ type: entity, id: null }, ...data] : data }
  const path = `${recordsPath(object)}/${ids[object]?.[at]}/relationships/${relationship}`
  const method = how === 'add' ? 'post' : how === 'remove' ? 'delete' : 'patch'
  const { status } = await app.api[method](path, { as: 'member', body })
  expect(status).toBe(how === 'add' && toOne ? 422 : 200)
}

/** What both ends and an include say, as the model writes it. */
async function read(pair: number, ids: Readonly<Record<string, string[]>>): Promise<Set<string>[]> {
  const { one, other } = pairs[pair] as (typeof pairs)[number]
  const linked = async ([object, relationship]: readonly [string, string], entity: string, turned: boolean): Promise<Set<string>> => {
    const found = new Set<string>()
    for (const [place, id] of (ids[object] as string[]).entries()) {
      const { body } = await app.api.get(`${recordsPath(object)}/${id}/relationships/${relationship}`, { as: 'member' })
      expect(body.meta.total_records).toBe(body.data.length)
      for (const related of body.data) {
        const there = (ids[entity] as string[]).indexOf(related.id)
        found.add(turned ? `${there}-${place}` : `${place}-${there}`)
      }
    }
    return found
  }
  const included = new Set<string>()
  const { body } = await app.api.get(resourcesPath(one[0]), { as: 'member', query: { include: one[1], 'filter[_id][One of]': (ids[one[0]] as string[]).join(',') } })
  for (const record of body.data) {
    for (const related of record.relationships[one[1]].data) included.add(`${(ids[one[0]] as string[]).indexOf(record.id)}-${(ids[other[0]] as string[]).indexOf(related.id)}`)
  }
  return [await linked(one, other[0], false), await linked(other, one[0], true), included]
}

test('both ends of every kind of relationship stay in step with a naive model', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 25 }), async (operations) => {
      const ids: Record<string, string[]> = {}
      for (const object of ['company', 'person', 'deal']) ids[object] = (await records.createMany(object, Array.from({ length: each }, () => ({})))).map(({ id }) => id)
      const model = new Model()
      for (const one of operations) {
        await run(one, ids)
        model.apply(one)
      }
      for (const [pair, links] of model.links.entries()) {
        for (const seen of await read(pair, ids)) expect([...seen].toSorted()).toEqual([...links].toSorted())
      }
    }),
    { numRuns: 25 },
  )
})
