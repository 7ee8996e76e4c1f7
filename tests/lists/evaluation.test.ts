import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { isFull } from '../harness/size.ts'
import { listsOf } from './lists.ts'

const app = await startApp()
const records = recordsOf(app)
const lists = listsOf(app)
await app.startJobs()

const senators = { filter: { field: 'job_title', op: 'Is', value: 'Senator' } }

/** The events of the membership of a list since the last call, as far as they are published by now. */
const told: Record<string, string[]> = {}
async function balanceOf(list: string): Promise<Map<string, number>> {
  for (const { type, record_id, payload } of await app.events()) {
    if (type.startsWith('list.entry_'))
      (told[payload.list_id] ??= []).push(`${type === 'list.entry_added' ? '+' : '-'}${record_id}`)
  }
  const balance = new Map<string, number>()
  for (const one of told[list] ?? [])
    balance.set(one.slice(1), (balance.get(one.slice(1)) ?? 0) + (one[0] === '+' ? 1 : -1))
  return balance
}

/** The members of a list, by its events. */
const joined = async (list: string): Promise<string[]> =>
  [...(await balanceOf(list))]
    .filter(([, times]) => times === 1)
    .map(([id]) => id)
    .toSorted()

const statusOf = async (object: string, list: string): Promise<string> =>
  (await lists.get(object, list, { as: 'admin' })).body.data.attributes.list_evaluation_status

async function published(object: string, query: Json): Promise<string> {
  const { id } = await lists.create(object, { query })
  const { body } = await lists.publish(object, id)
  expect(body.data.attributes).toMatchObject({
    state: 'published',
    list_evaluation_status: 'evaluating',
    list_evaluation_started_at: expect.any(String),
  })
  await expect.poll(() => statusOf(object, id)).toBe('idle')
  return id
}

const eventually = (list: string, ids: readonly string[]) => expect.poll(() => joined(list)).toEqual(ids.toSorted())

describe('publishing', () => {
  test('has every record that is found join, says which version of the query was applied, and when', async () => {
    const made = await records.createMany('person', [
      { job_title: 'Senator' },
      { job_title: 'Clerk' },
      { job_title: 'SENATOR' },
    ])
    const list = await published('person', senators)
    await eventually(list, [made[0].id, made[2].id])
    const { attributes } = (await lists.get('person', list)).body.data
    expect([attributes.applied_version_id, attributes.last_list_evaluation_at]).toEqual([
      expect.any(String),
      expect.any(String),
    ])
    await lists.patch('person', list, { query: { filter: { field: 'job_title', op: 'Is', value: 'Clerk' } } })
    await eventually(list, [made[1].id])
    await expect
      .poll(async () => (await lists.get('person', list)).body.data.attributes.applied_version_id)
      .not.toBe(attributes.applied_version_id)
  })

  test('is what a draft waits for, and an unpublished list is a draft again', async () => {
    const { id } = await lists.create('deal', { query: { filter: { field: 'stage', op: 'Is', value: 'Won' } } })
    const won = await records.create('deal', { stage: 'Won' })
    expect((await lists.members('deal', id)).ids).toEqual([won.id])
    await lists.publish('deal', id)
    await eventually(id, [won.id])
    await lists.unpublish('deal', id)
    await records.patch('deal', won.id, { stage: 'Lost' })
    const other = await published('deal', { filter: { field: 'stage', op: 'Is', value: 'Lost' } })
    await eventually(other, [won.id])
    expect(await joined(id), 'without events').toEqual([won.id])
    await lists.publish('deal', id)
    await eventually(id, [])
  })
})

