import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { QueryText } from '../harness/api.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, recordsPath, resourcesPath } from '../harness/records.ts'

// Two apps in one process, on one database: some write while others walk.
const app = await startApp()
const beside = await startApp({ beside: app })
const nodes = [app, beside] as const

const texts = ['a', 'A', 'ä', 'b', 'é', 'e\u0301', 'ß', 'ss', '🦊', '\uE000', 'x'.repeat(140), `${'x'.repeat(140)}y`]
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 3 })
const text = maybe(fc.constantFrom(...texts))
const items = maybe(fc.constantFrom(...texts).map((one) => ({ items: [one] })))
const person = maybe(fc.constantFrom(app.userIds.admin, app.userIds.member))

/** Few values, so that many records share one; of every kind that is sorted by. */
const kinds: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  company: fc.record({
    name: text,
    industry: text,
    employee_count: maybe(fc.integer({ min: -2, max: 2 })),
    location: text,
    labels: items,
  }),
  person: fc.record({
    name: maybe(fc.record({ first_name: fc.constantFrom(...texts), last_name: text })),
    job_title: text,
    owner_id: person,
  }),
  deal: fc.record({
    stage: maybe(fc.constantFrom('Lead', 'Won')),
    amount: maybe(fc.constantFrom(-0.0001, 0, 5)),
    close_date: maybe(fc.constantFrom('2026-01-01', '1999-12-31')),
  }),
  meeting: fc.record({
    title: text,
    start: maybe(fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T00:00:00.001Z')),
    all_day: maybe(fc.boolean()),
  }),
}

type Crowd = {
  readonly object: string
  readonly row: () => Json
  readonly staying: ReadonlySet<string>
  readonly changing: readonly string[]
  readonly leaving: string[]
}

/**
 * Records of which some stay as they are, some change, some are deleted in the course of things; others come and go.
 */
async function crowdOf(object: string, size: number): Promise<Crowd> {
  const rows = fc.sample(kinds[object]!, { numRuns: size * 4, seed: 7 })
  let next = 0
  const row = () => rows[next++ % rows.length]
  const made: string[] = []
  for (let start = 0; start < size; start += 12)
    made.push(...(await recordsOf(app).createMany(object, Array.from({ length: 12 }, row))).map(({ id }) => id))
  const share = (of: number) => made.filter((_, index) => index % 4 === of)
  return { object, row, staying: new Set([...share(0), ...share(1)]), changing: share(2), leaving: share(3) }
}

/** Creates, changes and deletes on both apps until told to stop. */
async function write({ object, row, changing, leaving }: Crowd, stop: { readonly stopped: boolean }): Promise<void> {
  for (let turn = 0; !stop.stopped; turn++) {
    const node = nodes[turn % 2]!
    const works = [
      async () => void leaving.push((await recordsOf(node).post(object, row())).body.data.id),
      () => recordsOf(node).patch(object, changing[(turn * 7) % changing.length]!, row()),
      () => recordsOf(node).patch(object, changing[(turn * 11) % changing.length]!, row()),
      async () => {
        const id = leaving.shift()
        if (id !== undefined) await node.api.delete(`${recordsPath(object)}/${id}`)
      },
    ]
    await works[turn % works.length]!()
    await sleep(1)
  }
}

const idsOf = ({ data }: Json): string[] => data.map(({ id }: Json) => id)

/** Page after page along the links, each by another app than the one before. */
async function walk(
  object: string,
  query: QueryText | string,
  direction: 'next' | 'prev',
  pagesMax = Infinity,
): Promise<Json[]> {
  const pages: Json[] = []
  let url: string | null = typeof query === 'string' ? query : resourcesPath(object)
  while (url !== null && pages.length < pagesMax) {
    // Links name the node that made them; what follows the host is the same on every app.
    const path: string = url.replace(/^http:\/\/[^/]+\/v1/, '')
    const { status, body } = await nodes[pages.length % 2]!.api.get(path, {
      as: 'member',
      ...(pages.length === 0 && typeof query !== 'string' && { query }),
    })
    expect(status, JSON.stringify(body.errors)).toBe(200)
    pages.push(body)
    url = body.links[direction]
    expect(pages.length, 'the walk ends').toBeLessThan(500)
  }
  return pages
}

