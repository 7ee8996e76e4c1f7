import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { nextNumber, recordsOf, recordsPath } from '../harness/records.ts'
import { rounds } from '../harness/size.ts'

// The property of `atomic=false`: a bulk does what its items would do, sent one after another.
const app = await startApp()
const records = recordsOf(app)

/** Few values, so that items meet one another and what is there already; some that are refused. */
const address = fc.constantFrom('a', 'b', 'c', 'd', 'A', 'held', 'HELD', 'not an address')
const title = fc.constantFrom('x', 'y', 5, null)
const item = (addressesMax: number) =>
  fc.record(
    {
      email_addresses: fc.option(fc.array(address, { minLength: 1, maxLength: addressesMax }), {
        nil: undefined,
        freq: 5,
      }),
      job_title: title,
    },
    { requiredKeys: [] },
  )

type Item = { readonly email_addresses?: string[] | undefined; readonly job_title?: string | number | null }

/** The same items in a world of their own, in which another record has one of the addresses. */
async function world(given: readonly Item[]): Promise<Json[]> {
  const domain = `world-${nextNumber()}.example.com`
  const spelled = (name: string) => (name === 'not an address' ? name : `${name}@${domain}`)
  await records.create('person', { email_addresses: { items: [spelled('held')] }, job_title: 'x' })
  return given.map(({ email_addresses, job_title }) => ({
    type: 'person',
    attributes: {
      ...(email_addresses && { email_addresses: { items: email_addresses.map(spelled) } }),
      ...(job_title !== undefined && { job_title }),
    },
  }))
}

const codesOf = ({ errors }: Json): string[] => (errors ?? []).map(({ code }: Json) => code).toSorted()
const shown = (data: Json) =>
  data && [data.attributes.job_title, data.attributes.email_addresses.items.map((text: string) => text.split('@')[0])]

const cases: [string, string | undefined, number][] = [
  ['without match_on', undefined, 3],
  ['with match_on', 'email_addresses', 1],
]

test.for(cases)('%s, each item ends as it would by itself', async ([, matchOn, addressesMax]) => {
  const more = matchOn === undefined ? {} : { match_on: matchOn }
  await fc.assert(
    fc.asyncProperty(fc.array(item(addressesMax), { minLength: 1, maxLength: 12 }), async (given) => {
      const together = await app.api.post(`${recordsPath('person')}/bulk`, {
        query: { atomic: false },
        body: { data: await world(given), ...more },
      })
      const single: Json[] = []
      for (const data of await world(given))
        single.push(await app.api.post(recordsPath('person'), { body: { data, ...more } }))
      expect(together.status, JSON.stringify(together.body.errors)).toBe(200)
      expect(together.body.results.map((result: Json) => [result.status, codesOf(result), shown(result.data)])).toEqual(
        single.map(({ status, body }) => [status, codesOf(body), shown(body.data)]),
      )
    }),
    { numRuns: rounds(60, 10), interruptAfterTimeLimit: 25_000 },
  )
})
