import { simpleParser } from 'mailparser'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { lettersOf } from '../harness/letters.ts'
import { mailServer } from '../harness/mail.ts'

const smtp = await mailServer()
const app = await startApp({
  mail: { smtpUrl: smtp.url, from: 'Acme <hello@acme.example>' },
  mailReplyTo: 'replies@in.acme.example',
})
const { api } = app
const letters = lettersOf(app)
const { url } = (await api.get('/workspaces/acme/emails/inbound')).body.data.attributes
const inbound = url.replace(/^https?:\/\/[^/]+/, new URL(app.baseUrl).origin)

let serial = 0

async function write() {
  const address = `ada-${++serial}@example.com`
  const person = await letters.person(address)
  const letter = await letters.write(person, { subject: 'Offer', text: 'Hello' })
  const received = await smtp.next()
  await app.events()
  return { address, person, letter, received }
}

const post = (body: string | Buffer, type = 'message/rfc822') =>
  app.http.send({ method: 'POST', url: inbound, headers: { 'Content-Type': type }, body })

const message = (headers: Readonly<Record<string, string>>, text = 'Yes, please.') =>
  `${Object.entries({ To: 'hello@acme.example', Subject: 'Re: Offer', ...headers })
    .map(([name, value]) => `${name}: ${value}`)
    .join('\r\n')}\r\n\r\n${text}\r\n`

const report = (letter: Json, recipient: string, status: string) =>
  message(
    {
      From: 'MAILER-DAEMON@mx.example',
      'MIME-Version': '1.0',
      'Content-Type': 'multipart/report; report-type=delivery-status; boundary="b"',
    },
    `--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx\r\n\r\n` +
      `Final-Recipient: rfc822; ${recipient}\r\nAction: failed\r\nStatus: ${status}\r\n\r\n` +
      `--b\r\nContent-Type: message/rfc822\r\n\r\nMessage-ID: ${letter.message_id}\r\n\r\nHello\r\n--b--`,
  )

const takenAs = async (body: string, type?: string) => {
  const answer = await post(body, type)
  expect([answer.status, answer.body?.errors]).toEqual([200, undefined])
  return answer.body.taken_as
}

const told = async () => (await app.events()).map(({ type, record_id, payload }) => [type, record_id, payload.bounce])
const now = ({ _id: id }: Json) => letters.letter(id)

test('an answer is noted once for the log, and each time with the letter', async () => {
  const { address, person, letter } = await write()
  const answer = message({ From: address, 'In-Reply-To': letter.message_id })
  expect(await takenAs(answer)).toBe('reply')
  expect(await told()).toEqual([['email.replied', person.id, undefined]])
  expect(await takenAs(answer)).toBe('reply')
  expect(await told()).toEqual([])
  expect(await now(letter)).toMatchObject({ replied_at: expect.any(String), bounce: null })
})

test('takes a message in JSON too, as it is or encoded', async () => {
  const { address, letter } = await write()
  const raw = message({ From: address, References: `<x@y> ${letter.message_id}` })
  expect(await takenAs(JSON.stringify({ raw }), 'application/json')).toBe('reply')
  expect(
    await takenAs(
      JSON.stringify({ raw_base64: Buffer.from(raw).toString('base64') }),
      'application/json; charset=utf-8',
    ),
  ).toBe('reply')
})

test('a letter says where it is answered to, and that address says which letter it is', async () => {
  const { letter, received } = await write()
  const replyTo = (await simpleParser(received.raw)).replyTo?.text ?? ''
  expect(replyTo).toMatch(/^replies\+[a-z2-7]{52}@in\.acme\.example$/)
  expect(received.from).toBe(replyTo)
  expect(await takenAs(message({ From: 'somebody@else.example', To: replyTo }))).toBe('reply')
  expect((await now(letter)).replied_at).not.toBeNull()
})

test('a message that names no letter is the answer to none, whatever sender it names', async () => {
  const { address, letter } = await write()
  expect(await takenAs(message({ From: `Ada <${address}>` }))).toBe('unknown')
  expect(await takenAs(message({ From: address, 'In-Reply-To': '<other@b.example>' }))).toBe('unknown')
  expect(await now(letter)).toMatchObject({ replied_at: null })
})

test('nothing automatic is an answer, nor a letter of ours that has come back', async () => {
  const { address, letter } = await write()
  const ids = { 'In-Reply-To': letter.message_id }
  expect(await takenAs(message({ From: address, ...ids, 'Auto-Submitted': 'auto-replied' }))).toBe('ignored')
  expect(await takenAs(message({ From: 'hello@acme.example', ...ids }))).toBe('ignored')
  expect((await now(letter)).replied_at).toBeNull()
})

