import { beforeEach, describe, expect, inject, test } from 'vitest'
import { activitiesOf } from '../harness/activities.ts'
import { startApp } from '../harness/app.ts'
import { countWaiting } from '../harness/database.ts'
import { holdRecord } from '../harness/held-record.ts'
import type { Answer, Json } from '../harness/http.ts'
import { recordsOf, recordsPath, resourcesPath } from '../harness/records.ts'
import { changesOf, schemasOf } from '../harness/schemas.ts'
import { deadlocksIn } from './deadlocks.ts'

const app = await startApp()
const second = await startApp({ beside: app })
const nodes = [recordsOf(app), recordsOf(second)] as const
const [records] = nodes
const feed = activitiesOf(app)
const { make } = schemasOf(app)

await make(
  {
    seat_id: { xSvcRelationship: { kind: 'one-to-one', entity: 'person', field: 'desk_id' } },
    next_id: { xSvcRelationship: { kind: 'one-to-one', entity: 'c_desk', field: 'previous_id' } },
  },
  { name: 'Desk' },
)
await make(
  { locker_id: { xSvcRelationship: { kind: 'one-to-one', entity: 'person', field: 'own_locker_id' } } },
  { name: 'Locker' },
)
await changesOf(app).edit('c_locker', (_, document) => (document.xSvcAccess = { default: 'view' }))

let [ann, bob]: Json[] = []
let [one, two]: Json[] = []
beforeEach(async () => {
  ;[ann, bob] = await records.createMany('person', [{}, {}])
  ;[one, two] = await records.createMany('c_desk', [{ seat_id: ann.id }, { seat_id: bob.id }])
})

const related = (object: string, id: string, field: string): string =>
  `${recordsPath(object)}/${id}/relationships/${field}`
const valueOf = async (object: string, id: string, field: string): Promise<string | null> =>
  (await records.get(object, id)).body.data.attributes[field]
/** The persons at the desks, and the desks of the persons. */
const pairs = async (): Promise<(string | null)[]> => [
  await valueOf('c_desk', one.id, 'seat_id'),
  await valueOf('c_desk', two.id, 'seat_id'),
  await valueOf('person', ann.id, 'desk_id'),
  await valueOf('person', bob.id, 'desk_id'),
]
const versionOf = async (object: string, id: string): Promise<string> =>
  (await records.get(object, id)).headers['etag'] as string

const change = (id: string, field: string, val: string | null, oldVal: string | null) => [
  id,
  'record.updated',
  [{ op: val === null ? 'delete' : 'update', path: [field], val, oldVal }],
]

describe('taking a partner', () => {
  test('is a change of both and of those whom they leave, told in the feed of each', async () => {
    await app.events()
    const { status, body } = await records.patch('c_desk', one.id, { seat_id: bob.id })
    expect([status, body.data.attributes.seat_id]).toEqual([200, bob.id])
    expect(await pairs()).toEqual([bob.id, null, null, one.id])
    const told = await app.events()
    expect(told).toHaveLength(4)
    expect(told.map(({ record_id, type, payload }) => [record_id, type, payload.diff])).toEqual(
      expect.arrayContaining([
        change(one.id, 'seat_id', bob.id, ann.id),
        change(two.id, 'seat_id', null, bob.id),
        change(ann.id, 'desk_id', null, one.id),
        change(bob.id, 'desk_id', one.id, two.id),
      ]),
    )
    for (const [object, id] of [
      ['c_desk', one.id],
      ['c_desk', two.id],
    ] as const)
      expect(await versionOf(object, id)).toBe('"2"')
    // Of the persons, having been given a desk was a change already.
    for (const id of [ann.id, bob.id])
      expect([await versionOf('person', id), await feed.outline('person', id)]).toEqual([
        '"3"',
        ['svc:update 2', 'svc:create 1'],
      ])
    const { body: by } = await records.get('person', ann.id)
    expect(by.data.attributes._updated_by).toBe(app.userIds.member)
  })

  test('from the other end, by the endpoint of the relationship, is the same', async () => {
    const send = (method: 'patch' | 'delete', data: Json) =>
      app.api[method](related('person', ann.id, 'desk_id'), { as: 'member', body: { data } })
    expect((await send('patch', { type: 'c_desk', id: two.id })).status).toBe(200)
    expect(await pairs()).toEqual([null, ann.id, two.id, null])
    expect((await send('delete', [{ type: 'c_desk', id: one.id }])).status).toBe(200)
    expect(await pairs()).toEqual([null, ann.id, two.id, null])
    expect((await send('delete', [{ type: 'c_desk', id: two.id }])).status).toBe(200)
    expect(await pairs()).toEqual([null, null, null, null])
  })

  test('what is as it was changes no record', async () => {
    await app.events()
    await records.patch('c_desk', one.id, { seat_id: ann.id })
    expect(await app.events()).toEqual([])
    expect(await versionOf('c_desk', one.id)).toBe('"1"')
  })

  test('a dry run says it and does nothing', async () => {
    const { body } = await records.patch('c_desk', one.id, { seat_id: bob.id }, {}, { query: { dry_run: true } })
    expect(body.meta.diff).toEqual([{ op: 'update', path: ['seat_id'], val: bob.id, oldVal: ann.id }])
    expect(await pairs()).toEqual([ann.id, bob.id, one.id, two.id])
  })

  test('at creation, as an attribute or as a link', async () => {
    const third = await records.create('c_desk', { seat_id: ann.id })
    expect([...(await pairs()).slice(0, 3), await valueOf('c_desk', third.id, 'seat_id')]).toEqual([
      null,
      bob.id,
      third.id,
      ann.id,
    ])
    const { body } = await app.api.post(resourcesPath('person'), {
      as: 'member',
      body: {
        data: { type: 'person', attributes: {}, relationships: { desk_id: { data: { type: 'c_desk', id: two.id } } } },
      },
    })
    expect([await valueOf('c_desk', two.id, 'seat_id'), await valueOf('person', bob.id, 'desk_id')]).toEqual([
      body.data.id,
      null,
    ])
  })
})

