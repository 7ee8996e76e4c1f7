import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'
import { isFull } from '../harness/size.ts'
import { workflowsOf } from '../harness/workflows.ts'
import { listsOf } from '../lists/lists.ts'

const app = await startApp()
const records = recordsOf(app)
const lists = listsOf(app)
const { create, run, runs, endedRuns, until, settled, path } = workflowsOf(app)

const follow = async (plugin_id: string, input: Json, filters: Json[] = []): Promise<string> =>
  (await create({ name: plugin_id, enabled: true, trigger: { plugin_id, input, filters } })).id

/** The records that a workflow has had runs for, in the order of the runs. */
const subjects = async (id: string): Promise<string[]> =>
  (await runs(id)).toReversed().map(({ attributes }) => attributes.record_id)

const stateOf = async (id: string): Promise<Json> => (await run((await runs(id))[0]?.id)).attributes.trigger.state.event

const link = (method: 'post' | 'patch' | 'delete', object: string, id: string, name: string, to: string, of: string) =>
  app.api[method](`${recordsPath(object)}/${id}/relationships/${name}`, { body: { data: [{ type: of, id: to }] } })

describe('an event begins a run', () => {
  test('where a record is created, changed or deleted, of this object alone', async () => {
    const ids = {
      created: await follow('on:svc:create:record', { object: 'deal' }),
      updated: await follow('on:svc:update:record', { object: 'deal' }),
      fields: await follow('on:svc:update:record', { object: 'deal', fields: ['amount', 'name'] }),
      either: await follow('on:svc:upsert:record', { object: 'deal' }),
      deleted: await follow('on:svc:delete:record', { object: 'deal' }),
    }
    const deal = await records.create('deal', { name: 'New' })
    const other = await records.create('company', { name: 'Other' })
    await records.patch('company', other.id, { name: 'Changed' })
    await records.remove('company', [other.id])
    await records.patch('deal', deal.id, { name: 'New' })
    await settled()
    expect(await subjects(ids.updated)).toEqual([])
    await records.patch('deal', deal.id, { name: 'Changed' })
    await settled()
    expect((await stateOf(ids.updated)).object).toMatchObject({
      _id: deal.id,
      entity: 'deal',
      data: { name: 'Changed' },
      diff: [{ op: 'update', path: ['name'], val: 'Changed', oldVal: 'New' }],
    })
    await records.patch('deal', deal.id, { close_date: '2027-01-01' })
    await settled()
    await records.remove('deal', [deal.id])
    await settled()
    expect({
      created: await subjects(ids.created),
      updated: await subjects(ids.updated),
      fields: await subjects(ids.fields),
      either: await subjects(ids.either),
      deleted: await subjects(ids.deleted),
    }).toEqual({
      created: [deal.id],
      updated: [deal.id, deal.id],
      fields: [deal.id],
      either: [deal.id, deal.id, deal.id],
      deleted: [deal.id],
    })
    expect((await stateOf(ids.deleted)).object).toMatchObject({
      _id: deal.id,
      data: { _id: deal.id, name: 'Changed', close_date: '2027-01-01' },
      diff: [],
    })
    await Promise.all(Object.values(ids).map((id) => app.api.delete(`${path}/${id}`)))
  })

  test('where records are merged or restored, and as a creation nowhere', async () => {
    const on = (what: string) => follow(`on:svc:${what}:record`, { object: 'company' })
    const ids = {
      merge: await on('merge'),
      restore: await on('restore'),
      create: await on('create'),
      update: await on('update'),
      upsert: await on('upsert'),
      delete: await on('delete'),
    }
    const stage = await follow('on:svc:update:record', { object: 'company', fields: ['industry'] })
    const [into, plain, empty] = await records.createMany('company', [
      { name: 'Into' },
      { name: 'Source', industry: 'Mining' },
      { name: 'Empty' },
    ])
    const seen = async () =>
      Object.fromEntries(await Promise.all(Object.entries(ids).map(async ([what, id]) => [what, await subjects(id)])))
    await settled()
    expect(await records.merge('company', into.id, [plain.id])).toMatchObject({ status: 204 })
    await settled()
    const all = [into.id, plain.id, empty.id]
    expect(await seen()).toEqual({
      merge: [into.id],
      restore: [],
      create: expect.toSatisfy((found: string[]) => found.length === 3 && all.every((id) => found.includes(id))),
      update: [into.id],
      upsert: expect.toSatisfy((found: string[]) => found.length === 4 && found.at(-1) === into.id),
      delete: [plain.id],
    })
    expect(await subjects(stage)).toEqual([into.id])
    const filled = { path: ['industry'], val: 'Mining' }
    expect(await stateOf(ids.merge)).toMatchObject({
      type: 'record.merged',
      object: {
        data: { name: 'Into', industry: 'Mining' },
        diff: expect.arrayContaining([expect.objectContaining(filled)]),
      },
      data: { sources: [plain.id] },
    })
    expect(await stateOf(ids.delete)).toMatchObject({
      type: 'record.merged',
      object: { _id: plain.id, data: { name: 'Source', industry: 'Mining' }, diff: [] },
      data: { merged_into: into.id },
    })
    await records.merge('company', into.id, [empty.id])
    await records.remove('company', [into.id])
    await records.restore('company', [into.id])
    await settled()
    const after = await seen()
    expect([after.merge, after.restore, after.create.length, after.update, after.upsert.length, after.delete]).toEqual([
      [into.id, into.id],
      [into.id],
      3,
      [into.id],
      4,
      [plain.id, empty.id, into.id],
    ])
    await Promise.all([...Object.values(ids), stage].map((id) => app.api.delete(`${path}/${id}`)))
  })

  test('with the fields that an upsert has given or changed', async () => {
    const id = await follow('on:svc:upsert:record', { object: 'deal', fields: ['amount'] })
    const [one, other] = await records.createMany('deal', [{ name: 'One' }, { name: 'Other', amount: 5 }])
    await records.patch('deal', one.id, { name: 'Once' })
    await records.patch('deal', one.id, { amount: 7 })
    await settled()
    expect(await subjects(id)).toEqual([other.id, one.id])
    await app.api.delete(`${path}/${id}`)
  })

  test('where a record joins or leaves a list', async () => {
    const [list, other] = [await lists.create('person'), await lists.create('person')]
    const [ada, bob] = await records.createMany('person', [{}, {}])
    const ids = {
      added: await follow('on:svc:add-to-list', { list_id: list.id }),
      anywhere: await follow('on:svc:add-to-list', { object: 'person' }),
      elsewhere: await follow('on:svc:add-to-list', { object: 'company' }),
      removed: await follow('on:svc:remove-from-list', { list_id: list.id }),
    }
    await lists.add('person', list.id, [ada.id, bob.id])
    await lists.add('person', list.id, [ada.id])
    await lists.add('person', other.id, [ada.id])
    await lists.take('person', list.id, [bob.id])
    await settled()
    expect(new Set(await subjects(ids.added))).toEqual(new Set([ada.id, bob.id]))
    expect(await subjects(ids.added)).toHaveLength(2)
    expect((await stateOf(ids.added)).data).toEqual({ list_id: list.id })
    expect(await subjects(ids.anywhere)).toHaveLength(3)
    expect(await subjects(ids.elsewhere)).toEqual([])
    expect(await subjects(ids.removed)).toEqual([bob.id])
  })

  test('where a record is linked or links of it are removed', async () => {
    const person = await records.create('person', {})
    const deal = await records.create('deal', {})
    const ids = {
      set: await follow('on:svc:set-relationship', { object: 'person', relationship: 'deals' }),
      otherName: await follow('on:svc:set-relationship', { object: 'person', relationship: 'company_id' }),
      unset: await follow('on:svc:unset-relationship', { object: 'person' }),
      changed: await follow('on:svc:change-relationship', { object: 'person', relationship: 'deals' }),
    }
    await link('post', 'person', person.id, 'deals', deal.id, 'deal')
    await settled()
    expect((await stateOf(ids.set)).data).toMatchObject({ relationship: 'deals', ids: [deal.id] })
    await link('post', 'person', person.id, 'deals', deal.id, 'deal')
    await link('delete', 'person', person.id, 'deals', deal.id, 'deal')
    await settled()
    expect(await subjects(ids.set)).toEqual([person.id])
    expect(await subjects(ids.otherName)).toEqual([])
    expect(await subjects(ids.unset)).toEqual([person.id])
    expect(await subjects(ids.changed)).toEqual([person.id, person.id])
  })
})

