import { simpleParser } from 'mailparser'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { answerTo, inboundOf } from '../harness/inbound-mail.ts'
import { scansMs, urlsIn } from '../harness/letters.ts'
import { mailServer } from '../harness/mail.ts'
import { recordsOf } from '../harness/records.ts'
import { changesOf } from '../harness/schemas.ts'
import { workflowsOf } from '../harness/workflows.ts'

const smtp = await mailServer()
const app = await startApp({ mail: { smtpUrl: smtp.url, from: 'Acme <hello@acme.example>' } })
const { api } = app
const { until } = workflowsOf(app)
const path = '/workspaces/acme/campaigns'

test('the totals of a campaign count the people whom the caller may see', async () => {
  await changesOf(app).edit('person', (_properties, document) => (document.xSvcAccess = { default: 'none' }))
  await api.post('/workspaces/acme/settings', { body: { key: 'time_zone', value: 'Asia/Kathmandu' } })
  const send = { plugin_id: 'svc:send:email', input: { subject: 'Hello', text: 'Hello.', track_opens: true } }
  const { body } = await api.post(path, { body: { name: 'Spring', blocks: { send } } })
  const one = `${path}/${body.data.id}`
  await api.post(`${one}/start`, {})
  const make = (name: string, as: 'admin' | 'member') =>
    recordsOf(app, as).create('person', { email_addresses: { items: [`${name}@example.com`] } })
  const people = [await make('hers', 'member'), await make('theirs', 'admin'), await make('others', 'admin')]
  await api.post(`${one}/recipients`, { body: { items: people.map(({ id }) => id) } })
  await until(async () => smtp.waiting.length === 3)
  await until(async () => (await api.get(`${one}/progress`)).body.data.attributes.sent === 3)
  await app.advance(scansMs)
  const deliver = await inboundOf(app)
  for (const { raw, to } of smtp.waiting.splice(0)) {
    const { html, messageId = '' } = await simpleParser(raw)
    const [open = ''] = urlsIn(html || '').filter((url) => url.includes('/open/'))
    await app.http.send({ method: 'GET', url: open.replace(/^https?:\/\/[^/]+/, app.origin) })
    await deliver(answerTo({ to: to[0] ?? '', messageId }))
  }
  const totals = async (as: 'admin' | 'member', query: Json = {}) => {
    const { status, body: found } = await api.get(`${one}/totals`, { as, query })
    expect([status, found.errors]).toEqual([200, undefined])
    return found.data
  }
  const all: Json[] = await totals('admin')
  expect(all.map(({ kind, total }) => [kind, total])).toEqual([
    ['opened', 3],
    ['replied', 3],
    ['sent', 3],
  ])
  expect(await totals('member')).toEqual(all.map((row) => ({ ...row, total: 1 })))
  expect(await totals('member', { until: '2000-01-01' })).toEqual([])
})
