import { simpleParser } from 'mailparser'
import { beforeEach, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { lettersOf, scansMs, urlsIn } from '../harness/letters.ts'
import { mailServer } from '../harness/mail.ts'

const smtp = await mailServer()
const app = await startApp({ mail: { smtpUrl: smtp.url, from: 'Acme <hello@acme.example>' } })
const { api } = app
const letters = lettersOf(app)
const origin = new URL(app.baseUrl).origin

const message = [
  {
    type: 'paragraph',
    content: [
      { type: 'text', text: 'Dear {{trigger.state.event.object.data.name.first_name}}, ' },
      { type: 'link', href: 'https://offer.example/?a=1&b=2', content: [{ type: 'text', text: 'our offer' }] },
    ],
  },
]

let serial = 0
const someone = () =>
  letters.person(`grace-${++serial}@example.com`, { name: { first_name: 'Grace', last_name: 'O’Hara <b>' } })

/** Writes to a person, and lets so much time pass that who looks at it reads it; the letter, and as it came. */
async function write(input: Json = {}) {
  const person = await someone()
  const letter = await letters.write(person, { subject: 'Offer', message, ...input })
  const { raw, to } = await smtp.next()
  const received = await simpleParser(raw)
  const html = received.html || ''
  const [link = '', unsubscribe = '', pixel = ''] = urlsIn(html)
  await app.advance(scansMs)
  return { person, letter, to, received, html, link, unsubscribe, pixel }
}

const now = ({ _id: id }: Json) => letters.letter(id)
const visit = (method: string, url: string, body?: string) =>
  app.http.send({
    method,
    url: url.replace(/^https?:\/\/[^/]+/, origin),
    ...(body !== undefined && { body, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }),
  })

const told = async () => (await app.events()).filter(({ type }) => /^(email|suppression)\./.test(type))

const changed = (url: string) => url.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))

const tracked = { track_opens: true, track_clicks: true }

beforeEach(async () => void (await app.events()))

test('a letter of a sequence is text and HTML, with its variables, and says how to get no more', async () => {
  const { person, letter, to, received, html, unsubscribe } = await write()
  const [address] = person.attributes.email_addresses.items
  expect(to).toEqual([address])
  expect(received.text).toContain('Dear Grace, our offer (https://offer.example/?a=1&b=2)')
  expect(html).toContain('<a href="https://offer.example/?a=1&amp;b=2">our offer</a>')
  expect(received.messageId).toBe(letter.message_id)
  expect(received.headers.get('list')).toMatchObject({ unsubscribe: { url: unsubscribe } })
  expect(received.headers.get('list-unsubscribe-post') ?? received.headerLines.map(({ line }) => line)).toContain(
    'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
  )
  expect(letter).toMatchObject({
    state: 'sent',
    person_id: person.id,
    from: 'Acme <hello@acme.example>',
    to: [address],
    subject: 'Offer',
    opens: 0,
    opened_at: null,
  })
  expect(letter.html).not.toContain('/email/')
  expect((await told()).map(({ type, record_id }) => [type, record_id])).toEqual([['email.sent', person.id]])
})

test('a letter of a sequence ends with the postal address of the workspace; a plain letter does not', async () => {
  const path = '/workspaces/acme/settings'
  await api.post(path, { body: { key: 'postal_address', value: 'Acme <Ltd>\n1 Main Street' } })
  const { received, html } = await write()
  expect(received.text).toMatch(/-- \nAcme <Ltd>\n1 Main Street\nUnsubscribe: http/)
  expect(html).toContain('Acme &lt;Ltd&gt;<br>1 Main Street<br><a')
  await api.delete(path, { body: { key: 'postal_address' } })
  const next = await write()
  expect(`${next.received.text} ${next.html}`).not.toContain('Main Street')
})

test('notes when it is opened and its links are followed, where it was asked to', async () => {
  const { person, letter, link, pixel } = await write(tracked)
  await told()
  const picture = await visit('GET', pixel)
  expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/gif'])
  expect(picture.headers['cache-control']).toContain('no-store')
  const followed = await visit('GET', link)
  expect([followed.status, followed.headers['location']]).toEqual([302, 'https://offer.example/?a=1&b=2'])
  expect(await now(letter)).toMatchObject({
    opens: 1,
    clicks: 1,
    opened_at: expect.any(String),
    clicked_at: expect.any(String),
  })
  const { workflow_id } = letter
  const actor = { id: workflow_id, kind: 'workflow' }
  expect(await told()).toMatchObject([
    { type: 'email.opened', record_id: person.id, payload: { email_id: letter._id, workflow_id }, actor },
    { type: 'email.clicked', record_id: person.id, payload: { url: 'https://offer.example/?a=1&b=2' } },
  ])
  const { body } = await api.get(`/workspaces/acme/objects/person/records/${person.id}/activities`)
  expect(body.data.flatMap(({ attributes }: Json) => attributes.data.map(({ type }: Json) => type))).toEqual(
    expect.arrayContaining(['campaign:sent', 'campaign:opened', 'campaign:clicked']),
  )
})

test('leads to addresses with any letters', async () => {
  const href = 'https://offer.example/größe?of=привет'
  const { link } = await write({
    ...tracked,
    message: [{ type: 'paragraph', content: [{ type: 'link', href, content: [{ type: 'text', text: 'Offer' }] }] }],
  })
  const followed = await visit('GET', link)
  expect([followed.status, followed.headers['location']]).toEqual([302, encodeURI(href)])
})