const amount = (operator: string, value?: number) => ({
  field: 'state.event.object.data.amount',
  condition: { operator, ...(value !== undefined && { value }) },
})

describe('filters of a trigger', () => {
  test('must all hold', async () => {
    const id = await follow('on:svc:update:record', { object: 'deal' }, [amount('Changed to', 5), amount('gt', 4)])
    const changes = await follow('on:svc:update:record', { object: 'deal' }, [amount('Changed')])
    const left = await follow('on:svc:update:record', { object: 'deal' }, [amount('Changed from', 5)])
    const deal = await records.create('deal', { amount: 1 })
    for (const change of [{ amount: 4 }, { name: 'Five' }, { amount: 5 }, { name: 'Still five' }, { amount: 6 }]) {
      await records.patch('deal', deal.id, change)
      await settled()
    }
    expect(await runs(id)).toHaveLength(1)
    expect(await runs(changes)).toHaveLength(3)
    expect(await runs(left)).toHaveLength(1)
  })
})

test('many records that are created at once have a run each, of each workflow', async () => {
  const ids = [
    await follow('on:svc:create:record', { object: 'company' }),
    await follow('on:svc:upsert:record', { object: 'company' }),
    await follow('on:svc:create:record', { object: 'company' }),
  ]
  const made = [
    ...(await records.createMany(
      'company',
      Array.from({ length: 40 }, () => ({})),
    )),
    ...(await records.createMany(
      'company',
      Array.from({ length: 40 }, () => ({})),
    )),
    ...(await records.createMany(
      'company',
      Array.from({ length: 40 }, () => ({})),
    )),
  ].map(({ id }) => id)
  await settled()
  for (const id of ids) {
    const all: string[] = []
    for (let offset = 0; offset < 120; offset += 40) {
      const query = { 'page[limit]': 40, 'page[offset]': offset, 'sortOrder[column]': '_created_at' }
      const { body } = await app.api.get(`${path}/${id}/runs`, { query: { ...query, 'sortOrder[dir]': 'ASC' } })
      expect(body.meta.total_records).toBe(120)
      all.push(...body.data.map(({ attributes }: Json) => attributes.record_id))
    }
    expect(all).toEqual(made)
  }
})

