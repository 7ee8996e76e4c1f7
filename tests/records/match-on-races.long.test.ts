import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Answer } from '../harness/http.ts'
import { freshAddress, recordsOf } from '../harness/records.ts'

// Two apps in one process, so that on Postgres requests meet between their statements.
const app = await startApp()
const nodes = [recordsOf(app), recordsOf(await startApp({ beside: app }))] as const
const items = (...list: string[]) => ({ items: list })

/** Upserts by one address while its holder changes; the answers of the upserts, and who has the address in the end. */
async function meet(change: (id: string, other: string) => Promise<Answer>) {
  const [address, other] = [freshAddress(), freshAddress()]
  const { id } = await nodes[0].create('person', { email_addresses: items(address) })
  const upsert = (index: number) =>
    nodes[index % 2]!.post(
      'person',
      { email_addresses: items(address), job_title: `Job ${index}` },
      { match_on: 'email_addresses' },
    )
  const [changed, ...upserts] = await Promise.all([change(id, other), upsert(0), upsert(1), upsert(2)])
  expect(changed.status).toBe(200)
  const { body } = await nodes[0].list('person', { 'filter[email_addresses]': address })
  return { id, other, upserts, holders: body.data.map((one: { id: string }) => one.id) as string[] }
}

test('an upsert beside the deletion of its match updates that before, or creates another after', async () => {
  for (let round = 0; round < 25; round++) {
    const { id, upserts, holders } = await meet((person) => nodes[1].remove('person', [person]))
    expect(upserts.filter(({ status }) => ![200, 201].includes(status))).toEqual([])
    const created = upserts.filter(({ status }) => status === 201).map(({ body }) => body.data.id)
    // All came before the deletion, or one created the record that is there.
    expect([holders, created.length <= 1]).toEqual([created, true])
    expect(holders).not.toContain(id)
  }
})

test('an upsert beside a change of the value that it matches by does not take the new value away', async () => {
  for (let round = 0; round < 25; round++) {
    const { id, other, upserts, holders } = await meet((person, address) =>
      nodes[1].patch('person', person, { email_addresses: items(address) }),
    )
    expect(upserts.filter(({ status }) => ![200, 201].includes(status))).toEqual([])
    expect((await nodes[0].get('person', id)).body.data.attributes.email_addresses.items).toEqual([other])
    expect(holders).not.toContain(id)
  }
})
