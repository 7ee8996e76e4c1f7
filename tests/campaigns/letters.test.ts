import { simpleParser } from 'mailparser'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
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

async function begin(count: number) {
  const { body } = await api.post(path, { body: { name: 'Spring', blocks } })
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
  const inbound = (await api.get('/workspaces/acme/emails/inbound')).body.data.attributes.url
  const deliver = (body: string) =>
    app.http.send({
      method: 'POST',
      url: inbound.replace(/^https?:\/\/[^/]+/, origin),
      headers: { 'Content-Type': 'message/rfc822' },
      body,
    })
  const { one, items, rows } = await begin(4)
  await api.post(`${one}/recipients`, { body: { items } })
  await until(
    async () => smtp.waiting.length === 4 && (await rows()).every(({ attributes }) => attributes.status === 'waiting'),
  )
  const letters = await Promise.all(
    smtp.waiting.splice(0).map(async ({ to: [to = ''], raw }) => ({ to, id: (await simpleParser(raw)).messageId })),
  )
  const answer = (index: number) => {
    const { to, id } = letters.find(({ to: address }) => address.startsWith(`reader-${serial - 3 + index}@`))!
    return {
      to,
      text: `From: ${to}\r\nTo: hello@acme.example\r\nSubject: Re\r\nIn-Reply-To: ${id}\r\n\r\nYes.\r\n`,
      id,
    }
  }
  await deliver(answer(0).text)
  await api.patch(one, { body: { ends_on_reply: false } })
  await deliver(answer(1).text)
  const comesBack = (
    { to, id }: { readonly to: string; readonly id: string | undefined },
    action: string,
    status: string,
  ) =>
    deliver(
      'From: MAILER-DAEMON@mx.example\r\nTo: hello@acme.example\r\nSubject: Undelivered\r\nMIME-Version: 1.0\r\n' +
        'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n\r\n' +
        '--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx\r\n\r\n' +
        `Final-Recipient: rfc822; ${to}\r\nAction: ${action}\r\nStatus: ${status}\r\n\r\n` +
        `--b\r\nContent-Type: message/rfc822\r\n\r\nMessage-ID: ${id}\r\n\r\nHello\r\n--b--\r\n`,
    )
  await comesBack(answer(2), 'failed', '5.1.1')
  await comesBack(answer(3), 'delayed', '4.4.7')
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
})
