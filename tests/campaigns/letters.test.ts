import { simpleParser } from 'mailparser'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { answerTo, deliveryReport, inboundOf, type Held } from '../harness/inbound-mail.ts'
import { scansMs, urlsIn } from '../harness/letters.ts'
import { mailServer } from '../harness/mail.ts'
import { recordsOf } from '../harness/records.ts'
import { workflowsOf } from '../harness/workflows.ts'

const smtp = await mailServer()
const app = await startApp({ mail: { smtpUrl: smtp.url, from: 'Acme <hello@acme.example>' } })
const { api } = app
const records = recordsOf(app)
const { until } = workflowsOf(app)
const origin = new URL(app.baseUrl).origin
const path = '/workspaces/acme/campaigns'

const blocks = {
  first: {
    plugin_id: 'svc:send:email',
    input: { subject: 'Dear {{trigger.state.event.object.data.name.first_name}}', text: 'Hello.', track_opens: true },
    prev: 'trigger',
    next: 'rest',
  },
  rest: { plugin_id: 'general:delay:for', input: { amount: 1, unit: 'days' }, prev: 'first', next: 'second' },
  second: { plugin_id: 'svc:send:email', input: { subject: 'Again', text: 'Hello again.' }, prev: 'rest' },
}

const visit = (url: string, method: string) => app.http.send({ method, url: url.replace(/^https?:\/\/[^/]+/, origin) })

let serial = 0

async function begin(count: number, steps: Json = blocks) {
  const { body } = await api.post(path, { body: { name: 'Spring', blocks: steps } })
  const one = `${path}/${body.data.id}`
  await api.post(`${one}/start`, {})
  const people = await records.createMany(
    'person',
    Array.from({ length: count }, () => ({
      name: { first_name: `Reader${++serial}` },
      email_addresses: { items: [`reader-${serial}@example.com`] },
    })),
  )
  const items = people.map(({ id }) => id)
  const rows = async (): Promise<Json[]> => (await api.get(`${one}/recipients`)).body.data
  return { one, people, items, rows }
}

/** The letters that have come. */
const heldLetters = (): Promise<Held[]> =>
  Promise.all(
    smtp.waiting
      .splice(0)
      .map(async ({ to: [to = ''], raw }) => ({ to, messageId: (await simpleParser(raw)).messageId ?? '' })),
  )

test('a preview shows what a person would get, in the order of the steps, and sends nothing', async () => {
  const { one, people } = await begin(1)
  const { status, body } = await api.post(`${one}/preview`, { as: 'viewer', body: { person_id: people[0]?.id } })
  expect(status).toBe(200)
  const { letters } = body.data.attributes
  const to = `reader-${serial}@example.com`
  expect(letters).toEqual([
    { block_id: 'first', to, subject: `Dear Reader${serial}`, text: 'Hello.', html: null, attachments: [] },
    { block_id: 'second', to, subject: 'Again', text: 'Hello again.', html: null, attachments: [] },
  ])
  expect(smtp.waiting).toEqual([])
  const missing = await api.post(`${one}/preview`, { body: { person_id: 'nobody' } })
  expect([missing.status, missing.body.errors[0].source.pointer]).toEqual([422, '/person_id'])
})

test('a preview that would be too long is refused', async () => {
  const text = '{{trigger.state.event.object.data.job_title}}'.repeat(4000)
  const long = { first: { plugin_id: 'svc:send:email', input: { subject: 'A', text } } }
  const { body } = await api.post(path, { body: { name: 'Long', blocks: long } })
  const [reader] = await records.createMany('person', [{ name: { first_name: 'L' }, job_title: 'x'.repeat(300) }])
  const answer = await api.post(`${path}/${body.data.id}/preview`, { body: { person_id: reader?.id } })
  expect([answer.status, answer.body.errors[0].source.pointer]).toEqual([422, '/person_id'])
})

test('a test goes to the caller, and enrols no one', async () => {
  const { one, people, rows } = await begin(1)
  const { status, body } = await api.post(`${one}/test-send`, { body: { person_id: people[0]?.id } })
  expect([status, body.data]).toEqual([202, { to: 'admin@example.com', letters: 2 }])
  await app.startJobs()
  const [one_, two] = [await smtp.next(), await smtp.next()]
  expect([one_.to, two.to]).toEqual([['admin@example.com'], ['admin@example.com']])
  expect(await rows()).toEqual([])
})

