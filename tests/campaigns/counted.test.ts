import fc from 'fast-check'
import { simpleParser } from 'mailparser'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { deliveryReport, inboundOf, type Held } from '../harness/inbound-mail.ts'
import { urlsIn } from '../harness/letters.ts'
import { mailServer } from '../harness/mail.ts'
import { freshAddress, recordsOf } from '../harness/records.ts'
import { changesOf } from '../harness/schemas.ts'
import { rounds, runSeed } from '../harness/size.ts'
import { workflowsOf } from '../harness/workflows.ts'

const smtp = await mailServer()
const app = await startApp({ mail: { smtpUrl: smtp.url, from: 'Acme <hello@acme.example>' } })
const { api } = app
const records = recordsOf(app)
const { until } = workflowsOf(app)
const deliver = await inboundOf(app)
const path = '/workspaces/acme/campaigns'

// A member sees no people but those whom they have created, and these are all: what counters tell an admin is counted
// one by one for them.
await changesOf(app).edit('person', (_properties, document) => (document.xSvcAccess = { default: 'none' }))

const statuses = ['scheduled', 'completed', 'paused', 'failed', 'unsubscribed']
const wait = { plugin_id: 'general:delay:for', input: { amount: 9, unit: 'days' } }
const letter = {
  plugin_id: 'svc:send:email',
  input: { subject: 'Hello', message: [{ type: 'paragraph', content: [{ type: 'text', text: 'Hello.' }] }] },
  prev: 'trigger',
  next: 'wait',
}

async function begin(blocks: Json): Promise<string> {
  const one = `${path}/${(await api.post(path, { body: { name: 'Spring', blocks } })).body.data.id}`
  await api.post(`${one}/start`, {})
  return one
}

async function pageOf(one: string, query: Json, as: 'admin' | 'member'): Promise<Json> {
  const { status, body } = await api.get(`${one}/recipients`, { query, as })
  expect([status, body.errors]).toEqual([200, undefined])
  return body
}

const rowsOf = async (one: string): Promise<Json[]> => (await pageOf(one, { 'page[limit]': 500 }, 'admin')).data

const goesOn = (status: string) => ['pending', 'running', 'waiting', 'retrying'].includes(status)

function deliveryOf({ attributes: { status, has_unsubscribed } }: Json, isEnabled: boolean): string {
  if (has_unsubscribed) return 'unsubscribed'
  if (status === 'success') return 'completed'
  if (!goesOn(status)) return 'failed'
  return isEnabled ? 'scheduled' : 'paused'
}

function progressOf({ attributes: { status, has_unsubscribed, last_sent_at } }: Json): string {
  if (goesOn(status)) return 'pending'
  if (status === 'failed') return 'failed'
  if (last_sent_at !== null) return 'sent'
  return status === 'cancelled' && !has_unsubscribed ? 'failed' : 'suppressed'
}

const countBy = <T>(rows: readonly T[], keys: readonly string[], of: (row: T) => string) =>
  Object.fromEntries(keys.map((key) => [key, rows.filter((row) => of(row) === key).length]))

/** Compares the totals of a campaign with its rows, for one who reads them from counters and one who does not. */
async function compare(one: string): Promise<void> {
  const rows = await rowsOf(one)
  const parts = countBy(rows, ['pending', 'sent', 'failed', 'suppressed'], progressOf)
  for (const as of ['admin', 'member'] as const) {
    const { meta } = await pageOf(one, {}, as)
    expect([as, meta.total_records, meta.total_unfiltered]).toEqual([as, rows.length, rows.length])
    const found: Json = {}
    for (const status of statuses) {
      const page = await pageOf(one, { 'filter[status]': status }, as)
      found[status] = page.meta.total_records
      expect(page.data).toHaveLength(found[status])
    }
    expect([as, found]).toEqual([as, countBy(rows, statuses, (row) => deliveryOf(row, meta.campaign_enabled))])
    const progress = (await api.get(`${one}/progress`, { as })).body.data.attributes
    expect([as, progress]).toEqual([as, { enrolled: rows.length, ...parts }])
  }
}

type Person = {
  id: string
  readonly address: string
  isDeleted: boolean
  letter?: Held & { readonly unsubscribe: string }
}

const someone = async (): Promise<Person> => {
  const address = freshAddress()
  const { id } = await records.create('person', { email_addresses: { items: [address] } })
  return { id, address, isDeleted: false }
}

class World {
  readonly campaigns: readonly string[]
  readonly people: Person[]

  constructor(campaigns: readonly string[], people: Person[]) {
    this.campaigns = campaigns
    this.people = people
  }

