import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { activitiesOf } from '../harness/activities.ts'
import { startApp } from '../harness/app.ts'
import { commentsOf } from '../harness/comments.ts'
import type { Json } from '../harness/http.ts'
import { createKey } from '../harness/people.ts'
import { follower } from '../harness/polling.ts'
import { recordsOf, recordsPath, resourcesPath } from '../harness/records.ts'

// In this order: once a client has polled, changes do not go back behind what it was told.
// Whatever a clock does, nothing fails, nothing is lost, and nothing of one record goes backwards. A 500 fails the
// file.
const app = await startApp()
const records = recordsOf(app, 'memberKey')
const feed = activitiesOf(app)

const [minute, hour, day, year] = [60_000, 3_600_000, 86_400_000, 365 * 86_400_000] as const

/** Where the clock stands; keys are used throughout, since tokens end by it. */
let at = Date.parse('2026-11-21T12:00:00.000Z')
function jump(ms: number): void {
  at += ms
  app.stopClock(at)
}
jump(0)

const jumps = fc.constantFrom(0, 0, 1, 20, minute, -1, -20, -minute, hour, -hour, day, -day, year, -year)

describe('the feed of a record', () => {
  test('is in the order of what happened, and its times never go backwards', async () => {
    const { id } = await records.create('person', {})
    const comments = commentsOf(app)
    const done: string[] = ['create']
    for (const [index, ms] of fc.sample(jumps, { numRuns: 60, seed: 3 }).entries()) {
      jump(ms)
      if (index % 5 === 4) await comments.create('person', id, 'Hello', { as: 'memberKey' })
      else await records.patch('person', id, { job_title: `Job ${index}` })
      done.push(index % 5 === 4 ? 'comment' : `Job ${index}`)
    }
    const activities = (await feed.list('person', id, {}, { as: 'memberKey' })).body.data.toReversed()
    const events = activities.flatMap(({ attributes }: Json) => attributes.data)
    expect(events).toHaveLength(done.length)
    expect(
      events.filter(({ type }: Json) => type === 'svc:update').map(({ object }: Json) => object.diff[0].val),
    ).toEqual(done.filter((one) => one.startsWith('Job')))
    const inOrder = events
      .toSorted((a: Json, b: Json) => (a._id < b._id ? -1 : 1))
      .map(({ _created_at }: Json) => _created_at)
    expect(inOrder, 'as it happened').toEqual(inOrder.toSorted())
    for (const { attributes } of activities) {
      const times = attributes.data.map(({ _created_at }: Json) => Date.parse(_created_at))
      expect(times).toEqual(times.toSorted((a: number, b: number) => a - b))
      expect(times.at(-1) - times[0]).toBeLessThan(minute)
    }
    const began = activities.map(({ attributes }: Json) => attributes._created_at)
    expect(began).toEqual(began.toSorted())
  })

  test('goes on with a minute that a clock was set back into, and not with one that is over', async () => {
    const { id } = await records.create('person', {})
    const retitle = (title: string) => records.patch('person', id, { job_title: title })
    await retitle('a')
    jump(59_000)
    await retitle('b')
    jump(-30_000)
    await retitle('c')
    jump(31_000)
    await retitle('d')
    const outline = (await feed.list('person', id, {}, { as: 'memberKey' })).body.data.map(
      ({ attributes }: Json) => attributes.data.length,
    )
    expect(outline).toEqual([1, 3, 1])
  })

  test('has the times of the record', async () => {
    const { id } = await records.create('person', {})
    for (const ms of [hour, -2 * hour, minute]) {
      jump(ms)
      const { _updated_at } = (await records.patch('person', id, { job_title: `At ${at}` })).body.data.attributes
      const [latest] = (await feed.list('person', id, {}, { as: 'memberKey' })).body.data
      expect(latest.attributes.data.at(-1)._created_at).toBe(_updated_at)
    }
  })
})

const post = () =>
  app.api.post(recordsPath('person'), {
    as: 'memberKey',
    body: { data: { type: 'person', attributes: { job_title: 'Once' } } },
    headers: { 'Idempotency-Key': 'clocks' },
  })

