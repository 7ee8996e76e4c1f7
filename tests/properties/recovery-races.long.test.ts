import { afterEach, describe, expect, test } from 'vitest'
import { activitiesOf } from '../harness/activities.ts'
import { startApp } from '../harness/app.ts'
import { commentsOf, paragraph } from '../harness/comments.ts'
import type { Answer, Json } from '../harness/http.ts'
import { freshAddress, recordsOf } from '../harness/records.ts'

// Two apps in one process, on one database, as in races.test.ts: nothing may be lost between them, and no request may
// wait for ever.
const app = await startApp()
const second = await startApp({ beside: app })
const nodes = [
  { records: recordsOf(app), comments: commentsOf(app) },
  { records: recordsOf(second), comments: commentsOf(second) },
] as const
const [{ records, comments }] = nodes
const feed = activitiesOf(app)
const node = (index: number) => nodes[index % 2]!

const range = (length: number): number[] => Array.from({ length }, (_, index) => index)
const items = (...list: string[]) => ({ items: list })
const statuses = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status).toSorted((a, b) => a - b)
const attributesOf = async (object: string, id: string): Promise<Json> =>
  (await records.get(object, id)).body.data.attributes

/** A feed whose events all have a place of their own. */
async function eventsIn(object: string, id: string): Promise<string[]> {
  const { body } = await feed.list(object, id)
  expect(body.meta.total_records).toBe(body.data.length)
  const told: string[] = body.data.flatMap(({ attributes }: Json) => attributes.data.map(({ type }: Json) => type))
  return told.toSorted((a, b) => (a < b ? -1 : 1))
}

afterEach(async () => expect(await app.linkFaults()).toEqual([]))

