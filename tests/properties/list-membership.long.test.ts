import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Answer, Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { startServer } from '../harness/server-process.ts'
import { runSeed } from '../harness/size.ts'

// Requests go to one node, jobs are done by servers of their own, which are killed amid their work: two at a time on
// Postgres, one on a file of SQLite.
const app = await startApp()
const records = recordsOf(app, 'adminKey')

const titles = ['Senator', 'Clerk', 'Minister']
const industries = ['Steel', 'Cheese']
const stages = ['Won', 'Lost', 'Lead']

/**
 * Lists that look at a record itself, at what it refers to, at all that it has, at what it has not, and at the first
 * few.
 */
const queries: readonly Json[] = [
  { filter: { field: 'job_title', op: 'Is', value: 'Senator' } },
  {
    filter: {
      or: [
        { field: 'job_title', op: 'Is', value: 'Clerk' },
        { field: 'company_id.industry', op: 'Is', value: 'Steel' },
      ],
    },
  },
  {
    sql:
      'SELECT p.* FROM person p JOIN company c ON p.company_id = c._id JOIN deal d ON d.company_id = c._id ' +
      "WHERE d.stage = 'Won' AND d.amount > 5",
  },
  { sql: 'SELECT p.* FROM person p LEFT JOIN deal d ON d.people = p._id WHERE d._id IS NULL' },
  { sql: "SELECT * FROM person WHERE job_title <> 'Minister' ORDER BY _created_at DESC LIMIT 5" },
]

type Op = { readonly kind: string; readonly a: number; readonly b: number; readonly c: number }

const ops: fc.Arbitrary<Op> = fc.record({
  kind: fc.constantFrom(
    'create',
    'retitle',
    'retitle',
    'employ',
    'employ',
    'industry',
    'stage',
    'stage',
    'sell',
    'link',
    'link',
    'unlink',
    'remove',
    'removeCompany',
    'removeDeal',
    'restore',
    'merge',
    'mergeCompany',
  ),
  a: fc.nat(1000),
  b: fc.nat(1000),
  c: fc.nat(1000),
})

const pools: Record<'person' | 'company' | 'deal', string[]> = { person: [], company: [], deal: [] }
const one = (object: keyof typeof pools, index: number): string => pools[object][index % pools[object].length]!
const of = <T>(values: readonly T[], index: number): T => values[index % values.length]!

const linksOf = (deal: string, method: 'post' | 'delete', person: string): Promise<Answer> =>
  app.api[method](`/workspaces/acme/objects/deal/records/${deal}/relationships/people`, {
    as: 'adminKey',
    body: { data: [{ type: 'person', id: person }] },
  })

/** One write; it may be refused, where another writer was first. */
async function perform({ kind, a, b, c }: Op): Promise<void> {
  const writes: Readonly<Record<string, () => Promise<Answer | void>>> = {
    create: async () =>
      void pools.person.push(
        (
          await records
            .create('person', { job_title: of(titles, b), ...(c % 2 === 0 && { company_id: one('company', c) }) })
            .catch(() => ({ id: one('person', a) }))
        ).id,
      ),
    retitle: () => records.patch('person', one('person', a), { job_title: b % 4 === 0 ? null : of(titles, b) }),
    employ: () => records.patch('person', one('person', a), { company_id: b % 4 === 0 ? null : one('company', b) }),
    industry: () => records.patch('company', one('company', a), { industry: of(industries, b) }),
    stage: () => records.patch('deal', one('deal', a), { stage: of(stages, b), amount: c % 10 }),
    sell: () => records.patch('deal', one('deal', a), { company_id: b % 4 === 0 ? null : one('company', b) }),
    link: () => linksOf(one('deal', a), 'post', one('person', b)),
    unlink: () => linksOf(one('deal', a), 'delete', one('person', b)),
    remove: () => records.remove('person', [one('person', a)]),
    removeCompany: () => records.remove('company', [one('company', a)]),
    removeDeal: () => records.remove('deal', [one('deal', a)]),
    restore: () =>
      records.restore(of(['person', 'company', 'deal'] as const, b), [
        one(of(['person', 'company', 'deal'] as const, b), a),
      ]),
    merge: () => records.merge('person', one('person', a), [one('person', b)]),
    mergeCompany: () => records.merge('company', one('company', a), [one('company', b)]),
  }
  await writes[kind]!()
}