/** Only of those that change may one come twice, and only in an order that the change has moved it in. */
function expectOnce(pages: readonly Json[], { changing }: Crowd, column: string): void {
  const moved = new Set(column.startsWith('_created') || column === '_id' ? [] : changing)
  const all = pages.flatMap(idsOf).filter((id) => !moved.has(id))
  expect(all.length, 'nothing comes twice').toBe(new Set(all).size)
}

const stayingIn = (pages: readonly Json[], { staying }: Crowd): string[] =>
  pages.flatMap(idsOf).filter((id) => staying.has(id))

const sortableOf = async (object: string): Promise<string[]> =>
  (await recordsOf(app).list(object, { 'sortOrder[column]': 'no_such_field', 'sortOrder[dir]': 'ASC' })).body.errors[0]
    .meta.allowed

describe.each(Object.keys(kinds))('%s, while others create, change and delete', (object) => {
  test(
    'every sortable field, both ways, on and back: what stays comes once and in order',
    { timeout: 180_000 },
    async () => {
      const crowd = await crowdOf(object, 60)
      const stop = { stopped: false }
      const orders = (await sortableOf(object))
        .filter((column) => column in crowd.row() || column.startsWith('_'))
        .flatMap((column) => ['ASC', 'DESC'].map((dir) => ({ column, dir })))
      const before = await Promise.all(
        orders.map(async ({ column, dir }) =>
          stayingIn(
            [
              (
                await recordsOf(app).list(object, {
                  'sortOrder[column]': column,
                  'sortOrder[dir]': dir,
                  'page[limit]': 1000,
                })
              ).body,
            ],
            crowd,
          ),
        ),
      )
      const writing = write(crowd, stop)
      for (const [index, { column, dir }] of orders.entries()) {
        const query = { 'sortOrder[column]': column, 'sortOrder[dir]': dir, 'page[limit]': 13 }
        const on = await walk(object, query, 'next')
        expect(stayingIn(on, crowd), `${column} ${dir}`).toEqual(before[index])
        expectOnce(on, crowd, column)
        expect(on.at(-1).meta.offset + on.at(-1).data.length, 'the end of the list is where its total says').toBe(
          on.at(-1).meta.total_records,
        )
        const back = (await walk(object, on.at(-1).links.prev, 'prev')).toReversed()
        expect(stayingIn([...back, on.at(-1)], crowd), `${column} ${dir} back`).toEqual(before[index])
        expectOnce([...back, on.at(-1)], crowd, column)
        expect([back[0].meta.offset, back[0].links.prev]).toEqual([0, null])
        const middle = Math.ceil(on.length / 2)
        const half = await walk(object, query, 'next', middle)
        const returned = (await walk(object, half.at(-1).links.prev, 'prev')).toReversed()
        expect(stayingIn(returned, crowd), `${column} ${dir} from the middle`).toEqual(
          stayingIn(half.slice(0, -1), crowd),
        )
      }
      stop.stopped = true
      await writing
    },
  )
})

test('an answer in chunks: what stays comes once and in order', { timeout: 120_000 }, async () => {
  const crowd = await crowdOf('company', 4200)
  for (const column of ['_created_at', 'name', 'employee_count']) {
    const query = { 'sortOrder[column]': column, 'sortOrder[dir]': 'DESC', 'fields[company]': 'name' }
    const before = stayingIn(await walk('company', { ...query, 'page[limit]': 1000 }, 'next'), crowd)
    const stop = { stopped: false }
    const writing = Promise.all([write(crowd, stop), write(crowd, stop)])
    const pages = await walk('company', { ...query, 'page[limit]': 3000 }, 'next')
    const back = (await walk('company', pages.at(-1).links.prev, 'prev')).toReversed()
    stop.stopped = true
    await writing
    for (const all of [pages, [...back, pages.at(-1)]]) {
      expect(stayingIn(all, crowd), column).toEqual(before)
      expectOnce(all, crowd, column)
    }
  }
})