test('an unsubscription ends every campaign of the person, and the totals count by day what happened', async () => {
  const [a, b] = [await begin(1), await begin(1)]
  await api.post(`${a.one}/recipients`, { body: { items: a.items } })
  await api.post(`${b.one}/recipients`, { body: { items: [...a.items, ...b.items] } })
  const rested = async ({ rows }: typeof a) => (await rows()).every(({ attributes }) => attributes.status === 'waiting')
  await until(async () => (await rested(a)) && (await rested(b)) && smtp.waiting.length === 3)
  const letters = await Promise.all(
    smtp.waiting.splice(0).map(async ({ to, raw }) => ({ ...(await simpleParser(raw)), to })),
  )
  const [first] = letters.filter(({ to }) => to[0]?.startsWith(`reader-${serial - 1}@`))
  const [unsubscribe = '', open = ''] = urlsIn(first?.html || '')
  await app.advance(scansMs)
  await visit(open, 'GET')
  await visit(unsubscribe, 'POST')
  const ended = { status: 'cancelled', exit_reason: 'on:email:unsubscribe', has_unsubscribed: true }
  expect((await a.rows())[0]?.attributes).toMatchObject(ended)
  expect((await b.rows()).map(({ attributes }) => attributes.has_unsubscribed)).toEqual([true, false])
  expect((await b.rows())[0]?.attributes).toMatchObject(ended)
  const answer = (await api.post(`${b.one}/recipients`, { body: { items: a.items } })).body.data
  expect(answer).toMatchObject([{ status: 'suppressed' }])
  const totals = async ({ one }: typeof a) => (await api.get(`${one}/totals`)).body.data
  const all = [...(await totals(a)), ...(await totals(b))]
  const sums = new Map<string, number>()
  for (const { kind, total } of all) sums.set(kind, (sums.get(kind) ?? 0) + total)
  expect(Object.fromEntries(sums)).toEqual({ sent: 3, opened: 1, unsubscribed: 1 })
  expect((await api.get(`${a.one}/totals`, { query: { until: '2000-01-01' } })).body.data).toEqual([])
  await api.delete(a.one)
  await api.delete(b.one)
  await app.quiet()
  const counters = (await app.rows(await app.workspaceId('acme'))).filter((row) => row.startsWith('count '))
  expect(counters.filter((row) => row.includes('campaign'))).toEqual([])
})

test('a reply ends the campaign of a person unless it is not to, and a bounce for good always does', async () => {
  const deliver = await inboundOf(app)
  const { one, items, rows } = await begin(4)
  await api.post(`${one}/recipients`, { body: { items } })
  await until(
    async () => smtp.waiting.length === 4 && (await rows()).every(({ attributes }) => attributes.status === 'waiting'),
  )
  const letters = await heldLetters()
  const held = (index: number): Held => letters.find(({ to }) => to.startsWith(`reader-${serial - 3 + index}@`))!
  await deliver(answerTo(held(0)))
  await api.patch(one, { body: { ends_on_reply: false } })
  await deliver(answerTo(held(1)))
  await deliver(deliveryReport(held(2), '5.1.1'))
  await deliver(deliveryReport(held(3), '4.4.7'))
  const shown = (await rows()).map(({ attributes: { status, exit_reason, has_replied } }) => [
    status,
    exit_reason,
    has_replied,
  ])
  expect(shown).toEqual([
    ['success', 'on:email:reply', true],
    ['waiting', null, true],
    ['failed', 'on:email:bounce', false],
    ['waiting', null, false],
  ])
  const replied = await api.get(`${one}/recipients`, { query: { 'filter[event]': 'replied' } })
  expect(replied.body.meta.total_records).toBe(2)
  const totals: Json[] = (await api.get(`${one}/totals`)).body.data
  expect(Object.fromEntries(totals.map(({ kind, total }) => [kind, total]))).toEqual({
    sent: 4,
    replied: 2,
    bounced: 2,
  })
})

test('a letter that comes back ends the run that wrote it, and none that was begun since', async () => {
  const deliver = await inboundOf(app)
  const { one, items, people, rows } = await begin(1)
  const waits = () => until(async () => (await rows()).every(({ attributes }) => attributes.status === 'waiting'))
  await api.post(`${one}/recipients`, { body: { items } })
  await waits()
  const [old] = await heldLetters()
  const [before] = await rows()
  expect(await api.post(`/workspaces/acme/workflow-runs/${before?.id}/cancel`)).toMatchObject({ status: 200 })
  const moved = { email_addresses: { items: [`moved-${serial}@example.com`] } }
  expect(await records.patch('person', people[0]!.id, moved)).toMatchObject({ status: 200 })
  await api.post(`${one}/recipients`, { body: { items } })
  await until(async () => (await rows())[0]?.id !== before?.id)
  await waits()
  await deliver(deliveryReport(old!, '5.1.1'))
  expect((await rows())[0]?.attributes.status).toBe('waiting')
  const [current] = await heldLetters()
  await deliver(deliveryReport(current!, '5.1.1'))
  expect((await rows())[0]?.attributes).toMatchObject({ status: 'failed', exit_reason: 'on:email:bounce' })
})

