import { simpleParser } from 'mailparser'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { answerTo, deliveryReport, inboundOf, type Held } from '../harness/inbound-mail.ts'
import { lettersOf } from '../harness/letters.ts'
import { mailServer } from '../harness/mail.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const smtp = await mailServer()
const app = await startApp({
  mail: { smtpUrl: smtp.url, from: 'Acme <hello@acme.example>' },
  mailReplyTo: 'replies@in.acme.example',
})
const { api } = app
const workflows = workflowsOf(app)
const { records, letter } = lettersOf(app)
const take = await inboundOf(app)

let serial = 0

/** Begins to write one letter to several people of their own; what came of its step. */
async function begin(...names: readonly string[]) {
  const own = ++serial
  const to = names.map((name) => `${name}-${own}@example.com`)
  const workflow = await workflows.create({
    name: 'Write',
    enabled: true,
    ...chain(
      { plugin_id: 'on:manual:execution', input: { object: 'deal' } },
      { key: 'letter', plugin_id: 'svc:send:email', input: { to, subject: 'Offer', text: 'Hello.' } },
    ),
  })
  await app.startJobs()
  const deal = await records.create('deal', { name: `Deal ${own}` })
  const { body } = await api.post(`${workflows.path}/${workflow.id}/runs`, {
    body: { object: 'deal', record_id: deal.id },
  })
  const stepIn = async (...states: string[]): Promise<Json> =>
    (await workflows.runIn(body.data.id, ...states)).attributes.steps[0]
  return { to, stepIn }
}

type Copy = Held & { readonly replyTo: string; readonly shown: string }

async function nextCopy(): Promise<Copy> {
  const { raw, to, from } = await smtp.next()
  const mail = await simpleParser(raw)
  expect(mail.replyTo?.text).toBe(from)
  return { to: to.join(), messageId: mail.messageId ?? '', replyTo: from, shown: [mail.to ?? []].flat()[0]?.text ?? '' }
}

/** Writes to Ada, Grace and Mary; the copies that they get. */
async function write() {
  const { to, stepIn } = await begin('ada', 'grace', 'mary')
  const copies = [await nextCopy(), await nextCopy(), await nextCopy()] as const
  const { output } = await stepIn()
  return { to, copies, id: output.email_id as string, messageId: output.message_id as string }
}

const suppressed = async (to: readonly string[]): Promise<string[]> => {
  const { body } = await api.get('/workspaces/acme/suppressions?page[limit]=100')
  const all: string[] = body.data.map(({ attributes }: Json) => attributes.address)
  return to.filter((address) => all.includes(address))
}

const complaint = ({ messageId }: Pick<Held, 'messageId'>, named = '') =>
  'From: abuse@provider.example\r\nContent-Type: multipart/report; report-type=feedback-report; boundary=b\r\n\r\n' +
  `--b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\n${named}\r\n` +
  `--b\r\nContent-Type: message/rfc822\r\n\r\nMessage-ID: ${messageId}\r\n\r\nHello\r\n--b--\r\n`

test('each of several recipients gets a copy with a Message-ID and an address for replies of its own', async () => {
  const { to, copies, messageId } = await write()
  expect(copies.map((copy) => copy.to)).toEqual(to)
  expect(new Set(copies.map(({ shown }) => shown))).toEqual(new Set([to.join(', ')]))
  expect(new Set([...copies.map((copy) => copy.messageId), messageId]).size).toBe(4)
  expect(new Set(copies.map(({ replyTo }) => replyTo)).size).toBe(3)
})

test('a complaint about one copy unsubscribes its reader only, and one about the letter whom it names', async () => {
  const first = await write()
  await take(complaint(first.copies[1]))
  expect(await suppressed(first.to)).toEqual([first.to[1]])
  expect((await letter(first.id)).unsubscribed_at).not.toBeNull()
  const second = await write()
  await take(complaint(second))
  expect(await suppressed(second.to)).toEqual([])
  await take(complaint(second, `Original-Rcpt-To: rfc822;${second.to[2]?.toUpperCase()}\r\n`))
  expect(await suppressed(second.to)).toEqual([second.to[2]])
})

test('a recipient can report no other as unreachable, or as one who complains', async () => {
  const { to, copies, id } = await write()
  const [mine] = copies
  const [, grace = ''] = to
  const guessed = `<${id}@acme.example>`
  const forged = mine.messageId.replace(/\..*@/, (token) => [...token].toReversed().join('').replace('@.', '.') + '@')
  for (const messageId of [mine.messageId, guessed, forged]) {
    await take(deliveryReport({ to: grace, messageId }, '5.1.1'))
    await take(complaint({ messageId }, `Original-Rcpt-To: ${grace}\r\n`))
  }
  expect(await suppressed([grace])).toEqual([])
})

test('a report of a copy, by its Message-ID or its address, bounces that recipient only', async () => {
  const { to, copies, id, messageId } = await write()
  await take(deliveryReport(copies[0], '5.1.1'))
  expect(await suppressed(to)).toEqual([to[0]])
  const byAddress = deliveryReport({ to: 'forwarded@elsewhere.example', messageId: '<x@y>' }, '5.1.1')
  await take(byAddress.replace('To: hello@acme.example', `To: ${copies[1].replyTo}`))
  expect(await suppressed(to)).toEqual(to.slice(0, 2))
  await take(deliveryReport({ to: to[2] ?? '', messageId }, '5.1.1'))
  expect(await suppressed(to)).toEqual(to)
  expect(await letter(id)).toMatchObject({ bounce: 'hard', to })
})

test('an answer to any copy is one to the letter', async () => {
  const { copies, id } = await write()
  const answer = await take(answerTo(copies[2]))
  expect(answer.body.taken_as).toBe('reply')
  expect((await letter(id)).replied_at).not.toBeNull()
})

test('who is refused holds up no other, and who is tried again is the only one', async () => {
  smtp.unknown.add(`nobody-${serial + 1}@example.com`)
  const full = `full-${serial + 1}@example.com`
  smtp.full.add(full)
  const { to, stepIn } = await begin('ada', 'nobody', 'full', 'mary')
  expect([(await nextCopy()).to, (await nextCopy()).to]).toEqual([to[0], to[3]])
  const { error } = await stepIn('retrying')
  expect(error).toMatchObject({ code: 'mail_deferred' })
  smtp.full.delete(full)
  await app.advance(3_600_000)
  expect((await nextCopy()).to).toBe(full)
  const { output } = await stepIn()
  expect(output).toMatchObject({ state: 'sent', rejected: [to[1]] })
  expect(await suppressed(to)).toEqual([to[1]])
  expect(smtp.waiting).toEqual([])
})
