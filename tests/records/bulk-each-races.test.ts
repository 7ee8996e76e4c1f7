import { describe, expect, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { countWaiting, holdTable } from '../harness/database.ts'
import type { Answer, Json } from '../harness/http.ts'
import { nextNumber, recordsOf, recordsPath } from '../harness/records.ts'
import { schemasOf } from '../harness/schemas.ts'

const app = await startApp()
const records = recordsOf(app)
const { make } = schemasOf(app)

const name = { type: 'string', xSvcPrimary: true }
const place = await make({ name })
const item = await make({
  name,
  code: { type: 'string', xSvcUnique: true },
  home: { xSvcRelationship: { kind: 'many-to-one', entity: place, field: 'items' } },
})

const createEach = (given: readonly Json[]): Promise<Answer> =>
  app.api.post(`${recordsPath(item)}/bulk`, {
    query: { atomic: false },
    body: { data: given.map((attributes) => ({ type: item, attributes })) },
  })

/** Sends a bulk, and then another call, when the bulk is about to claim the values of its items. */
async function meet(
  given: readonly Json[],
  call: () => Promise<Answer>,
): Promise<[statuses: number[], status: number]> {
  const release = await holdTable(app.databaseUrl, 'unique_key')
  const waiting = (count: number) => expect.poll(() => countWaiting(app.databaseUrl), { timeout: 30_000 }).toBe(count)
  const bulk = createEach(given)
  await waiting(1)
  const other = call()
  await waiting(2)
  await release()
  return [(await bulk).body.results.map(({ status }: Json) => status), (await other).status]
}

// SQLite has one writer: nothing happens between two attempts of a call.
describe.runIf(inject('database') === 'postgres')('beside others', () => {
  test('what items refer to is not deleted between the refusal of one and the creation of the next', async () => {
    const code = `taken ${nextNumber()}`
    await records.create(item, { code })
    const { id: home } = await records.create(place, {})
    const met = await meet([{ code, home }, { home }], () => records.remove(place, [home]))
    expect(met).toEqual([[409, 201], 200])
  })

  // Either of the two may come first, so that it takes some rounds to see both.
  test.for([1, 2, 3, 4])(
    'the value for which an item is refused stays taken until the others are created',
    async () => {
      const [code, next] = [`taken ${nextNumber()}`, `wanted ${nextNumber()}`]
      const { id } = await records.create(item, { code })
      const met = await meet([{ code }, { code: next }], () => records.patch(item, id, { code: next }))
      expect([
        [[409, 201], 409],
        [[201, 409], 200],
      ]).toContainEqual(met)
    },
  )
})
