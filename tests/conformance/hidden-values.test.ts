import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { commentsOf } from '../harness/comments.ts'
import { share } from '../harness/grants.ts'
import type { Json } from '../harness/http.ts'
import { importsOf, mappingOf } from '../harness/imports.ts'
import type { Caller } from '../harness/people.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'
import { changesOf, schemasOf } from '../harness/schemas.ts'
import { listsOf } from '../lists/lists.ts'
import { doorsOf, statements, type Door } from './hidden/doors.ts'

// Deals are closed: the member sees one that is shared with them, the others none. Tickets, companies and people are
// open, and refer to deals. Whatever happens to hidden deals, every door returns what it returned before.
const app = await startApp()
const own = recordsOf(app, 'admin')
const callers: readonly Caller[] = ['member', 'workspaceKey', 'admin']

await schemasOf(app).make(
  {
    name: { type: 'string', xSvcPrimary: true },
    deal_id: { xSvcRelationship: { kind: 'many-to-one', entity: 'deal', field: 'tickets' } },
  },
  { name: 'Ticket', plural: 'Tickets' },
)
await changesOf(app).edit('deal', (properties, document) => {
  properties['code'] = { type: 'string', xSvcUnique: true }
  document.xSvcAccess = { default: 'none' }
})
const company = await own.create('company', { name: 'Acme' })
const person = await own.create('person', { name: { full_name: 'Ada' } })
const deals: Json[] = []
for (const [name, amount] of [
  ['Hidden A', 1],
  ['Hidden B', 4],
  ['Hidden C', 3],
  ['Shared', 7],
] as const)
  deals.push(await own.create('deal', { name, amount, stage: 'Lead', company_id: company.id, code: name }))
const [a, b, c, shared] = deals
for (const [n, deal] of [a, b, shared].entries()) await own.create('c_ticket', { name: `About ${n}`, deal_id: deal.id })
await share(app.api.post, `deal/records/${shared.id}`, app.userIds.member, 'view')
const { id: list } = await listsOf(app, 'admin').create('deal', {
  permission: 'workspace',
  state: 'published',
  query: { filter: { field: 'amount', op: 'Greater than', value: 5 } },
})
await app.quiet()

const doors = doorsOf(app, { company: company.id, person: person.id, list })
/** Opens a door as somebody. */
const openedBy = async (as: Caller, [name, open]: Door) => ({
  as,
  name,
  body: JSON.stringify((await open(as)) ?? null),
})
const openAll = () => Promise.all(callers.flatMap((as) => doors.map((door) => openedBy(as, door))))

/** Changes deals that none of the callers sees. */
async function changeHidden(): Promise<void> {
  const changed = [
    await own.patch('deal', a.id, { name: 'Zebra', amount: 90, stage: 'Won', company_id: null, code: 'changed' }),
    await own.patch('deal', b.id, { name: 'Aardvark', amount: -1, stage: null, code: 'also changed' }),
  ]
  expect(changed.map(({ status }) => status)).toEqual([200, 200])
  await own.createMany(
    'deal',
    Array.from({ length: 5 }, (_, n) => ({
      name: `Hidden ${n}`,
      amount: 100 * n,
      stage: 'Won',
      company_id: company.id,
    })),
  )
  await own.remove('deal', [c.id])
  const link = { data: [a.id, b.id].map((id) => ({ type: 'deal', id })) }
  const linked = await app.api.post(`${recordsPath('person')}/${person.id}/relationships/deals`, { body: link })
  expect(linked.status).toBe(200)
  await commentsOf(app).create('deal', a.id, 'Hidden', { as: 'admin' })
  await app.quiet()
}

test('counts, sums, orders, filters and pages are the same, whatever happens to hidden records', async () => {
  const before = await openAll()
  expect(before.filter(({ body }) => body.includes('"errors"'))).toEqual([])
  await changeHidden()
  const after = await openAll()
  const changed = before.filter(({ body }, index) => body !== after[index]?.body)
  expect(changed.filter(({ as }) => as !== 'admin')).toEqual([])
  // An admin sees the difference, but by the doors that only show ids.
  const same = before.filter((one) => one.as === 'admin' && !changed.includes(one)).map(({ name }) => name)
  expect(same).toEqual(['order of tickets', ...statements.slice(-2)])
})

test('a value that only a hidden record has is refused without naming the record', async () => {
  const attributes = { code: 'changed', name: 'Mine' }
  const calls: [string, Json, Json?][] = [
    [recordsPath('deal'), { data: { type: 'deal', attributes } }],
    [recordsPath('deal'), { data: { type: 'deal', attributes }, match_on: 'code' }],
    [recordsPath('deal'), { data: { type: 'deal', attributes }, match_on: 'code' }, { dry_run: true }],
    [`${recordsPath('deal')}/bulk`, { data: [{ type: 'deal', attributes }], match_on: 'code' }],
  ]
  for (const [path, body, query] of calls) {
    const answer = await app.api.post(path, { as: 'member', body, query })
    const text = JSON.stringify(answer.body)
    expect([answer.status, text.includes(a.id), text.includes('Hidden')], text).toEqual([409, false, false])
  }
  const imports = importsOf(app)
  const mapping = mappingOf({ Code: 'code', Name: 'name' })
  const done = await imports.run('Code,Name\nchanged,Mine\n', { object: 'deal', mapping, match_on: 'code' })
  expect(done).toMatchObject({ created: 0, updated: 0, rejected: 1 })
  const rejects = await imports.rejects(done._id)
  expect([rejects.includes(a.id), rejects.includes('Hidden')], rejects).toEqual([false, false])
})