async function makeList(query: Json): Promise<string> {
  const { status, body } = await app.api.post('/workspaces/acme/objects/person/lists', {
    as: 'adminKey',
    body: { title: 'Law', type: 'dynamic', state: 'published', query },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.data.id
}

const membersOf = async (list: string): Promise<string[]> =>
  (
    await app.api.get(`/workspaces/acme/objects/person/lists/${list}/resources`, {
      as: 'adminKey',
      query: { 'page[limit]': 1000 },
    })
  ).body.data
    .map(({ id }: Json) => id)
    .toSorted()

const livePeople = async (): Promise<string[]> =>
  (await records.list('person', { 'page[limit]': 1000 })).body.data.map(({ id }: Json) => id)

type Moment = { readonly type: string; readonly record_id: string; readonly data: { readonly list_id: string } }

/** The events of joining and leaving by list and person, the oldest first; a merge leaves them with their person. */
async function toldOf(): Promise<Map<string, Map<string, string[]>>> {
  const told = new Map<string, Map<string, string[]>>()
  for (let after = 0; ;) {
    const query = { 'filter[type]': 'list.entry_added,list.entry_removed', after: String(after) }
    const { body } = await app.api.get('/workspaces/acme/events', { as: 'adminKey', query })
    for (const { attributes } of body.data as { attributes: Moment }[]) {
      const { type, record_id: person, data } = attributes
      const ofList = told.get(data.list_id) ?? new Map<string, string[]>()
      told.set(data.list_id, ofList.set(person, [...(ofList.get(person) ?? []), type]))
    }
    if (body.meta.next_after === after) return told
    after = body.meta.next_after
  }
}

/** By list, the live records that were told to have joined once more than to have left. */
async function joined(): Promise<Map<string, string[]>> {
  const live = new Set(await livePeople())
  const found = new Map<string, string[]>()
  for (const [list, people] of await toldOf())
    for (const [person, types] of people) {
      const balance = types.reduce((sum, type) => sum + (type === 'list.entry_added' ? 1 : -1), 0)
      if (live.has(person)) expect([0, 1], `${person} in ${list}: ${types.join()}`).toContain(balance)
      if (live.has(person) && balance === 1) found.set(list, [...(found.get(list) ?? []), person])
    }
  return found
}

const start = () => startServer(app.databaseUrl)

test(
  'what is told of joining and leaving comes to who is in a list, whatever is written at the same time and ' +
    'however often a server dies',
  { timeout: 240_000 },
  async () => {
    for (const industry of [...industries, ...industries])
      pools.company.push((await records.create('company', { industry })).id)
    for (let index = 0; index < 6; index++)
      pools.deal.push(
        (
          await records.create('deal', {
            stage: of(stages, index),
            amount: index * 2,
            company_id: one('company', index),
          })
        ).id,
      )
    for (let index = 0; index < 12; index++)
      pools.person.push(
        (await records.create('person', { job_title: of(titles, index), company_id: one('company', index) })).id,
      )
    const before = await Promise.all(queries.slice(0, 3).map(makeList))
    const isPostgres = inject('database') === 'postgres'
    let servers = isPostgres ? await Promise.all([start(), start()]) : [await start()]
    const rounds = fc.sample(
      fc.array(fc.array(ops, { minLength: 4, maxLength: 4 }), { minLength: 20, maxLength: 20 }),
      { seed: runSeed, numRuns: 3 },
    )
    let after: string[] = []
    for (const [index, round] of rounds.entries()) {
      for (const atOnce of round) await Promise.all(atOnce.map(perform))
      if (index === 1) after = await Promise.all(queries.slice(3).map(makeList))
      if (index % 2 === 1) continue
      await servers[0]!.kill()
      servers = [...servers.slice(1), await start()]
    }
    const lists = [...before, ...after]
    const expected = async () =>
      new Map(await Promise.all(lists.map(async (list) => [list, await membersOf(list)] as const)))
    const sorted = (map: ReadonlyMap<string, readonly string[]>) =>
      lists.map((list) => (map.get(list) ?? []).toSorted())
    for (const until = Date.now() + 90_000; Date.now() < until; await sleep(500))
      if (JSON.stringify(sorted(await joined())) === JSON.stringify(sorted(await expected()))) break
    expect(sorted(await joined())).toEqual(sorted(await expected()))
    expect([...(await expected()).values()].flat().length, 'the lists have members').toBeGreaterThan(5)
    expect((await Promise.all(servers.map((server) => server.terminate()))).every((code) => code === 0)).toBe(true)
  },
)