test('no letter goes again to an address from which a letter came back for good', async () => {
  const { address, person, letter } = await write()
  expect(await takenAs(report(letter, address, '5.1.1'))).toBe('bounce')
  expect(await takenAs(report(letter, address, '5.1.1'))).toBe('bounce')
  expect(await told()).toEqual([['email.bounced', person.id, 'hard']])
  expect(await now(letter)).toMatchObject({ bounce: 'hard', bounced_at: expect.any(String), error: '5.1.1' })
  const { body } = await api.get(`/workspaces/acme/suppressions?filter[address]=${address}`)
  expect(body.data).toMatchObject([{ attributes: { reason: 'bounced', email_id: letter._id } }])
  expect(await letters.write(person, { subject: 'B', text: 'C' })).toMatchObject({ state: 'suppressed' })
})

test('takes a report and an answer with characters that no database stores', async () => {
  const { address, letter } = await write()
  const delayed = report(letter, address, '4.4.7').replace('Status:', 'Diagnostic-Code: smtp; 451 \0 later\r\nStatus:')
  expect(await takenAs(delayed)).toBe('bounce')
  expect((await now(letter)).error).toBe('smtp; 451 \uFFFD later')
  expect(await takenAs(message({ From: 'a\0b@example.com' }))).toBe('unknown')
})

test('what comes back for now is noted, and letters go on', async () => {
  const { address, person, letter } = await write()
  await takenAs(report(letter, address, '4.4.7'))
  expect(await told()).toEqual([['email.bounced', person.id, 'soft']])
  expect(await letters.write(person, { subject: 'B', text: 'C' })).toMatchObject({ state: 'sent' })
  await smtp.next()
})

test('a report of another recipient suppresses no one else', async () => {
  const { address, letter } = await write()
  await takenAs(report(letter, 'else@example.com', '5.1.1'))
  const { body } = await api.get(`/workspaces/acme/suppressions?filter[address]=else@example.com`)
  expect(body.data).toEqual([])
  expect((await now(letter)).to).toEqual([address])
})

test('letters of another workspace are not found', async () => {
  const { letter } = await write()
  const { body } = await api.get('/workspaces/other/emails/inbound', { as: 'stranger' })
  const other = body.data?.attributes.url.replace(/^https?:\/\/[^/]+/, new URL(app.baseUrl).origin)
  expect(other).not.toBe(inbound)
  const { body: taken } = await app.http.send({
    method: 'POST',
    url: other,
    headers: { 'Content-Type': 'message/rfc822' },
    body: message({ From: 'a@b.example', 'In-Reply-To': letter.message_id }),
  })
  expect(taken.taken_as).toBe('unknown')
})

test.each([
  ['', 'message/rfc822', 422],
  ['{', 'application/json', 400],
  ['{}', 'application/json', 422],
  ['{"raw":5}', 'application/json', 422],
])('refuses %j as %s with %i', async (body, type, status) => {
  expect((await post(body, type)).status).toBe(status)
})

test('refuses what is too large, and takes broken messages for what they are', async () => {
  expect((await post(Buffer.alloc(17 * 1024 * 1024, 'a'))).status).toBe(413)
  expect(await takenAs('\0\0\r\n--b\r\nContent-Type: multipart/report\r\n\r\n')).toBe('ignored')
})

test('takes nothing at an address that was changed', async () => {
  const changed = inbound.replace(/.$/, (last: string) => (last === 'A' ? 'B' : 'A'))
  for (const wrong of [changed, `${inbound}x`, inbound.slice(0, -4)]) {
    const { status } = await app.http.send({ method: 'POST', url: wrong, body: message({}) })
    expect(status).toBe(404)
  }
  expect((await app.http.send({ method: 'GET', url: inbound })).status).toBe(404)
})

/** Sends a message to an address that was answered; the status. */
const sendTo = async ({ body }: Json) => {
  const at = body.data.attributes.url.replace(/^https?:\/\/[^/]+/, new URL(app.baseUrl).origin)
  const headers = { 'Content-Type': 'message/rfc822' }
  return (await app.http.send({ method: 'POST', url: at, headers, body: message({ From: 'a@b.example' }) })).status
}

test('an address that has been replaced takes nothing any more', async () => {
  const place = '/workspaces/other/emails/inbound'
  const before = await api.get(place, { as: 'stranger' })
  expect(await sendTo(before)).toBe(200)
  const rotated = await api.post(`${place}/rotate`, { as: 'stranger' })
  expect(await sendTo(rotated)).toBe(200)
  expect((await api.get(place, { as: 'stranger' })).body).toEqual(rotated.body)
  expect(await sendTo(before)).toBe(404)
  const again = await api.post(`${place}/rotate`, { as: 'stranger' })
  expect([await sendTo(rotated), await sendTo(again)]).toEqual([404, 200])
  expect((await api.post('/workspaces/acme/emails/inbound/rotate', { as: 'member' })).status).toBe(403)
})