const titles = (body: Json): string[] => body.data.map(({ attributes }: Json) => attributes.title)

const follow = async (url: string): Promise<Json> => (await app.api.get(url)).body

describe('the record that a cursor was made of', () => {
  const names = Array.from({ length: 20 }, (_, index) => String.fromCharCode(97 + index))
  const query = { 'sortOrder[column]': 'title', 'sortOrder[dir]': 'ASC', 'page[limit]': 5 }

  /** Twenty tasks, a to t, in pages of five. */
  async function tasks() {
    await app.api.delete(recordsPath('task'), {
      body: {
        items: [...idsOf((await recordsOf(app, 'admin').list('task', { 'page[limit]': 1000 })).body), 'x'].slice(0, -1),
      },
    })
    const made = await recordsOf(app).createMany(
      'task',
      names.map((title) => ({ title })),
    )
    const remove = (...gone: string[]) =>
      app.api.delete(recordsPath('task'), {
        body: { items: made.filter(({ attributes }) => gone.includes(attributes.title)).map(({ id }) => id) },
      })
    const pages = await walk('task', query, 'next')
    return { pages, remove }
  }

  test('may be gone: the walk goes on where it was', async () => {
    const { pages, remove } = await tasks()
    await remove('e', 'f', 'k')
    expect(titles(await follow(pages[0].links.next))).toEqual(['g', 'h', 'i', 'j', 'l'])
    expect(titles(await follow(pages[2].links.prev))).toEqual(['d', 'g', 'h', 'i', 'j'])
    const last = await follow(pages[2].links.next)
    expect([titles(last), last.meta, last.links.next]).toEqual([
      ['p', 'q', 'r', 's', 't'],
      { total_records: 17, total_pages: 4, offset: 12, limit: 5 },
      null,
    ])
  })

  test('may be gone with all that was before it: the way back ends there, and leads on again', async () => {
    const { pages, remove } = await tasks()
    await remove('b', 'd', 'e')
    const page = await follow(pages[2].links.prev)
    const first = await follow(page.links.prev)
    expect([titles(page), titles(first), first.meta.offset, first.links.prev]).toEqual([
      ['f', 'g', 'h', 'i', 'j'],
      ['a', 'c'],
      0,
      null,
    ])
    expect(titles(await follow(first.links.next))).toEqual(['f', 'g', 'h', 'i', 'j'])
    await remove('a', 'c')
    const nothing = await follow(page.links.prev)
    expect([titles(nothing), nothing.meta.offset, nothing.links.prev]).toEqual([[], 0, null])
    expect(titles(await follow(nothing.links.next))).toEqual(['f', 'g', 'h', 'i', 'j'])
  })

  test('may be gone with all that came after it: the end is empty, and leads back', async () => {
    const { pages, remove } = await tasks()
    await remove('p', 'q', 'r', 's', 't')
    const nothing = await follow(pages[2].links.next)
    expect([titles(nothing), nothing.meta, nothing.links.next]).toEqual([
      [],
      { total_records: 15, total_pages: 3, offset: 15, limit: 5 },
      null,
    ])
    expect(titles(await follow(nothing.links.prev))).toEqual(['k', 'l', 'm', 'n', 'o'])
    const uncounted = await follow(`${pages[2].links.next}&page%5Btotal%5D=none`)
    expect(titles(await follow(uncounted.links.prev))).toEqual(['k', 'l', 'm', 'n', 'o'])
  })

  test('does not see what came before it meanwhile', async () => {
    const { pages } = await tasks()
    await recordsOf(app).createMany(
      'task',
      ['0', '1', 'aa'].map((title) => ({ title })),
    )
    expect(titles(await follow(pages[0].links.next))).toEqual(['f', 'g', 'h', 'i', 'j'])
    const back = (await walk('task', pages[1].links.prev, 'prev')).toReversed()
    expect(back.flatMap(titles)).toEqual(['0', '1', 'a', 'aa', 'b', 'c', 'd', 'e'])
    expect([back[0].meta.offset, back[0].links.prev]).toEqual([0, null])
  })
})
