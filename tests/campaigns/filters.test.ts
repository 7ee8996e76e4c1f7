import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { answerTo, deliveryReport, inboundOf, type Held } from '../harness/inbound-mail.ts'
import { scansMs, urlsIn } from '../harness/letters.ts'
import { mailServer } from '../harness/mail.ts'
import { recordsOf } from '../harness/records.ts'
import { rounds, runSeed } from '../harness/size.ts'
import { workflowsOf } from '../harness/workflows.ts'
import { simpleParser } from 'mailparser'

const smtp = await mailServer()
const app = await startApp({ mail: { smtpUrl: smtp.url, from: 'Acme <hello@acme.example>' } })
const { api } = app
const records = recordsOf(app, 'admin')
const { until } = workflowsOf(app)
const origin = new URL(app.baseUrl).origin
const deliver = await inboundOf(app)
const path = '/workspaces/acme/campaigns'

const blocks = {
  letter: {
    plugin_id: 'svc:send:email',
    input: {
      subject: 'Hello',
      message: [
        {
          type: 'paragraph',
          content: [{ type: 'link', href: 'https://offer.example/', content: [{ type: 'text', text: 'Offer' }] }],
        },
      ],
      track_opens: true,
      track_clicks: true,
    },
    prev: 'trigger',
    next: 'wait',
  },
  wait: { plugin_id: 'general:delay:for', input: { amount: 9, unit: 'days' }, prev: 'letter' },
}

const names = ['Ada Lovelace', 'Grace Hopper', 'Edsger Dijkstra', 'Barbara Liskov']

/** A person as the reference model knows them; in the campaign once they have a status. */
type Reader = {
  readonly id: string
  readonly name: string
  readonly address: string
  status?: string
  order?: number
  readonly done: Set<string>
  hasUnsubscribed: boolean
  mayBeWrittenTo: boolean
  isDeleted: boolean
  /** They came to their end by an answer. */
  hasAnswered: boolean
  /** The last letter, and its links. */
  links?: Held & { readonly open: string; readonly click: string; readonly unsubscribe: string }
}

/** Where a person is among the five. */
function deliveryOf({ status, hasUnsubscribed }: Reader, isPaused: boolean): string {
  if (hasUnsubscribed) return 'unsubscribed'
  if (status === 'success') return 'completed'
  if (status === 'cancelled' || status === 'failed') return 'failed'
  return isPaused ? 'paused' : 'scheduled'
}

const isActive = ({ status }: Reader): boolean => status === 'waiting' || status === 'pending'

class Model {
  readonly one: string
  readonly readers: Reader[]
  isPaused = false
  serial = 0

  constructor(one: string, readers: Reader[]) {
    this.one = one
    this.readers = readers
  }

  /** Waits for what the jobs still have to do, and takes the links of the letters that have come. */
  async settle(): Promise<void> {
    if (!this.isPaused) for (const reader of this.readers) if (reader.status === 'pending') await this.#receive(reader)
  }

  async #receive(reader: Reader): Promise<void> {
    await until(async () => {
      const row = (await this.rows('')).find(({ attributes }) => attributes.person._id === reader.id)
      return row?.attributes.status === 'waiting'
    })
    reader.status = 'waiting'
    const at = smtp.waiting.findIndex(({ to }) => to[0] === reader.address)
    const [received] = smtp.waiting.splice(at, 1)
    const { html, messageId = '' } = await simpleParser(received!.raw)
    const [click = '', unsubscribe = '', open = ''] = urlsIn(html || '')
    reader.links = { to: reader.address, messageId, open, click, unsubscribe }
  }

  async rows(query: string): Promise<Json[]> {
    const { status, body } = await api.get(`${this.one}/recipients${query}`)
    expect([status, body.errors]).toEqual([200, undefined])
    return body.data
  }

  shown(): Reader[] {
    return this.readers
      .filter(({ status, isDeleted }) => status !== undefined && !isDeleted)
      .toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0))
  }
}

const visit = (url: string, method = 'GET') =>
  app.http.send({
    method,
    url: url.replace(/^https?:\/\/[^/]+/, origin),
    ...(method === 'POST' && {
      body: 'List-Unsubscribe=One-Click',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    }),
  })