describe('a record', () => {
  test('joins and leaves by writes, deletions, restores and merges, in the name of the owner of the list', async () => {
    const list = await published('company', {
      filter: {
        or: [
          { field: 'industry', op: 'Is', value: 'Rockets' },
          { field: 'employee_count', op: 'gt', value: 1000 },
        ],
      },
    })
    const [one, two] = (await records.createMany('company', [{ industry: 'rockets' }, { industry: 'Cheese' }])) as [
      Json,
      Json,
    ]
    await eventually(list, [one.id])
    await records.patch('company', two.id, { employee_count: 5000 })
    await eventually(list, [one.id, two.id])
    await records.patch('company', one.id, { industry: null })
    await eventually(list, [two.id])
    const feed = (await app.api.get(`/workspaces/acme/objects/company/records/${one.id}/activities`)).body.data
    const left = feed.find(({ attributes }: Json) => attributes.data[0].type === 'svc:remove-from-list').attributes
      .data[0]
    expect([left.actor._id, left.object.diff]).toEqual([
      app.userIds.member,
      [{ op: 'delete', path: ['lists'], val: null, oldVal: list }],
    ])
    await records.remove('company', [two.id])
    const witness = await records.create('company', { industry: 'Rockets' })
    await eventually(list, [two.id, witness.id])
    expect((await lists.members('company', list)).ids, 'who is deleted is gone without a word').toEqual([witness.id])
    await records.restore('company', [two.id])
    await records.patch('company', two.id, { employee_count: 1 })
    await eventually(list, [witness.id])
    await records.merge('company', one.id, [witness.id])
    await eventually(list, [witness.id, one.id])
  })

  test('joins and leaves by what it is linked to', async () => {
    const sql =
      'SELECT person.* FROM person JOIN company ON person.company_id = company._id JOIN deal ON ' +
      "deal.company_id = company._id WHERE company.industry = 'Steel' AND deal.stage = 'Won'"
    const list = await published('person', { sql })
    const company = await records.create('company', { industry: 'Steel' })
    const [ada, bob] = (await records.createMany('person', [{ company_id: company.id }, {}])) as [Json, Json]
    const deal = await records.create('deal', { company_id: company.id, stage: 'Lead' })
    await records.patch('deal', deal.id, { stage: 'Won' })
    await eventually(list, [ada.id])
    await records.patch('person', bob.id, { company_id: company.id })
    await eventually(list, [ada.id, bob.id])
    await records.remove('deal', [deal.id])
    await eventually(list, [])
    await records.restore('deal', [deal.id])
    await eventually(list, [ada.id, bob.id])
    await records.patch('company', company.id, { industry: 'Iron' })
    await eventually(list, [])
    await records.patch('company', company.id, { industry: 'steel' })
    await eventually(list, [ada.id, bob.id])
    await app.api.patch(`/workspaces/acme/objects/company/records/${company.id}/relationships/people`, {
      as: 'member',
      body: {
        data: [
          { type: 'person', id: null },
          { type: 'person', id: bob.id },
        ],
      },
    })
    await eventually(list, [bob.id])
  })

  test('leaves where what referred to it refers to another, or to nothing', async () => {
    const list = await published('company', {
      sql: "SELECT company.* FROM company JOIN deal ON deal.company_id = company._id WHERE deal.stage = 'Qualified'",
    })
    const [one, other] = (await records.createMany('company', [{}, {}])) as [Json, Json]
    const deal = await records.create('deal', { company_id: one.id, stage: 'Qualified' })
    await eventually(list, [one.id])
    await records.patch('deal', deal.id, { company_id: other.id })
    await eventually(list, [other.id])
    await records.patch('deal', deal.id, { company_id: null })
    await eventually(list, [])
  })

  test('pushes another out of the first ones', async () => {
    const list = await published('deal', {
      sql: "SELECT * FROM deal WHERE name LIKE 'Top%' ORDER BY amount DESC LIMIT 2",
    })
    const [a, b, c] = (await records.createMany('deal', [
      { name: 'Top a', amount: 1 },
      { name: 'Top b', amount: 2 },
      { name: 'Top c', amount: 3 },
    ])) as [Json, Json, Json]
    await eventually(list, [b.id, c.id])
    await records.patch('deal', a.id, { amount: 9 })
    await eventually(list, [a.id, c.id])
    await records.remove('deal', [c.id])
    await eventually(list, [a.id, b.id, c.id])
  })
})

test.runIf(isFull())('a list is looked at as a whole where too many may have joined', async () => {
  const company = await records.create('company', { industry: 'None' })
  const list = await published('person', { filter: { field: 'company_id.industry', op: 'Is', value: 'Everything' } })
  const made = await records.createMany(
    'person',
    Array.from({ length: 5500 }, () => ({ company_id: company.id })),
  )
  await records.patch('company', company.id, { industry: 'Everything' })
  await expect.poll(async () => (await joined(list)).length, { timeout: 45_000, interval: 500 }).toBe(made.length)
  await expect.poll(() => statusOf('person', list)).toBe('idle')
})

test('a list comes to rest though others go on creating what belongs into it, and has it all in the end', async () => {
  const working = { over: false }
  const creating = Array.from({ length: 3 }, async () => {
    const ids: string[] = []
    while (!working.over) ids.push((await records.create('company', { industry: 'Restless' })).id)
    return ids
  })
  const list = await published('company', { filter: { field: 'industry', op: 'Is', value: 'Restless' } }).finally(
    () => (working.over = true),
  )
  const made = (await Promise.all(creating)).flat()
  expect(made.length).toBeGreaterThan(0)
  await eventually(list, made)
})