test('a reply to a run that has failed ends it too: another attempt would write again', async () => {
  const deliver = await inboundOf(app)
  const subject = 'On {{trigger.state.event.object.data.name.first_name | date:"d MMMM"}}'
  const second = { ...blocks.second, input: { subject, text: 'No date.' }, prev: 'first' }
  const steps = { first: { ...blocks.first, next: 'second' }, second }
  const { one, items, rows } = await begin(2, steps)
  await api.post(`${one}/recipients`, { body: { items } })
  await until(
    async () => smtp.waiting.length === 2 && (await rows()).every(({ attributes }) => attributes.status === 'failed'),
  )
  const [letter] = await heldLetters()
  await deliver(answerTo(letter!))
  const retry = async ({ id, attributes }: Json) => {
    const { status, body } = await api.post(`/workspaces/acme/workflow-runs/${id}/retry`, { body: { from: 'failed' } })
    return [attributes.has_replied, status, body.errors?.[0].code]
  }
  const retried = await Promise.all((await rows()).map(retry))
  expect(retried).toHaveLength(2)
  expect(retried).toEqual(
    expect.arrayContaining([
      [false, 200, undefined],
      [true, 409, 'run_state'],
    ]),
  )
})

test('who was not reached is shown as failed, though the report came after the last step', async () => {
  const deliver = await inboundOf(app)
  const { second } = blocks
  const { one, items, rows } = await begin(3, { second: { ...second, prev: 'trigger' } })
  await api.post(`${one}/recipients`, { body: { items } })
  await until(async () => (await rows()).every(({ attributes }) => attributes.status === 'success'))
  const [back, delayed, read] = await heldLetters()
  await deliver(deliveryReport(back!, '5.1.1'))
  await deliver(deliveryReport(delayed!, '4.4.7'))
  await deliver(answerTo(read!))
  const states = (await rows()).map(({ attributes: { person, status, exit_reason } }) => [
    person.email_addresses.items[0],
    [status, exit_reason],
  ])
  expect(Object.fromEntries(states)).toEqual({
    [back!.to]: ['failed', 'on:email:bounce'],
    [delayed!.to]: ['success', null],
    [read!.to]: ['success', null],
  })
  const failed = (await api.get(`${one}/recipients`, { query: { 'filter[status]': 'failed' } })).body.data
  expect(failed.map(({ attributes }: Json) => attributes.person.email_addresses.items)).toEqual([[back!.to]])
  const { attributes: progress } = (await api.get(`${one}/progress`)).body.data
  expect(progress).toEqual({ enrolled: 3, pending: 0, sent: 2, failed: 1, suppressed: 0 })
  const run = (await api.get(`/workspaces/acme/workflow-runs/${failed[0].id}`)).body.data.attributes
  expect([run.status, run.exit_reason]).toEqual(['success', null])
})

test('who waits while a campaign is paused goes on where they were: nobody is left, nothing comes twice', async () => {
  const { one, items, people, rows } = await begin(3)
  const states = async () => (await rows()).map(({ attributes }) => attributes.status)
  const own = people.map(({ attributes }): string => attributes.email_addresses.items[0])
  // Those of other campaigns go on as well.
  const received = () => smtp.waiting.filter(({ to: [to = ''] }) => own.includes(to))
  const letters = () =>
    Promise.all(received().map(async ({ to, raw }) => `${to[0]} ${(await simpleParser(raw)).subject}`))
  await api.post(`${one}/recipients`, { body: { items: items.slice(0, 2) } })
  await until(async () => received().length === 2 && (await states()).every((status) => status === 'waiting'))
  await api.post(`${one}/pause`, {})
  await api.post(`${one}/recipients`, { body: { items: items.slice(2) } })
  // The day for which two of them wait is over, and it is paused still.
  await app.advance(25 * 3_600_000)
  await app.quiet()
  expect(await states()).toEqual(['waiting', 'waiting', 'pending'])
  await api.post(`${one}/resume`, {})
  await until(async () => (await states()).join() === 'success,success,waiting')
  const dear = people.map(({ attributes: { name } }, index) => `${own[index]} Dear ${name.first_name}`)
  expect((await letters()).toSorted()).toEqual([...dear, `${own[0]} Again`, `${own[1]} Again`].toSorted())
  const { attributes: progress } = (await api.get(`${one}/progress`)).body.data
  expect(progress).toEqual({ enrolled: 3, pending: 1, sent: 2, failed: 0, suppressed: 0 })
})
