import { simpleParser } from 'mailparser'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { lettersOf, scansMs, urlsIn } from '../harness/letters.ts'
import { mailServer } from '../harness/mail.ts'
import { visitorOf } from '../harness/visitor.ts'

const smtp = await mailServer()
const app = await startApp({ mail: { smtpUrl: smtp.url, from: 'Acme <hello@acme.example>' } })
const letters = lettersOf(app)
const campaigns = '/workspaces/acme/campaigns'

const message = [
  {
    type: 'paragraph',
    content: [{ type: 'link', href: 'https://offer.example', content: [{ type: 'text', text: 'x' }] }],
  },
]
const blocks = {
  letter: {
    plugin_id: 'svc:send:email',
    input: { subject: 'Offer', message, track_opens: true, track_clicks: true },
    prev: 'trigger',
    next: 'rest',
  },
  rest: { plugin_id: 'general:delay:for', input: { amount: 2, unit: 'days' }, prev: 'letter' },
}

let serial = 0

/** Writes to a person of a campaign that ends when a letter is looked at; it has just been taken. */
async function write(address = `reader-${++serial}@example.com`) {
  const exits = { opened: { plugin_id: 'on:email:open' }, clicked: { plugin_id: 'on:email:click' } }
  const { body } = await app.api.post(campaigns, { body: { name: 'Spring', blocks, exits } })
  const one = `${campaigns}/${body.data.id}`
  await app.api.post(`${one}/start`, {})
  const person = await letters.person(address)
  await app.api.post(`${one}/recipients`, { body: { items: [person.id] } })
  const row = async (): Promise<Json> => (await app.api.get(`${one}/recipients`)).body.data[0]
  await letters.workflows.until(async () => (await row()).attributes.status === 'waiting')
  const { html } = await simpleParser((await smtp.next()).raw)
  const [link = '', , pixel = ''] = urlsIn(html || '').map((url) => url.replace(/^https?:\/\/[^/]+/, app.origin))
  const { data } = (await app.api.get('/workspaces/acme/emails', { query: { 'filter[workflow]': body.data.id } })).body
  const letter = (): Promise<Json> => letters.letter(data[0].id)
  return { link, pixel, letter, row }
}

type Written = Awaited<ReturnType<typeof write>>

const look = (url: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
  app.http.send({ method, url, headers })

/** Says that a letter was looked at so often, and that nothing came of it. */
async function expectMachines({ letter, row }: Written, opens: number, clicks: number): Promise<void> {
  expect(await letter()).toMatchObject({
    machine_opens: opens,
    machine_clicks: clicks,
    opens: 0,
    clicks: 0,
    opened_at: null,
    clicked_at: null,
  })
  expect((await row()).attributes).toMatchObject({
    status: 'waiting',
    has_opened: false,
    has_clicked: false,
    last_opened_at: null,
    last_clicked_at: null,
  })
  expect((await app.events()).filter(({ type }) => /^email\.(opened|clicked)$/.test(type))).toEqual([])
}

test('who looks within five seconds of its acceptance is what scans letters, and later the reader', async () => {
  const one = await write()
  await look(one.pixel)
  expect((await look(one.link)).status).toBe(302)
  await expectMachines(one, 1, 1)
  await app.advance(scansMs)
  await look(one.pixel)
  await letters.workflows.until(async () => (await one.row()).attributes.status === 'success')
  expect((await one.row()).attributes).toMatchObject({ has_opened: true, exit_reason: 'on:email:open' })
  expect(await one.letter()).toMatchObject({ opens: 1, machine_opens: 1, machine_opened_at: expect.any(String) })
})

test('programs that fetch for readers, and who only looks where a link leads, are no readers', async () => {
  const one = await write()
  await app.advance(scansMs)
  await app.events()
  await look(one.pixel, { 'User-Agent': 'Mozilla/5.0 (via ggpht.com GoogleImageProxy)' })
  expect((await look(one.link, {}, 'HEAD')).headers['location']).toBe('https://offer.example/')
  await app.advance(scansMs)
  expect((await look(one.pixel, {}, 'HEAD')).status).toBe(200)
  expect((await look(one.link, { 'Sec-Purpose': 'prefetch' })).status).toBe(302)
  await expectMachines(one, 2, 2)
})

test('members of the workspace are no readers: who is signed in, and who gets a letter to try it', async () => {
  const one = await write()
  await app.advance(scansMs)
  await app.events()
  await app.addMember('member', 'sender', 'quiet rivers run deep')
  const browser = visitorOf(app)
  expect((await browser.signIn('sender@example.com', 'quiet rivers run deep')).status).toBe(303)
  await browser.go(one.pixel)
  await browser.go(one.link)
  await expectMachines(one, 1, 1)
  const own = await write('sender@example.com')
  await app.advance(scansMs)
  await app.events()
  await look(own.pixel)
  await expectMachines(own, 1, 0)
})