  /** Waits until every run of the campaigns that are not paused rests, and takes the letters that have come. */
  async settle(): Promise<void> {
    for (const one of this.campaigns)
      await until(async () => {
        const { meta, data } = await pageOf(one, {}, 'admin')
        return !meta.campaign_enabled || data.every(({ attributes }: Json) => !isUnderWay(attributes.status))
      })
    for (const { to, raw } of smtp.waiting.splice(0)) {
      const person = this.people.find(({ address }) => address === to[0])
      const { html, messageId = '' } = await simpleParser(raw)
      const unsubscribe = urlsIn(html || '').find((url) => url.includes('/unsubscribe/')) ?? ''
      if (person !== undefined) person.letter = { to: person.address, messageId, unsubscribe }
    }
  }

  /** The row of a person in a campaign. */
  async row(one: string, { id }: Person): Promise<Json> {
    return (await rowsOf(one)).find(({ attributes }) => attributes.person._id === id)
  }
}

const isUnderWay = (status: string) => goesOn(status) && status !== 'waiting'

const changeRun = async (row: Json, change: string, body: Json = {}) =>
  row && api.post(`/workspaces/acme/workflow-runs/${row.id}/${change}`, { body })

type Happening = (world: World, person: Person, one: string) => Promise<unknown>

const happenings: Readonly<Record<string, Happening>> = {
  enrol: (_world, { id }, one) => api.post(`${one}/recipients`, { body: { items: [id] } }),
  unenrol: (_world, { id }, one) => api.delete(`${one}/recipients`, { body: { items: [id] } }),
  finish: async (world, person, one) => changeRun(await world.row(one, person), 'resume'),
  retry: async (world, person, one) => changeRun(await world.row(one, person), 'retry', { from: 'failed' }),
  pause: (_world, _person, one) => api.post(`${one}/pause`, {}),
  resume: (_world, _person, one) => api.post(`${one}/resume`, {}),
  async bounce(_world, person) {
    if (person.letter !== undefined) await deliver(deliveryReport(person.letter, '5.1.1'))
  },
  async unsubscribe(_world, { letter: held }) {
    if (held !== undefined)
      await app.http.send({ method: 'POST', url: held.unsubscribe.replace(/^https?:\/\/[^/]+/, app.origin) })
  },
  async remove(_world, person) {
    await records.remove('person', [person.id])
    person.isDeleted = true
  },
  async restore(_world, person) {
    await records.restore('person', [person.id])
    person.isDeleted = false
  },
  async merge({ people }, person) {
    const target = people.find((one) => one !== person && !one.isDeleted)
    if (target === undefined || person.isDeleted) return
    expect(await records.merge('person', target.id, [person.id])).toMatchObject({ status: 204 })
    people.splice(people.indexOf(person), 1, await someone())
  },
}

type Order = readonly { readonly name: string; readonly person: number; readonly campaign: number }[]

/** Happenings that undo another come more often: else all people are soon gone, or all campaigns held. */
const often = ['enrol', 'enrol', 'enrol', 'enrol', 'resume', 'restore', 'finish', 'unsubscribe', 'bounce', 'retry']

const happening = fc.record({
  name: fc.constantFrom(...Object.keys(happenings), ...often),
  person: fc.nat({ max: 5 }),
  campaign: fc.nat({ max: 1 }),
})

/** An order in which everything has an effect, in both campaigns where a person is in both. */
const effective: Order = [
  ['finish', 0],
  ['enrol', 0],
  ['finish', 1],
  ['unenrol', 2],
  ['unsubscribe', 3],
  ['bounce', 4],
  ['remove', 1],
  ['remove', 5],
  ['restore', 1],
  ['merge', 2],
  ['retry', 4],
  ['enrol', 2],
  ['pause', 0],
].flatMap(([name, person]) => [0, 1].map((campaign) => ({ name: String(name), person: Number(person), campaign })))

/** Happenings that begin with a run that rests, or with a letter that has come. */
const needsRest = new Set(['finish', 'unsubscribe', 'bounce', 'retry'])

test('totals are what the rows say, for who counts them and who need not, whatever has happened', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 25, maxLength: 25 }), async (order: Order) => {
      const campaigns = [await begin({ letter, wait: { ...wait, prev: 'letter' } }), await begin({ wait })]
      const people = await Promise.all(Array.from({ length: 6 }, someone))
      const world = new World(campaigns, people)
      for (const one of campaigns) await api.post(`${one}/recipients`, { body: { items: people.map(({ id }) => id) } })
      for (const { name, person, campaign } of order) {
        if (needsRest.has(name)) await world.settle()
        await happenings[name]?.(world, people[person]!, campaigns[campaign]!)
      }
      await world.settle()
      for (const one of campaigns) await compare(one)
    }),
    { examples: [[effective]], numRuns: rounds(20, 1), seed: runSeed },
  )
})