/** The things that may happen to a person; the server must end up as the model does. */
const happenings: Readonly<Record<string, (model: Model, reader: Reader) => Promise<void>>> = {
  async enrol(model, reader) {
    const { body } = await api.post(`${model.one}/recipients`, { body: { items: [reader.id] } })
    const expected = reader.isDeleted
      ? 'not_found'
      : isActive(reader)
        ? 'already_active'
        : reader.mayBeWrittenTo
          ? 'enrolled'
          : 'suppressed'
    expect(body.data).toMatchObject([{ id: reader.id, status: expected }])
    if (expected !== 'enrolled') return
    Object.assign(reader, { status: 'pending', hasUnsubscribed: false, hasAnswered: false })
    reader.order ??= ++model.serial
  },
  async unenrol(model, reader) {
    const { body } = await api.delete(`${model.one}/recipients`, { body: { items: [reader.id] } })
    const isThere = reader.status !== undefined && !reader.isDeleted
    expect(body.data).toMatchObject([{ status: !isThere ? 'not_found' : isActive(reader) ? 'removed' : 'not_active' }])
    if (isThere && isActive(reader)) reader.status = 'cancelled'
  },
  async finish(model, reader) {
    if (reader.status !== 'waiting' || reader.isDeleted || model.isPaused) return
    const row = (await model.rows('')).find(({ attributes }) => attributes.person._id === reader.id)
    await api.post(`/workspaces/acme/workflow-runs/${row?.id}/resume`)
    await until(async () =>
      (await model.rows('')).some(({ id, attributes }) => id === row?.id && attributes.status === 'success'),
    )
    reader.status = 'success'
  },
  async open(_model, reader) {
    if (reader.links === undefined) return
    await app.advance(scansMs)
    await visit(reader.links.open)
    reader.done.add('opened')
  },
  async click(_model, reader) {
    if (reader.links === undefined) return
    await app.advance(scansMs)
    await visit(reader.links.click)
    reader.done.add('clicked')
  },
  async reply(_model, reader) {
    if (reader.links === undefined) return
    await deliver(answerTo(reader.links))
    reader.done.add('replied')
    if (isActive(reader)) Object.assign(reader, { status: 'success', hasAnswered: true })
  },
  async bounce(_model, reader) {
    if (reader.links === undefined || !reader.mayBeWrittenTo) return
    await deliver(deliveryReport(reader.links, '5.1.1'))
    reader.mayBeWrittenTo = false
    // People who had come to their end were not reached after all, unless they have answered.
    if (isActive(reader) || (reader.status === 'success' && !reader.hasAnswered)) reader.status = 'failed'
  },
  async delay(_model, reader) {
    if (reader.links !== undefined) await deliver(deliveryReport(reader.links, '4.4.7'))
  },
  async unsubscribe(_model, reader) {
    if (reader.links === undefined || !reader.mayBeWrittenTo) return
    await visit(reader.links.unsubscribe, 'POST')
    Object.assign(reader, { hasUnsubscribed: true, mayBeWrittenTo: false })
    if (isActive(reader)) reader.status = 'cancelled'
  },
  async remove(_model, reader) {
    if (reader.isDeleted) return
    expect(await records.remove('person', [reader.id])).toMatchObject({ status: 200 })
    reader.isDeleted = true
    if (isActive(reader)) reader.status = 'cancelled'
  },
  async restore(_model, reader) {
    if (!reader.isDeleted) return
    expect(await records.restore('person', [reader.id])).toMatchObject({ status: 200 })
    reader.isDeleted = false
  },
  async pause(model) {
    expect(await api.post(`${model.one}/pause`, {})).toMatchObject({ status: 200 })
    model.isPaused = true
  },
  async resume(model) {
    expect(await api.post(`${model.one}/resume`, {})).toMatchObject({ status: 200 })
    model.isPaused = false
  },
}

