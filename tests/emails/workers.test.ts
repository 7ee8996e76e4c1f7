import type { Socket } from 'node:net'
import { simpleParser } from 'mailparser'
import { SMTPServer } from 'smtp-server'
import { expect, test } from 'vitest'
import { atEnd } from '../harness/at-end.ts'
import { startApp } from '../harness/app.ts'
import { holdRecord } from '../harness/held-record.ts'
import { lettersOf, scansMs, urlsIn } from '../harness/letters.ts'
import { until } from '../harness/until.ts'

type Verdict = { readonly code: number; readonly text: string } | undefined

/** A mail server that says of each letter what it is told to, when it is told to. */
async function askedServer() {
  const waiting: { readonly raw: Buffer; readonly answer: (verdict: Verdict) => void; readonly close: () => void }[] =
    []
  const sockets = new Set<Socket>()
  /** Breaks the connection of a session off. */
  const closing = new Map<string, () => void>()
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onConnect(session, done) {
      const socket = [...sockets].find(({ remotePort }) => remotePort === session.remotePort)
      closing.set(session.id, () => socket?.destroy())
      done()
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      const answer = (verdict: Verdict) =>
        done(verdict && Object.assign(new Error(verdict.text), { responseCode: verdict.code }))
      stream.on(
        'end',
        () => void waiting.push({ raw: Buffer.concat(chunks), answer, close: () => closing.get(session.id)?.() }),
      )
    },
  })
  server.server.on('connection', (socket) => sockets.add(socket))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  atEnd(() => new Promise<void>((resolve) => server.close(resolve)))
  const { port } = server.server.address() as { port: number }
  const next = () => until(() => waiting.shift())
  return { url: `smtp://127.0.0.1:${port}`, waiting, next }
}

const smtp = await askedServer()
const app = await startApp({ mail: { smtpUrl: smtp.url, from: 'Acme <hello@acme.example>' } })
const { person, letter } = lettersOf(app)
const workspaceId = await app.workspaceId('acme')

const requestTo = async (address: string, key: string) => ({
  workspaceId,
  key,
  actor: { kind: 'workspace-key' as const, keyId: app.userIds.admin, workspaceId, scopes: [] },
  run: null,
  personId: (await person(address)).id,
  inSequence: true,
  recipients: [address],
  letter: { subject: 'Offer', text: 'Hello.', html: '<p>Hello.</p>' },
  files: [],
  tracksOpens: true,
  tracksClicks: false,
})

test('a worker that was taken for dead changes nothing of a letter that another has sent', async () => {
  const request = await requestTo('ada@example.com', 'one')
  const late = app.emails.send(request).catch((error: unknown) => error)
  const first = await smtp.next()
  // It is written down before the mail server has said anything.
  const { messageId = '' } = await simpleParser(first.raw)
  const written = await letter(/<([^@]*)@/.exec(messageId)?.[1] ?? '')
  expect(written).toMatchObject({ state: 'sending', to: ['ada@example.com'], message_id: messageId, sent_at: null })
  const sent = app.emails.send(request)
  const second = await smtp.next()
  second.answer(undefined)
  const emailId: string = written._id
  expect(await sent).toMatchObject({ state: 'sent', emailId })
  expect(await letter(emailId)).toMatchObject({ state: 'sent', bounce: null })
  first.answer({ code: 550, text: '5.7.1 Not twice' })
  await late
  expect(await letter(emailId)).toMatchObject({ state: 'sent', bounce: null, error: null })
  expect((await app.events()).filter(({ type }) => type === 'email.sent')).toHaveLength(1)
})

