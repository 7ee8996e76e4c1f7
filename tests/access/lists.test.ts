import { beforeAll, describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { QueryText } from '../harness/api.ts'
import { share } from '../harness/grants.ts'
import type { Json } from '../harness/http.ts'
import type { Caller } from '../harness/people.ts'
import { recordsOf, resourcesPath } from '../harness/records.ts'
import { changesOf, schemasOf } from '../harness/schemas.ts'
import { someOf, sized } from '../harness/size.ts'

/** So many records of a private object that lists are walked in order, and totals are counted in indexes. */
const app = await startApp({ fieldIndexThreshold: 100 })
const { api } = app
const colleague = await app.addMember('member', 'colleague')
const outsider = await app.addMember('member', 'outsider')

type Row = {
  readonly id: string
  readonly name: string
  readonly rank: number | null
  readonly owner: string
  readonly granted: ReadonlySet<string>
}

let object = ''
let rows: Row[] = []

beforeAll(async () => {
  object = await schemasOf(app).make({
    name: { type: 'string', xSvcPrimary: true },
    rank: { type: 'number' },
    mark: { type: 'string' },
  })
  await changesOf(app).edit(object, (_properties, document) => (document.xSvcAccess = { default: 'none' }))
  const made: Row[] = []
  for (const [as, owner, count] of [
    ['admin', app.userIds.admin, sized(1400, 350)],
    ['member', app.userIds.member, sized(200, 50)],
  ] as const) {
    const given = Array.from({ length: count }, (_, index) => ({
      name: `n ${(index * 37) % 97}`,
      rank: index % 11 === 0 ? null : index % 50,
    }))
    for (const { id, attributes } of await recordsOf(app, as).createMany(object, given))
      made.push({ id, name: attributes.name, rank: attributes.rank, owner, granted: new Set() })
  }
  for (let start = 0; start < made.length; start += 20) {
    const some = made.slice(start, start + 20)
    await Promise.all(
      some.map(async (row, index) => {
        const granted = row.granted as Set<string>
        if (index % 2 === 0) granted.add('workspace')
        if (index % 7 === 0) granted.add(colleague.id)
        for (const grantee of granted) await share(api.post, `${object}/records/${row.id}`, grantee, 'view')
      }),
    )
  }
  rows = made
  // Which asks for the indexes, and then waits for them.
  for (const column of ['rank', 'name'])
    await list('admin', { 'sortOrder[column]': column, 'sortOrder[dir]': 'ASC', 'filter[rank][Greater than]': 3 })
  await app.idle()
})

const list = (as: Caller, query: QueryText) => api.get(resourcesPath(object), { as, query })

const callers: Readonly<Record<string, { readonly as: Caller; readonly id: string | null }>> = {
  admin: { as: 'admin', id: app.userIds.admin },
  'the owner of some': { as: 'member', id: app.userIds.member },
  'a member who was granted some': { as: colleague.as, id: colleague.id },
  'a member who was granted none': { as: outsider.as, id: outsider.id },
  'a viewer': { as: 'viewer', id: app.userIds.viewer },
  'a workspace key': { as: 'workspaceKey', id: null },
}

const sees =
  ({ as, id }: { readonly as: Caller; readonly id: string | null }) =>
  ({ owner, granted }: Row): boolean =>
    as === 'admin' || granted.has('workspace') || (id !== null && (owner === id || granted.has(id)))

const filters: readonly (readonly [QueryText, (row: Row) => boolean])[] = [
  [{}, () => true],
  [{ 'filter[rank][Less than]': 40 }, ({ rank }) => rank !== null && rank < 40],
  [{ 'filter[rank][Is not]': 7 }, ({ rank }) => rank !== 7],
  [{ 'filter[rank][Is empty]': '' }, ({ rank }) => rank === null],
  [{ 'filter[rank][Is not empty]': '', 'filter[name][Starts with]': 'n' }, ({ rank }) => rank !== null],
  [
    { 'filter[rank][Greater than]': 1, 'filter[name][Is not]': 'n 3' },
    ({ rank, name }) => rank !== null && rank > 1 && name !== 'n 3',
  ],
  [{ 'filter[mark][Is empty]': '', 'filter[rank][Greater than]': 2 }, ({ rank }) => rank !== null && rank > 2],
]

const value = { name: ({ name }: Row) => name, rank: ({ rank }: Row) => rank } as const

function sorted(column: 'name' | 'rank' | undefined, descending: boolean, some: readonly Row[]): string[] {
  if (column === undefined) return some.map(({ id }) => id)
  const sign = descending ? -1 : 1
  return some
    .toSorted((a, b) => {
      const [left, right] = [value[column](a), value[column](b)]
      if (left === right) return sign * (a.id < b.id ? -1 : 1)
      return left === null || right === null ? (left === null ? 1 : -1) : sign * (left < right ? -1 : 1)
    })
    .map(({ id }) => id)
}

describe.each(Object.keys(callers))('%s', (name) => {
  const caller = callers[name]!

  test.for(someOf(filters, 1))('lists and counts %j in any order, page by page', async ([filter, holds]) => {
    const seen = rows.filter((row) => sees(caller)(row) && holds(row))
    for (const [column, dir] of [
      [undefined, 'ASC'],
      ['name', 'ASC'],
      ['rank', 'ASC'],
      ['rank', 'DESC'],
    ] as const) {
      const ids = sorted(column, dir === 'DESC', seen)
      const query = { ...filter, ...(column !== undefined && { 'sortOrder[column]': column, 'sortOrder[dir]': dir }) }
      for (const [offset, limit] of [
        [0, 30],
        [500, 20],
        [ids.length - 3, 10],
      ] as const) {
        const { status, body } = await list(caller.as, { ...query, 'page[offset]': offset, 'page[limit]': limit })
        expect(status).toBe(200)
        expect(body.meta.total_records, JSON.stringify(query)).toBe(ids.length)
        expect(body.data.map(({ id }: Json) => id)).toEqual(ids.slice(offset, offset + limit))
      }
      const size = Math.ceil(ids.length / 4)
      const { body: first } = await list(caller.as, { ...query, 'page[limit]': size })
      const { body: second } = await api.get(first.links.next, { as: caller.as })
      expect([...first.data, ...second.data].map(({ id }: Json) => id)).toEqual(ids.slice(0, size * 2))
      expect((await api.get(second.links.prev, { as: caller.as })).body.data.map(({ id }: Json) => id)).toEqual(
        ids.slice(0, size),
      )
    }
  })
})

const total = async (as: Caller): Promise<number> => (await list(as, { 'page[limit]': 1 })).body.meta.total_records

test('what comes and goes is counted as it does', async () => {
  const one = await recordsOf(app, 'admin').create(object, { name: 'comes' })
  const before = [await total('workspaceKey'), await total(colleague.as)]
  const now = async () => [(await total('workspaceKey')) - before[0]!, (await total(colleague.as)) - before[1]!]
  const access = `/workspaces/acme/objects/${object}/records/${one.id}/access`
  await share(api.post, `${object}/records/${one.id}`, colleague.id, 'view')
  expect(await now()).toEqual([0, 1])
  const grant = await share(api.post, `${object}/records/${one.id}`, 'workspace', 'view')
  expect(await now()).toEqual([1, 1])
  await api.patch(`${access}/${grant}`, { body: { access_level: 'edit' } })
  expect(await now()).toEqual([1, 1])
  await recordsOf(app, 'admin').remove(object, [one.id])
  expect(await now()).toEqual([0, 0])
  await recordsOf(app, 'admin').restore(object, [one.id])
  expect(await now()).toEqual([1, 1])
  const other = await recordsOf(app, 'admin').create(object, { name: 'other' })
  await recordsOf(app, 'admin').merge(object, other.id, [one.id])
  expect(await now()).toEqual([1, 1])
  await api.delete(`${access.replace(one.id, other.id)}/${grant}`)
  expect(await now()).toEqual([0, 1])
})