const filters: readonly { readonly query: string; readonly holds: (reader: Reader, isPaused: boolean) => boolean }[] = [
  { query: '', holds: () => true },
  ...['scheduled', 'completed', 'paused', 'failed', 'unsubscribed'].map((status) => ({
    query: `filter[status]=${status}`,
    holds: (reader: Reader, isPaused: boolean) => deliveryOf(reader, isPaused) === status,
  })),
  ...[['opened'], ['clicked'], ['replied'], ['opened', 'clicked'], ['opened', 'clicked', 'replied']].map((events) => ({
    query: `filter[event]=${events.join(',')}`,
    holds: ({ done }: Reader) => events.some((event) => done.has(event)),
  })),
  ...['LOVE', 'ace h', '@EXAMPLE', 'a', 'nobody'].map((q) => ({
    query: `filter[q]=${encodeURIComponent(q)}`,
    holds: ({ name, address }: Reader) => [name, address].some((text) => text.toLowerCase().includes(q.toLowerCase())),
  })),
  {
    query: 'filter[status]=scheduled&filter[event]=opened&filter[q]=a',
    holds: (reader, isPaused) => deliveryOf(reader, isPaused) === 'scheduled' && reader.done.has('opened'),
  },
]

/** Compares every filter with the model. */
async function compare(model: Model): Promise<void> {
  const shown = model.shown()
  for (const { query, holds } of filters) {
    const { body } = await api.get(`${model.one}/recipients?${query}`)
    const expected = shown.filter((reader) => holds(reader, model.isPaused))
    expect([query, body.data.map(({ attributes }: Json) => attributes.person.name.full_name)]).toEqual([
      query,
      expected.map(({ name }) => name),
    ])
    expect(body.meta).toMatchObject({
      total_records: expected.length,
      total_unfiltered: shown.length,
      campaign_enabled: !model.isPaused,
    })
    expect(body.data.map(({ attributes }: Json) => factsOf(attributes))).toEqual(expected.map(expectedFacts))
  }
}

const factsOf = (attributes: Json) => ({
  status: attributes.status,
  has_opened: attributes.has_opened,
  has_clicked: attributes.has_clicked,
  has_replied: attributes.has_replied,
  has_unsubscribed: attributes.has_unsubscribed,
  knowsWhen: [
    attributes.last_opened_at !== null,
    attributes.last_clicked_at !== null,
    attributes.last_replied_at !== null,
  ],
})

const expectedFacts = ({ status, done, hasUnsubscribed }: Reader) => ({
  status,
  has_opened: done.has('opened'),
  has_clicked: done.has('clicked'),
  has_replied: done.has('replied'),
  has_unsubscribed: hasUnsubscribed,
  knowsWhen: [done.has('opened'), done.has('clicked'), done.has('replied')],
})

let serial = 0

/** A campaign that runs, and people whom it may write to. */
async function begin(): Promise<Model> {
  const { body } = await api.post(path, { body: { name: 'Spring', blocks } })
  const one = `${path}/${body.data.id}`
  await api.post(`${one}/start`, {})
  const round = ++serial
  const addresses = names.map((name) => `${name.split(' ')[0]?.toLowerCase()}-${round}@example.com`)
  const people = await records.createMany(
    'person',
    names.map((name, index) => ({
      name: { first_name: name.split(' ')[0], last_name: name.split(' ')[1] },
      email_addresses: { items: [addresses[index]] },
    })),
  )
  const readers = people.map(({ id }, index) => ({
    id,
    name: names[index] ?? '',
    address: addresses[index] ?? '',
    done: new Set<string>(),
    hasUnsubscribed: false,
    mayBeWrittenTo: true,
    isDeleted: false,
    hasAnswered: false,
  }))
  return new Model(one, readers)
}

const happening = fc.tuple(
  fc.constantFrom(...Object.keys(happenings), 'enrol', 'enrol', 'open', 'click', 'reply'),
  fc.nat({ max: names.length - 1 }),
)

test('every filter and status is what a reference model says, whatever has happened', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 6, maxLength: 14 }), async (order) => {
      const model = await begin()
      for (const [name, index] of order) {
        await happenings[name]?.(model, model.readers[index]!)
        await model.settle()
      }
      await compare(model)
    }),
    { numRuns: rounds(60, 3), seed: runSeed },
  )
})
