import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { recordsOf } from '../harness/records.ts'

const app = await startApp()
const other = await startApp({ beside: app })
const there = recordsOf(other)

async function numberOf(): Promise<unknown> {
  const { attributes } = await there.create('person', { phone_numbers: { items: ['030 123456'] } })
  return attributes.phone_numbers.items
}

test('writes of every process go by a changed setting from the next one on', async () => {
  expect(await numberOf()).toEqual(['030 123456'])
  await app.api.post('/workspaces/acme/settings', { body: { key: 'default_country', value: 'DE' } })
  expect(await numberOf()).toEqual(['+4930123456'])
  await app.api.delete('/workspaces/acme/settings', { body: { key: 'default_country' } })
  expect(await numberOf()).toEqual(['030 123456'])
})