describe('what ends in time', () => {
  test('an answer is kept for 24 hours of the clock, back and forth', async () => {
    const first = (await post()).body.data.id
    for (const ms of [-hour, -year, year, day]) {
      jump(ms)
      const { headers, body } = await post()
      expect([headers['idempotency-replayed'], body.data.id]).toEqual(['true', first])
    }
    jump(hour)
    const { headers, body } = await post()
    expect([headers['idempotency-replayed'], body.data.id === first]).toEqual([undefined, false])
  })

  test('a key ends when the clock says so, also where changes are stamped with later times', async () => {
    // A year ahead, a client polls; from then on the changes of the workspace go on from there.
    app.stopClock(undefined)
    at = app.now()
    jump(year)
    await records.create('deal', {})
    await follower(app, 'deal').poll()
    jump(-year)
    const stamped = Date.parse((await records.create('deal', {})).attributes._created_at)
    expect(stamped).toBeGreaterThan(at + year - day)
    app.stopClock(undefined)
    const { key, id } = await createKey(app.api.post, 'member', { expiresAt: new Date(app.now() + hour).toISOString() })
    const list = (authorization: string) =>
      app.api.get(resourcesPath('deal'), { as: { authorization: `api-key ${authorization}` } })
    expect((await list(key)).status).toBe(200)
    const rotated = (
      await app.api.post(`/workspaces/acme/api-keys/${id}/rotate`, { as: 'member', body: { overlap_hours: 0.25 } })
    ).body.data.attributes.cleartext_api_key
    expect([(await list(key)).status, (await list(rotated)).status]).toEqual([200, 200])
    await app.advance(16 * minute)
    expect([(await list(key)).status, (await list(rotated)).status]).toEqual([401, 200])
    await app.advance(hour)
    expect((await list(rotated)).body.errors[0].code).toBe('key_expired')
    await app.advance(-2 * hour)
    expect((await list(rotated)).status).toBe(200)
  })
})

describe('records, under a clock that jumps', () => {
  type Act = 'create' | 'createMany' | 'update' | 'touch' | 'remove' | 'walk' | 'poll'
  const acts = fc.array(
    fc.tuple(
      jumps,
      fc.constantFrom<Act[]>(
        'create',
        'create',
        'createMany',
        'update',
        'update',
        'update',
        'touch',
        'remove',
        'walk',
        'poll',
      ),
      fc.nat(1000),
    ),
    { minLength: 40, maxLength: 40 },
  )

  test('are all there, in their order, and their times never go backwards', { timeout: 120_000 }, async () => {
    const alive = new Map<string, Json>()
    const made: Json[] = []
    const copy = follower(app, 'company')
    let serial = 0
    const seen = (record: Json) => alive.set(record.id, record.attributes)
    const perform: Record<Act, (nth: (of: readonly string[]) => string | undefined) => Promise<void>> = {
      async create() {
        const record = await records.create('company', { industry: `Industry ${++serial}` })
        made.push(record)
        seen(record)
      },
      async createMany() {
        for (const record of await records.createMany(
          'company',
          Array.from({ length: 5 }, () => ({ industry: `Industry ${++serial}` })),
        )) {
          made.push(record)
          seen(record)
        }
      },
      async update(nth) {
        const id = nth([...alive.keys()])
        if (id === undefined) return
        const { status, body } = await records.patch('company', id, { industry: `Industry ${++serial}` })
        expect(status).toBe(200)
        expect(Date.parse(body.data.attributes._updated_at)).toBeGreaterThanOrEqual(
          Date.parse(alive.get(id)._updated_at),
        )
        seen(body.data)
      },
      async touch(nth) {
        const id = nth([...alive.keys()])
        if (id !== undefined)
          expect(
            (await records.patch('company', id, { industry: alive.get(id).industry })).body.data.attributes,
          ).toEqual(alive.get(id))
      },
      async remove(nth) {
        const id = nth([...alive.keys()])
        if (id === undefined) return
        expect((await app.api.delete(`${recordsPath('company')}/${id}`, { as: 'memberKey' })).status).toBe(200)
        alive.delete(id)
        copy.copy.delete(id)
      },
      async walk() {
        const ids: string[] = []
        let next: string | null = `${resourcesPath('company')}?page[limit]=20`
        while (next !== null) {
          const { body }: { body: Json } = await app.api.get(next, { as: 'memberKey' })
          expect(body.meta.total_records).toBe(alive.size)
          ids.push(...body.data.map(({ id }: Json) => id))
          next = body.links.next
        }
        expect(new Set(ids)).toEqual(new Set(alive.keys()))
        expect(ids).toHaveLength(alive.size)
      },
      async poll() {
        await copy.poll()
        expect([...alive].filter(([id, { industry }]) => copy.copy.get(id)?.industry !== industry)).toEqual([])
      },
    }
    await fc.assert(
      fc.asyncProperty(acts, async (list) => {
        for (const [ms, act, n] of list) {
          jump(ms)
          await perform[act]((of) => of[n % of.length])
        }
      }),
      { seed: 20_261_121, numRuns: 6, endOnFailure: true },
    )
    await perform.walk(() => undefined)
    await perform.poll(() => undefined)
    const times = made
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .map(({ attributes }) => String(attributes._created_at))
    expect(times, 'ids are in the order of the creation times').toEqual(times.toSorted())
    for (const { _created_at, _updated_at } of alive.values()) expect(_updated_at >= _created_at).toBe(true)
  })
})