test('what variables put into HTML is text', async () => {
  const name = '{{trigger.state.event.object.data.name.last_name}}'
  const { html } = await write({ message: undefined, text: `Dear ${name}`, html: `<p>Dear ${name}</p>` })
  expect(html).toContain('<p>Dear O’Hara &lt;b&gt;</p>')
})

test('tells of the first time alone, and counts again once it is another visit', async () => {
  const { letter, pixel } = await write(tracked)
  await told()
  for (let visits = 0; visits < 3; visits++) await visit('GET', pixel)
  expect(await told()).toHaveLength(1)
  expect((await now(letter)).opens).toBeLessThanOrEqual(3)
})

test('opens and clicks are not noted unless asked for', async () => {
  const { html } = await write()
  expect(urlsIn(html).filter((url) => /\/email\/(open|click)\//.test(url))).toEqual([])
})

test('the page of unsubscribing changes nothing until its button is pressed, and then for good', async () => {
  const { person, letter, unsubscribe } = await write()
  await told()
  const page = await visit('GET', unsubscribe)
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page.body).toContain('<button type="submit">Unsubscribe</button>')
  const [address] = person.attributes.email_addresses.items
  expect(page.body).toContain('<h1>Unsubscribe from Acme?</h1>')
  expect(page.body).toContain(`Acme will send no more e-mails to ${address}.`)
  expect(await told()).toEqual([])
  expect((await visit('POST', unsubscribe, '')).body).toContain('You are unsubscribed')
  expect(await told()).toMatchObject([{ type: 'email.unsubscribed', record_id: person.id }])
  expect(await now(letter)).toMatchObject({ unsubscribed_at: expect.any(String) })
  const { body } = await api.get(`/workspaces/acme/suppressions?filter[address]=${address}`)
  expect(body.data).toMatchObject([{ attributes: { address, reason: 'unsubscribed', email_id: letter._id } }])
})

test('one click unsubscribes, and more of them change nothing', async () => {
  const { person, unsubscribe } = await write()
  await told()
  for (let clicks = 0; clicks < 3; clicks++)
    expect((await visit('POST', unsubscribe, 'List-Unsubscribe=One-Click')).status).toBe(200)
  expect((await told()).map(({ type }) => type)).toEqual(['email.unsubscribed'])
  const next = await letters.write(person, { subject: 'Again', text: 'Hello' })
  expect(next).toMatchObject({ state: 'suppressed', to: [], suppressed: person.attributes.email_addresses.items })
  expect(smtp.waiting).toEqual([])
})

test('only a POST unsubscribes, from wherever it comes, without a cookie, and a year later too', async () => {
  const { unsubscribe, letter } = await write()
  await told()
  for (const method of ['HEAD', 'GET', 'HEAD']) expect((await visit(method, unsubscribe)).status).toBe(200)
  expect(await told()).toEqual([])
  await app.advance(366 * 86_400_000)
  const answer = await app.http.send({
    method: 'POST',
    url: unsubscribe.replace(/^https?:\/\/[^/]+/, origin),
    headers: { Origin: 'https://mail.example', 'Sec-Fetch-Site': 'cross-site' },
    body: '',
  })
  expect([answer.status, answer.headers['location'], answer.headers['set-cookie']]).toEqual([200, undefined, undefined])
  expect(await now(letter)).toMatchObject({ unsubscribed_at: expect.any(String) })
})

test('tokens that were changed, or are of something else, do nothing', async () => {
  const { letter, link, unsubscribe, pixel } = await write(tracked)
  await told()
  for (const url of [
    changed(link),
    link.replace('/click/', '/unsubscribe/'),
    unsubscribe.replace('unsubscribe', 'click'),
  ])
    expect((await visit('GET', url)).status).toBe(404)
  for (const url of [changed(unsubscribe), pixel.replace('/open/', '/unsubscribe/')])
    expect((await visit('POST', url, '')).status).toBe(404)
  expect((await visit('GET', changed(pixel))).headers['content-type']).toBe('image/gif')
  for (const path of ['', '/', '/open', '/open/', '/click/x', '/click/%00', '/unsubscribe/..%2f', '/other/x'])
    expect((await visit('GET', `${origin}/email${path}`)).status, path).toBeLessThan(500)
  expect(await told()).toEqual([])
  expect(await now(letter)).toMatchObject({ opens: 0, clicks: 0, unsubscribed_at: null })
})

test('a letter whose person is gone still leads where it should', async () => {
  const { person, link, unsubscribe, pixel } = await write(tracked)
  await api.delete(`/workspaces/acme/objects/person/records/${person.id}`)
  await told()
  expect((await visit('GET', pixel)).status).toBe(200)
  expect((await visit('GET', link)).status).toBe(302)
  expect((await visit('POST', unsubscribe, '')).status).toBe(200)
  expect(await told()).toEqual([])
})

test('a name that looks like an encoded word is not decoded in a subject', async () => {
  const name = '=?utf-8?Q?Boss=21?='
  const person = await letters.person('encoded@example.com', { name: { first_name: name } })
  const subject = 'Dear {{trigger.state.event.object.data.name.first_name}}, grüß dich'
  await letters.write(person, { subject, text: 'Hello.' })
  expect((await simpleParser((await smtp.next()).raw)).subject).toBe(`Dear ${name}, grüß dich`)
})