describe('merges', () => {
  test('that cross: one wins, the other finds its record gone, and nothing is lost', async () => {
    for (const round of range(8)) {
      const [a, b] = await records.createMany('company', [{ labels: items('a') }, { labels: items('b') }])
      const people = await records.createMany('person', [{ company_id: a.id }, { company_id: b.id }])
      const said = [await comments.create('company', a.id), await comments.create('company', b.id)]
      const answers = await Promise.all([
        node(round).records.merge('company', a.id, [b.id]),
        node(round + 1).records.merge('company', b.id, [a.id]),
      ])
      expect(statuses(answers)).toEqual([204, 404])
      const [first, other] = answers
      const [survivor, gone, loser] = first.status === 204 ? [a, b, other] : [b, a, first]
      expect(loser.body.errors[0].meta.merged_into).toBe(survivor.id)
      expect((await records.get('company', gone.id)).body.errors[0].meta).toEqual({ merged_into: survivor.id })
      const attributes = await attributesOf('company', survivor.id)
      expect([new Set(attributes.labels.items), attributes._merged_ids]).toEqual([new Set(['a', 'b']), [gone.id]])
      for (const { id } of people) expect((await attributesOf('person', id)).company_id).toBe(survivor.id)
      for (const { _id } of said) expect((await comments.get(_id)).body.owner_id).toBe(survivor.id)
      expect(await eventsIn('company', survivor.id)).toEqual([
        'comment:create',
        'comment:create',
        'svc:create',
        'svc:create',
        'svc:merge',
      ])
    }
  })

  test('of many into one at once all get through', async () => {
    const into = await records.create('company', {})
    const from = await records.createMany(
      'company',
      range(16).map((index) => ({ labels: items(`label ${index}`), domains: items(`many-${index}.example.com`) })),
    )
    const answers = await Promise.all(from.map(({ id }, index) => node(index).records.merge('company', into.id, [id])))
    expect(statuses(answers)).toEqual(from.map(() => 204))
    const attributes = await attributesOf('company', into.id)
    expect(new Set(attributes.labels.items).size).toBe(16)
    expect(new Set(attributes.domains.items).size).toBe(16)
    expect(new Set(attributes._merged_ids)).toEqual(new Set(from.map(({ id }) => id)))
    expect(await eventsIn('company', into.id)).toEqual([
      ...range(17).map(() => 'svc:create'),
      ...range(16).map(() => 'svc:merge'),
    ])
  })

  test('of one into many at once: one has it, the others are told where it went', async () => {
    const from = await records.create('person', { labels: items('wanted') })
    const into = await records.createMany(
      'person',
      range(10).map(() => ({})),
    )
    const answers = await Promise.all(into.map(({ id }, index) => node(index).records.merge('person', id, [from.id])))
    expect(statuses(answers)).toEqual([204, ...range(9).map(() => 404)])
    const winner = into[answers.findIndex(({ status }) => status === 204)].id
    for (const { status, body } of answers)
      if (status === 404) expect(body.errors[0].meta).toEqual({ ids: [from.id], merged_into: winner })
    const holders = (await records.list('person', { 'filter[labels]': 'wanted' })).body.data
    expect(holders.map(({ id }: Json) => id)).toEqual([winner])
  })

  test('in a chain, all at once: each that is gone leads to one that is there', async () => {
    const chain = await records.createMany(
      'person',
      range(8).map(() => ({})),
    )
    const before = await records.count('person')
    const answers = await Promise.all(
      range(7).map((index) => node(index).records.merge('person', chain[index + 1].id, [chain[index].id])),
    )
    const done = answers.filter(({ status }) => status === 204).length
    expect(done).toBeGreaterThan(0)
    for (const { status } of answers) expect([204, 404]).toContain(status)
    expect(await records.count('person')).toBe(before - done)
    for (const { id } of chain) {
      const { status, body } = await records.get('person', id)
      if (status === 404) expect((await records.get('person', body.errors[0].meta.merged_into)).status).toBe(200)
    }
  })

  test('while people come, leave and are deleted: no record refers to what is gone, and none is lost', async () => {
    const [into, from] = await records.createMany('company', [{}, {}])
    const people = await records.createMany(
      'person',
      range(12).map(() => ({ company_id: from.id })),
    )
    const act = (index: number): Promise<Answer> => {
      const { id } = people[index % 12]
      const { records: here } = node(index)
      if (index === 15) return here.merge('company', into.id, [from.id])
      if (index % 4 === 0) return here.post('person', { company_id: from.id })
      if (index % 4 === 1) return here.patch('person', id, { company_id: null })
      return index % 4 === 2 ? here.patch('person', id, { job_title: `Job ${index}` }) : here.remove('person', [id])
    }
    const answers = await Promise.all(range(32).map(act))
    expect(answers[15]!.status).toBe(204)
    for (const { status } of answers) expect([200, 201, 204, 404, 422]).toContain(status)
    for (const [index, { status, body }] of answers.entries())
      if (index % 4 === 0 && status === 201)
        expect((await attributesOf('person', body.data.id)).company_id).toBe(into.id)
    const deleted = people.filter((_, index) => index % 4 === 3).map(({ id }) => id)
    for (const { attributes } of (await records.restore('person', deleted)).body.data)
      expect([into.id, null]).toContain(attributes.company_id)
  })

  test('while comments are written and changed: those that were accepted are there', async () => {
    const [into, from] = await records.createMany('person', [{}, {}])
    const earlier = await Promise.all(range(6).map(() => comments.create('person', from.id)))
    const act = (index: number): Promise<Answer> => {
      const here = node(index)
      if (index === 9) return here.records.merge('person', into.id, [from.id])
      return index % 2 === 0
        ? here.comments.post('person', from.id, paragraph(`New ${index}`))
        : here.comments.patch(earlier[index % 6]._id, paragraph(`Changed ${index}`))
    }
    const answers = await Promise.all(range(20).map(act))
    expect(answers[9]!.status).toBe(204)
    for (const [index, { status }] of answers.entries())
      if (index !== 9) expect(index % 2 === 0 ? [201, 403] : [200]).toContain(status)
    const accepted = answers.filter(({ status }) => status === 201).map(({ body }) => body._id)
    for (const id of [...earlier.map(({ _id }) => _id), ...accepted])
      expect((await comments.get(id)).body.owner_id).toBe(into.id)
    const told = await eventsIn('person', into.id)
    expect(told.filter((type) => type === 'comment:create')).toHaveLength(6 + accepted.length)
    expect(told.filter((type) => type === 'comment:update')).toHaveLength(9)
  })
})

/** Changes a company while people of it come back. */
function meanwhile(round: number, company: string, other: string, person: string): Promise<Answer> {
  const { records: there } = node(1)
  if (round % 3 === 0) return there.remove('company', [company])
  return round % 3 === 1
    ? there.merge('company', other, [company])
    : there.patch('person', person, { company_id: other })
}