test('a workflow that is disabled begins nothing, and goes on from now when it is enabled', async () => {
  const id = await follow('on:svc:create:record', { object: 'company' })
  await app.api.patch(`${path}/${id}`, { body: { enabled: false } })
  await records.create('company', {})
  await settled()
  await app.api.patch(`${path}/${id}`, { body: { enabled: true } })
  const { id: company } = await records.create('company', {})
  await settled()
  expect(await subjects(id)).toEqual([company])
})

test.runIf(isFull())(
  'a schedule begins a run at each of its times, and one for all that passed meanwhile',
  async () => {
    const minuteIn = (minutes: number) => new Date(app.now() + minutes * 60_000).getUTCMinutes()
    // Half an hour from now, where it is a quarter of an hour earlier than in UTC.
    const [minute, cron] = [minuteIn(30), `${minuteIn(30 + 45)} * * * *`]
    const hourly = { plugin_id: 'on:general:time:heartbeat', input: { cron, time_zone: 'Asia/Kathmandu' } }
    const { id } = await create({ name: 'Hourly', enabled: true, trigger: hourly })
    const times = async (): Promise<string[]> => {
      const found = await endedRuns(id, 0)
      const all = await Promise.all(found.map((one) => run(one.id)))
      return all.map(({ attributes }) => attributes.trigger.state.event.data.scheduled_at)
    }
    expect(await times()).toEqual([])
    const hourMs = 3_600_000
    for (let count = 1; count <= 3; count++) {
      await app.advance(hourMs)
      await until(async () => (await runs(id)).length === count)
    }
    await app.advance(5 * hourMs)
    await until(async () => (await runs(id)).length === 4)
    const passed = (await times()).map((time) => Date.parse(time))
    expect(passed.map((time) => new Date(time).getUTCMinutes())).toEqual([minute, minute, minute, minute])
    expect(passed.slice(1).map((time, index) => time - (passed[index] ?? 0))).toEqual([hourMs, hourMs, 5 * hourMs])
    await app.advance(hourMs)
    await until(async () => (await runs(id)).length === 5)
    await app.api.patch(`${path}/${id}`, { body: { enabled: false } })
    await app.advance(3 * hourMs)
    await settled()
    expect(await runs(id)).toHaveLength(5)
  },
  60_000,
)
