import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, resourcesPath } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app)
const pageSize = 60

const idsOf = ({ data }: Json): string[] => data.map(({ id }: Json) => id)

/** Goes one page on, and several times at once back. */
async function wayBack(path: string): Promise<{ first: string[]; back: string[][] }> {
  const first = (await app.api.get(path, { query: { 'page[limit]': pageSize } })).body
  const second = (await app.api.get(first.links.next)).body
  const back = await Promise.all(Array.from({ length: 6 }, () => app.api.get(second.links.prev)))
  return { first: idsOf(first), back: back.map(({ body }) => idsOf(body)) }
}

test('callers who page back at the same time all get the page in its order', async () => {
  const made = await records.createMany(
    'company',
    Array.from({ length: 2 * pageSize }, () => ({})),
  )
  const live = await wayBack(resourcesPath('company'))
  for (const ids of live.back) expect(ids).toEqual(live.first)
  await records.remove(
    'company',
    made.map(({ id }) => id),
  )
  const deleted = await wayBack('/workspaces/acme/objects/company/deleted-resources')
  for (const ids of deleted.back) expect(ids).toEqual(deleted.first)
})