test.each(['an answer', 'a visit a minute later'])(
  '%s shows that a letter has arrived, and it is not sent again',
  async (what) => {
    const request = await requestTo(`${what.replaceAll(' ', '-')}@example.com`, what)
    const lost = app.emails.send(request).catch((error: unknown) => error)
    const { raw, close } = await smtp.next()
    close()
    await lost
    const { messageId, html } = await simpleParser(raw)
    const id = /<([^@]*)@/.exec(messageId ?? '')?.[1] ?? ''
    expect(await letter(id)).toMatchObject({ state: 'sending', sent_at: null, error: expect.any(String) })
    if (what === 'an answer') {
      const { url } = (await app.api.get('/workspaces/acme/emails/inbound')).body.data.attributes
      await app.http.send({
        method: 'POST',
        url: url.replace(/^https?:\/\/[^/]+/, app.origin),
        headers: { 'Content-Type': 'message/rfc822' },
        body: `From: a@example.com\r\nSubject: Re\r\nIn-Reply-To: ${messageId}\r\n\r\nYes.\r\n`,
      })
    } else {
      await app.advance(60_000)
      const pixel = urlsIn(String(html)).find((url) => url.includes('/open/')) ?? ''
      await app.http.send({ method: 'GET', url: pixel.replace(/^https?:\/\/[^/]+/, app.origin) })
    }
    expect(await letter(id)).toMatchObject({ state: 'sent', sent_at: expect.any(String), error: null })
    await app.events()
    expect(await app.emails.send(request)).toMatchObject({ state: 'sent', emailId: id })
    expect(smtp.waiting).toEqual([])
    expect(await app.events()).toEqual([])
  },
)

test('a letter that is sent again keeps what its reader has done with it', async () => {
  const request = await requestTo('grace@example.com', 'two')
  const lost = app.emails.send(request).catch((error: unknown) => error)
  const first = await smtp.next()
  const { html } = await simpleParser(first.raw)
  const pixel = urlsIn(String(html)).find((url) => url.includes('/open/')) ?? ''
  await app.advance(scansMs)
  await app.http.send({ method: 'GET', url: pixel.replace(/^https?:\/\/[^/]+/, app.origin) })
  first.answer({ code: 451, text: '4.3.0 Later' })
  await lost
  const sent = app.emails.send(request)
  ;(await smtp.next()).answer(undefined)
  await sent
  const id = /^Message-ID: <([^@]*)@/im.exec(first.raw.toString())?.[1] ?? ''
  expect(await letter(id)).toMatchObject({ state: 'sent', opens: 1, opened_at: expect.any(String) })
})

test('letters in flight are those whose acceptance is not stored: a server that dies leaves ten in doubt', async () => {
  const one = await requestTo('many@example.com', 'many')
  const requests = Array.from({ length: 12 }, (_, index) => ({ ...one, key: `many ${index}` }))
  const sent = requests.map((request) => app.emails.send(request))
  const first = await until(() => smtp.waiting.length === 10 && smtp.waiting.splice(0))
  // No acceptance can be stored while another holds their person.
  const release = await holdRecord(app.databaseUrl, one.personId)
  for (const { answer } of first) answer(undefined)
  // The next letters would go out over the same connections at once, and be there before these are read.
  for (const { raw } of first) await letter(/Message-ID: <([^@]*)@/i.exec(raw.toString())?.[1] ?? '')
  expect(smtp.waiting).toEqual([])
  await release()
  for (let rest = 0; rest < 2; rest++) (await smtp.next()).answer(undefined)
  expect((await Promise.all(sent)).map(({ state }) => state)).toEqual(requests.map(() => 'sent'))
})

test('a paused campaign writes no more e-mails: those that wait for their turn stay unwritten', async () => {
  const people = await Promise.all(Array.from({ length: 12 }, (_, index) => person(`paused-${index}@example.com`)))
  const blocks = { send: { plugin_id: 'svc:send:email', input: { subject: 'Hello', text: 'Hello.' } } }
  const { body } = await app.api.post('/workspaces/acme/campaigns', { body: { name: 'Spring', blocks } })
  const one = `/workspaces/acme/campaigns/${body.data.id}`
  const written = async () => (await app.api.get(`/workspaces/acme/emails?filter[workflow]=${body.data.id}`)).body.meta
  await app.api.post(`${one}/start`, {})
  await app.api.post(`${one}/recipients`, { body: { items: people.map(({ id }) => id) } })
  await app.startJobs()
  const first = await until(() => smtp.waiting.length === 10 && smtp.waiting.splice(0))
  expect((await app.api.post(`${one}/pause`, {})).status).toBe(200)
  for (const { answer } of first) answer(undefined)
  await until(async () => {
    const { attributes } = (await app.api.get(`${one}/progress`)).body.data
    return attributes.sent === 10 && attributes.pending === 2
  })
  await app.quiet()
  expect([(await written()).total_records, smtp.waiting]).toEqual([10, []])
  await app.api.post(`${one}/resume`, {})
  for (let rest = 0; rest < 2; rest++) (await smtp.next()).answer(undefined)
  await until(async () => (await app.api.get(`${one}/progress`)).body.data.attributes.sent === 12)
})