describe('several in one request', () => {
  test('change places', async () => {
    const data = [
      [one.id, bob.id],
      [two.id, ann.id],
    ].map(([id, seat]) => ({ type: 'c_desk', id, attributes: { seat_id: seat } }))
    const { status, body } = await app.api.patch(recordsPath('c_desk'), { as: 'member', body: { data } })
    expect([status, body.data.map(({ attributes }: Json) => attributes.seat_id)]).toEqual([200, [bob.id, ann.id]])
    expect(await pairs()).toEqual([bob.id, ann.id, two.id, one.id])
  })

  test('that want one partner: the last one has it, as if they had come one after another', async () => {
    const eve = await records.create('person', {})
    const data = [one, two].map(({ id }) => ({ type: 'c_desk', id, attributes: { seat_id: eve.id } }))
    const { body } = await app.api.patch(recordsPath('c_desk'), { as: 'member', body: { data } })
    expect(body.data.map(({ attributes }: Json) => attributes.seat_id)).toEqual([null, eve.id])
    const made = await records.createMany('c_desk', [{ seat_id: eve.id }, { seat_id: eve.id }])
    expect(made.map(({ attributes }) => attributes.seat_id)).toEqual([null, eve.id])
    expect([await valueOf('c_desk', two.id, 'seat_id'), await valueOf('person', eve.id, 'desk_id')]).toEqual([
      null,
      made[1].id,
    ])
  })

  test('another field of a record is no word about its partner', async () => {
    const data = [
      { type: 'c_desk', id: one.id, attributes: { seat_id: bob.id } },
      { type: 'c_desk', id: two.id, attributes: { name: 'By the door' } },
    ]
    await app.api.patch(recordsPath('c_desk'), { as: 'member', body: { data } })
    expect(await pairs()).toEqual([bob.id, null, null, one.id])
  })
})

test('who is taken is known by it: a record is matched by its partner', async () => {
  const { status, body } = await records.post('c_desk', { seat_id: ann.id, name: 'Corner' }, { match_on: 'seat_id' })
  expect([status, body.data.id, body.data.attributes.name]).toEqual([200, one.id, 'Corner'])
})

test('a record may follow itself, until another does', async () => {
  await records.patch('c_desk', one.id, { next_id: one.id })
  expect([await valueOf('c_desk', one.id, 'next_id'), await valueOf('c_desk', one.id, 'previous_id')]).toEqual([
    one.id,
    one.id,
  ])
  await records.patch('c_desk', two.id, { previous_id: one.id })
  expect([await valueOf('c_desk', one.id, 'next_id'), await valueOf('c_desk', one.id, 'previous_id')]).toEqual([
    two.id,
    null,
  ])
})

test('a caller who may see a partner but not change it cannot take it', async () => {
  const locker = (await records.post('c_locker', {}, {}, { as: 'admin' })).body.data
  const taking = (as: 'member' | 'admin') => records.patch('person', ann.id, { own_locker_id: locker.id }, {}, { as })
  expect([(await taking('member')).status, await valueOf('person', ann.id, 'own_locker_id')]).toEqual([403, null])
  expect([(await taking('admin')).status, await valueOf('c_locker', locker.id, 'locker_id')]).toEqual([200, ann.id])
  // Letting go is up to either end.
  expect([
    (await records.patch('person', ann.id, { own_locker_id: null })).status,
    await valueOf('c_locker', locker.id, 'locker_id'),
  ]).toEqual([200, null])
})

describe('deleting', () => {
  test('leaves the partner alone and tells it; restoring brings the pair back', async () => {
    await records.remove('person', [ann.id])
    expect([
      await valueOf('c_desk', one.id, 'seat_id'),
      await versionOf('c_desk', one.id),
      await feed.outline('c_desk', one.id),
    ]).toEqual([null, '"2"', ['svc:update 1', 'svc:create 1']])
    await records.restore('person', [ann.id])
    expect(await pairs()).toEqual([ann.id, bob.id, one.id, two.id])
  })

  test('of a pair that is no more is forgotten when one of the two comes back', async () => {
    await records.remove('person', [ann.id])
    await records.patch('c_desk', one.id, { seat_id: bob.id })
    await records.restore('person', [ann.id])
    expect(await pairs()).toEqual([bob.id, null, null, one.id])
    expect(await app.linkFaults()).toEqual([])
  })
})