describe('restores', () => {
  test('of one record at once: one does, the others find nothing to restore', async () => {
    const { id } = await records.create('person', { email_addresses: items(freshAddress()) })
    await records.remove('person', [id])
    const before = await records.count('person')
    await app.events()
    const answers = await Promise.all(range(20).map((index) => node(index).records.restore('person', [id])))
    expect(statuses(answers)).toEqual([200, ...range(19).map(() => 404)])
    expect(await records.count('person')).toBe(before + 1)
    expect(await app.events()).toHaveLength(1)
  })

  test('and creations that want one value: one has it', async () => {
    for (const round of range(4)) {
      const address = freshAddress()
      const ids: string[] = []
      for (const _ of range(3)) {
        const { id } = await records.create('person', { email_addresses: items(address) })
        await records.remove('person', [id])
        ids.push(id)
      }
      const answers = await Promise.all(
        range(9).map((index) =>
          index % 3 === round % 3
            ? node(index).records.post('person', { email_addresses: items(address) })
            : node(index).records.restore('person', [ids[index % 3]!]),
        ),
      )
      expect(answers.filter(({ status }) => status < 300)).toHaveLength(1)
      for (const { status, body } of answers)
        if (status >= 300) expect(['unique_violation', 'not_found']).toContain(body.errors[0].code)
      expect((await records.list('person', { 'filter[email_addresses]': address })).body.meta.total_records).toBe(1)
    }
  })

  test('of two linked records at once: the link is back', async () => {
    for (const round of range(10)) {
      const company = await records.create('company', {})
      const person = await records.create('person', { company_id: company.id })
      const pair = [
        ['company', company.id],
        ['person', person.id],
      ] as const
      for (const [object, id] of round % 4 < 2 ? pair : pair.toReversed()) await records.remove(object, [id])
      const answers = await Promise.all(
        (round % 2 === 0 ? pair : pair.toReversed()).map(([object, id], index) =>
          node(round + index).records.restore(object, [id]),
        ),
      )
      expect(statuses(answers)).toEqual([200, 200])
      expect((await attributesOf('person', person.id)).company_id).toBe(company.id)
    }
  })

  test('while the other end is deleted, merged or given away', async () => {
    for (const round of range(9)) {
      const [company, other] = await records.createMany('company', [{}, {}])
      const people = await records.createMany(
        'person',
        range(4).map(() => ({ company_id: company.id })),
      )
      const ids = people.map(({ id }) => id)
      const [back, there] = round % 2 === 0 ? [ids.slice(0, 2), ids.slice(2)] : [ids.slice(2), ids.slice(0, 2)]
      await records.remove('person', back)
      const [restored, changed] = await Promise.all([
        node(0).records.restore('person', back),
        meanwhile(round, company.id, other.id, there[0]),
      ])
      expect([restored.status, changed.status < 300]).toEqual([200, true])
      const expected = [null, other.id, company.id][round % 3]
      for (const id of back) expect((await attributesOf('person', id)).company_id, `round ${round}`).toBe(expected)
      expect(await app.linkFaults()).toEqual([])
    }
  })

  test('and deletions, over and over: in the end everything fits together', async () => {
    const [company, deal] = [await records.create('company', {}), await records.create('deal', {})]
    const people = await records.createMany(
      'person',
      range(6).map(() => ({ company_id: company.id })),
    )
    const all = [['company', company.id], ['deal', deal.id], ...people.map(({ id }) => ['person', id] as const)] as [
      string,
      string,
    ][]
    await records.patch('deal', deal.id, { company_id: company.id })
    const answers = await Promise.all(
      range(60).map((index) => {
        const [object, id] = all[(index * 7) % all.length]!
        return index % 2 === 0
          ? node(index >> 1).records.remove(object, [id])
          : node(index >> 1).records.restore(object, [id])
      }),
    )
    for (const { status } of answers) expect([200, 404]).toContain(status)
    expect(await app.linkFaults()).toEqual([])
    for (const [object, id] of all)
      if ((await records.get(object, id)).status === 404) expect((await records.restore(object, [id])).status).toBe(200)
    for (const { id } of people) expect((await attributesOf('person', id)).company_id).toBe(company.id)
    expect((await attributesOf('deal', deal.id)).company_id).toBe(company.id)
  })
})
