import { simpleParser } from 'mailparser'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { lettersOf } from '../harness/letters.ts'
import { mailServer } from '../harness/mail.ts'

const smtp = await mailServer()
const app = await startApp({ mail: { smtpUrl: smtp.url, from: 'Acme <hello@acme.example>' } })
const letters = lettersOf(app)
const dayMs = 86_400_000
const listed = async (): Promise<string[]> =>
  (await app.api.get('/workspaces/acme/emails')).body.data.map(
    ({ attributes }: { attributes: { subject: string } }) => attributes.subject,
  )
const keepFor = (value: number) =>
  app.api.post('/workspaces/acme/settings', { body: { key: 'email_retention_days', value } })

test('letters are deleted once they are older than the workspace wants, and not before', async () => {
  const person = await letters.person('ada@example.com')
  await letters.write(person, { subject: 'Old', text: 'Hello.' })
  await app.advance(40 * dayMs)
  await letters.write(person, { subject: 'New', text: 'Hello.' })
  expect(await listed()).toEqual(['New', 'Old'])
  await keepFor(41)
  await app.advance(3_600_000)
  await letters.write(person, { subject: 'Newest', text: 'Hello.' })
  expect(await listed()).toEqual(['Newest', 'New', 'Old'])
  await keepFor(31)
  await app.advance(3_600_000)
  await expect.poll(listed).toEqual(['Newest', 'New'])
})

test('letters to a person go with the person', async () => {
  const person = await letters.person('grace@example.com')
  const letter = await letters.write(person, { subject: 'Private', text: 'Hello.' })
  await letters.records.remove('person', [person.id])
  await app.advance(31 * dayMs)
  await app.purge()
  expect(await app.remains(person.id)).toEqual({})
  expect((await app.api.get(`/workspaces/acme/emails/${letter._id}`)).status).toBe(404)
})

test('who unsubscribes by a letter that is gone gets no more letters either', async () => {
  const sequence = await letters.sequence({ subject: 'News', text: 'Hello.' })
  const person = await letters.person('leaving@example.com')
  smtp.waiting.length = 0
  await letters.workflows.runIn(await letters.begin(sequence, person))
  const { text } = await simpleParser((await smtp.next()).raw)
  const [url = ''] = /https?:\S*\/email\/unsubscribe\/\S+/.exec(text ?? '') ?? []
  await letters.records.remove('person', [person.id])
  await app.advance(31 * dayMs)
  await app.purge()
  const { status } = await app.http.send({ method: 'POST', url: url.replace(/^https?:\/\/[^/]+/, app.origin) })
  expect(status).toBe(200)
  const { body } = await app.api.get('/workspaces/acme/suppressions?filter[address]=leaving@example.com')
  expect(body.data).toMatchObject([{ attributes: { reason: 'unsubscribed', address: 'leaving@example.com' } }])
  const again = await letters.write(await letters.person('leaving@example.com'), { subject: 'News', text: 'Hello.' })
  expect(again.state).toBe('suppressed')
})
