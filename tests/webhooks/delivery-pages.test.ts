import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { webhooksOf, webhooksPath } from '../harness/webhooks.ts'

const app = await startApp()
const { api } = app
const hooks = webhooksOf(app)

const read = async (url: string): Promise<Json> => {
  const { status, body } = await api.get(url.replace(app.baseUrl, ''))
  expect([status, body.errors]).toEqual([200, undefined])
  return body
}
const idsOf = ({ data }: Json): string[] => data.map(({ id }: Json) => id)

/** Follows the links from a page on, and does something after each page. */
async function walk(first: string, link: 'next' | 'prev', between: () => Promise<unknown> = async () => {}) {
  const pages: Json[] = []
  for (let url: string | null = first; url !== null;) {
    const page: Json = await read(url)
    pages.push(page)
    await between()
    url = page['links'][link]
  }
  return pages
}

/** Three that were given up, and three that wait: no job of this app sends them. */
async function sixDeliveries() {
  const { _id } = await hooks.create({ url: 'https://receiver.example/hook' })
  for (let made = 0; made < 3; made++) await hooks.test(_id)
  await hooks.update(_id, { enabled: false })
  for (let made = 0; made < 3; made++) await hooks.test(_id)
  return { id: _id as string, path: `${webhooksPath}/${_id}/deliveries` }
}

test('a walk by the links shows each delivery once, while new ones come at its beginning', async () => {
  const { id, path } = await sixDeliveries()
  const before = idsOf(await read(path))
  const pages = await walk(`${path}?page[limit]=2`, 'next', () => hooks.test(id))
  expect(pages.flatMap(idsOf)).toEqual(before)
  const back = await walk(pages.at(-1)!['links'].prev, 'prev')
  expect(back.slice(0, 2).flatMap(idsOf)).toEqual([...before.slice(2, 4), ...before.slice(0, 2)])
  expect(back.at(-1)!['links'].prev).toBeNull()
})

test.for(['ASC', 'DESC'])('empty values come last %s, forwards and backwards', async (dir) => {
  const { path } = await sixDeliveries()
  const sorted = `sortOrder[column]=ended_at&sortOrder[dir]=${dir}`
  const all = idsOf(await read(`${path}?${sorted}`))
  const pages = await walk(`${path}?${sorted}&page[limit]=2`, 'next')
  expect(pages.flatMap(idsOf)).toEqual(all)
  const back = await walk(pages.at(-1)!['links'].prev, 'prev')
  expect(back.toReversed().flatMap(idsOf)).toEqual(all.slice(0, 4))
})

test('a cursor of another order, filter or list is refused, and so is one that was written by hand', async () => {
  const { path } = await sixDeliveries()
  const other = await sixDeliveries()
  const { next } = (await read(`${path}?page[limit]=2`))['links']
  const cursor = new URL(next).searchParams.get('page[after]')!
  const [hash, , id] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  const forged = Buffer.from(JSON.stringify([hash, 'yesterday', id])).toString('base64url')
  const refused = [
    `${path}?sortOrder[column]=attempts&sortOrder[dir]=ASC&page[after]=${cursor}`,
    `${path}?filter[status]=failed&page[after]=${cursor}`,
    `${other.path}?page[after]=${cursor}`,
    `${path}?page[after]=${forged}`,
  ]
  for (const url of refused) {
    const { status, body } = await api.get(url)
    expect([status, body.errors[0].code]).toEqual([400, 'cursor_mismatch'])
  }
})