test('a merged record keeps its counterpart, or has that of the other; the one left over has none', async () => {
  await records.merge('person', ann.id, [bob.id])
  expect([
    await valueOf('person', ann.id, 'desk_id'),
    await valueOf('c_desk', one.id, 'seat_id'),
    await valueOf('c_desk', two.id, 'seat_id'),
  ]).toEqual([one.id, ann.id, null])
  const eve = await records.create('person', {})
  await records.merge('person', eve.id, [ann.id])
  expect([await valueOf('person', eve.id, 'desk_id'), await valueOf('c_desk', one.id, 'seat_id')]).toEqual([
    one.id,
    eve.id,
  ])
  expect(await app.linkFaults()).toEqual([])
})

const range = (length: number): number[] => Array.from({ length }, (_, index) => index)
const node = (index: number) => nodes[index % 2]!

/** The counterpart of each record refers back to it. */
async function expectPaired(desks: readonly Json[], persons: readonly Json[]): Promise<void> {
  for (const { id } of desks) {
    const { status, body } = await records.get('c_desk', id)
    const seat = status === 200 ? body.data.attributes.seat_id : null
    if (seat !== null) expect(await valueOf('person', seat, 'desk_id')).toBe(id)
  }
  for (const { id } of persons) {
    const { status, body } = await records.get('person', id)
    const desk = status === 200 ? body.data.attributes.desk_id : null
    if (desk !== null) expect(await valueOf('c_desk', desk, 'seat_id')).toBe(id)
  }
  expect(await app.linkFaults()).toEqual([])
}

describe('at once, on two apps in one process', () => {
  test('all who want one partner get it in turn, the last one keeps it', async () => {
    const desks = await records.createMany(
      'c_desk',
      range(12).map(() => ({})),
    )
    const answers = await Promise.all(
      desks.map(({ id }, index) => node(index).patch('c_desk', id, { seat_id: ann.id })),
    )
    expect(answers.map(({ status }) => status)).toEqual(desks.map(() => 200))
    const holders = (await records.list('c_desk', { 'filter[seat_id]': ann.id })).body.data
    expect(holders).toHaveLength(1)
    await expectPaired([...desks, one], [ann])
  })

  test('takers from both ends, deletions, merges and restores cross without a deadlock', async () => {
    const desks = await records.createMany(
      'c_desk',
      range(4).map(() => ({})),
    )
    const persons = await records.createMany(
      'person',
      range(4).map(() => ({})),
    )
    const act = (index: number): Promise<Answer> => {
      const [desk, person] = [desks[index % 4].id, persons[(index * 3 + (index >> 2)) % 4].id]
      const here = node(index)
      if (index % 11 === 10) return here.remove('person', [person])
      if (index % 11 === 5) return here.restore('person', persons.map(({ id }) => id).slice(index % 4, (index % 4) + 1))
      if (index % 13 === 12) return here.post('c_desk', { seat_id: person })
      return index % 2 === 0
        ? here.patch('c_desk', desk, { seat_id: person })
        : here.patch('person', person, { desk_id: desk })
    }
    const answers = await Promise.all(range(60).map(act))
    for (const { status } of answers) expect([200, 201, 404, 422]).toContain(status)
    await expectPaired(desks, persons)
    // A change that meets a deadlock is made again, so answers do not tell of it.
    if (inject('database') === 'postgres') expect(await deadlocksIn(app.databaseUrl)).toBe(0)
  })

  // SQLite has one writer: nothing is restored while a call waits.
  test.runIf(inject('database') === 'postgres')(
    'who has waited while a record came back locks it in turn, and keeps no one waiting meanwhile',
    async () => {
      const [upper, lower] = await records.createMany('c_desk', [{}, {}])
      const { id: person } = await records.create('person', {})
      await records.remove('person', [person])
      const release = await holdRecord(app.databaseUrl, lower.id)
      const taking = records.patch('c_desk', lower.id, { seat_id: person })
      await expect.poll(() => countWaiting(app.databaseUrl)).toBe(1)
      await records.restore('person', [person])
      await records.patch('person', person, { desk_id: upper.id })
      const releaseUpper = await holdRecord(app.databaseUrl, upper.id)
      await release()
      // It waits for the desk that the person has now, which comes first, and holds nothing that comes behind.
      const releaseLower = await holdRecord(app.databaseUrl, lower.id)
      await releaseUpper()
      await releaseLower()
      expect((await taking).status).toBe(200)
      expect([await valueOf('person', person, 'desk_id'), await valueOf('c_desk', upper.id, 'seat_id')]).toEqual([
        lower.id,
        null,
      ])
    },
  )
})
