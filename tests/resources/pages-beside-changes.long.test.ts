import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'

// Two apps in one process, so that on Postgres changes come between the statements of a list.
const app = await startApp()
const beside = await startApp({ beside: app })
const records = recordsOf(app)

const idOf = ({ id }: Json): string => id
const rounds = 60

/** Records that stay in the list, and one behind each that leaves it and comes back. */
const made = await records.createMany(
  'deal',
  Array.from({ length: 16 }, (_, index) => ({ name: `Deal ${index}` })),
)
const [steady, restless] = [0, 1].map((odd) =>
  made
    .map(idOf)
    .toSorted()
    .filter((_, index) => index % 2 === odd),
)

async function toggle(): Promise<void> {
  for (let round = 0; round < 2 * rounds; round++) {
    const word = round % 2 === 0 ? 'Left' : 'Deal'
    const data = restless!.map((id) => ({ type: 'deal', id, attributes: { name: `${word} ${id}` } }))
    const { status, body } = await beside.api.patch(recordsPath('deal'), { as: 'member', body: { data } })
    expect(status, JSON.stringify(body)).toBe(200)
  }
}

/** All pages of the list one after another, in the direction of `dir`. */
async function walk(dir: 'ASC' | 'DESC'): Promise<{ readonly id: string; readonly name: string }[]> {
  const sortOrder = { 'sortOrder[column]': '_id', 'sortOrder[dir]': dir }
  let { body } = await records.list('deal', { 'filter[name][Contains]': 'Deal', ...sortOrder, 'page[limit]': 4 })
  const found: { id: string; name: string }[] = []
  for (;;) {
    found.push(...body.data.map(({ id, attributes }: Json) => ({ id, name: attributes.name })))
    if (body.links.next === null) return found
    expect(body.data).toHaveLength(4)
    const next = await app.api.get(body.links.next, { as: 'member' })
    body = next.body
  }
}

test('a page shows nothing that has left the list, is full, and the next one goes on behind it', async () => {
  const changes = { areOver: false }
  const read = async () => {
    for (let walks = 0; !changes.areOver; walks++) {
      const found = await walk(walks % 2 === 0 ? 'ASC' : 'DESC')
      expect(found.filter(({ name }) => name.startsWith('Left'))).toEqual([])
      expect(
        found
          .map(idOf)
          .filter((id) => steady!.includes(id))
          .toSorted(),
      ).toEqual(steady)
    }
  }
  await Promise.all([toggle().finally(() => (changes.areOver = true)), read()])
})
