import { randomBytes } from 'node:crypto'
import { simpleParser } from 'mailparser'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { attachmentsOf } from '../harness/attachments.ts'
import type { Json } from '../harness/http.ts'
import { lettersOf } from '../harness/letters.ts'
import { mailServer } from '../harness/mail.ts'
import { recordsOf } from '../harness/records.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { chain } from '../harness/workflows.ts'

const smtp = await mailServer()
const app = await startApp({
  mail: { smtpUrl: smtp.url, from: 'Acme <hello@acme.example>' },
  files: { folder: await scratchFolder(), bytesMax: 20 * 1024 * 1024 },
})
const letters = lettersOf(app)
const files = attachmentsOf(app)
const offer = Buffer.concat([Buffer.from('%PDF-1.7\r\n'), randomBytes(300_000)])
const sheet = 'a;b\n1;2\n'

const deal = await recordsOf(app, 'member').create('deal', { name: 'Harbour' })
const attach = (name: string, bytes: string | Buffer) => files.attach('deal', deal.id, name, bytes)
const stepOf = async (run: string): Promise<Json> => (await letters.workflows.runIn(run)).attributes.steps[0]

test('a letter carries attachments of records, byte for byte, and shows them', async () => {
  const attachments = [await attach('Our offer – für Ada.pdf', offer), await attach('figures.csv', sheet)]
  const person = await letters.person('ada@example.com')
  const letter = await letters.write(person, { subject: 'Offer', text: 'As attached.', attachments })
  expect(letter.attachments).toEqual([
    {
      _id: attachments[0],
      name: 'Our offer – für Ada.pdf',
      mime_type: 'application/pdf',
      size_bytes: offer.length,
    },
    { _id: attachments[1], name: 'figures.csv', mime_type: 'text/csv', size_bytes: sheet.length },
  ])
  const mail = await simpleParser((await smtp.next()).raw)
  expect(mail.text).toContain('As attached.')
  expect(mail.attachments.map(({ filename, contentType }) => [filename, contentType])).toEqual([
    ['Our offer – für Ada.pdf', 'application/pdf'],
    ['figures.csv', 'text/csv'],
  ])
  expect(mail.attachments[0]?.content.equals(offer)).toBe(true)
  expect(mail.attachments[1]?.content.toString()).toBe(sheet)
})

test('a letter that the mail server takes only later has the same attachments', async () => {
  const attachments = [await attach('offer.pdf', offer)]
  smtp.full.add('later@example.com')
  const run = await letters.begin(
    await letters.sequence({ subject: 'Offer', text: 'As attached.', attachments }),
    await letters.person('later@example.com'),
  )
  await letters.workflows.runIn(run, 'retrying')
  smtp.full.clear()
  await app.advance(60_000)
  await letters.workflows.runIn(run)
  const mail = await simpleParser((await smtp.next()).raw)
  expect(mail.attachments[0]?.content.equals(offer)).toBe(true)
})

test('one that is deleted before the letter goes out fails it, as do too many bytes', async () => {
  const gone = await attach('gone.pdf', offer)
  const sequence = await letters.sequence({ subject: 'Offer', text: 'Hello.', attachments: [gone] })
  await files.remove('deal', deal.id, gone)
  const person = await letters.person('grace@example.com')
  expect((await stepOf(await letters.begin(sequence, person))).error).toMatchObject({
    code: 'attachment_not_found',
    detail: `There is no attachment ${gone} that the owner of this workflow may read.`,
  })
  const large = await Promise.all(['a.bin', 'b.bin'].map((name) => attach(name, Buffer.alloc(8 * 1024 * 1024, name))))
  const tooMuch = await letters.sequence({ subject: 'Offer', text: 'Hello.', attachments: large })
  expect((await stepOf(await letters.begin(tooMuch, person))).error).toMatchObject({ code: 'attachments_too_large' })
  expect(smtp.waiting).toEqual([])
})

test('a letter carries nothing that the owner of its workflow may not read', async () => {
  const meeting = await recordsOf(app, 'member').create('meeting', { title: 'Between us', visibility: 'private' })
  const secret = await files.attach('meeting', meeting.id, 'secret.pdf', offer)
  const colleague = await app.addMember('member', 'colleague')
  const person = await letters.person('eve@example.com')
  const workflow = await letters.workflows.create(
    {
      name: 'Take it',
      enabled: true,
      ...chain(
        { plugin_id: 'on:manual:execution', input: { object: 'person' } },
        {
          key: 'letter',
          plugin_id: 'svc:send:email',
          input: { to: 'eve@example.com', subject: 'It', text: 'Here.', attachments: [secret] },
        },
      ),
    },
    colleague.as,
  )
  expect((await stepOf(await letters.begin(workflow, person))).error).toMatchObject({ code: 'attachment_not_found' })
  expect(smtp.waiting).toEqual([])
})

test('letters of a campaign carry them, those that are tried too', async () => {
  const attachments = [await attach('figures.csv', sheet)]
  const path = '/workspaces/acme/campaigns'
  const blocks = {
    first: { plugin_id: 'svc:send:email', input: { subject: 'Figures', text: 'Hello.', attachments }, prev: 'trigger' },
  }
  const { body } = await app.api.post(path, { body: { name: 'Spring', blocks } })
  const one = `${path}/${body.data.id}`
  const person = await letters.person('reader@example.com')
  const preview = await app.api.post(`${one}/preview`, { body: { person_id: person.id } })
  expect(preview.body.data.attributes.letters[0].attachments).toEqual(attachments)
  await app.startJobs()
  await app.api.post(`${one}/test-send`, { body: { person_id: person.id } })
  const tried = await simpleParser((await smtp.next()).raw)
  await app.api.post(`${one}/start`, {})
  await app.api.post(`${one}/recipients`, { body: { items: [person.id] } })
  const sent = await simpleParser((await smtp.next()).raw)
  for (const mail of [tried, sent]) expect(mail.attachments[0]?.content.toString()).toBe(sheet)
})
