/**
 * A campaign of two letters to fifty made-up readers, through a real mail server. Readers open, follow links, reply,
 * bounce and unsubscribe as mail clients and mail servers do; the list of recipients shows exactly that, by every
 * filter and at every stage, and a second campaign leaves out who must be left out. READERS makes more of them.
 *
 * DATABASE_URL runs the same on Postgres.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { campaigns, createRestClient, emails, lists, records, workflows, type RestClient } from '@kontor/client'
import { startMailServer, type Letter, type MailServer } from '../mail-server.ts'
import { createPersonalKey, kontor, type Server } from '../shell.ts'
import { inNewFolder, withServer } from '../stand.ts'
import { step, tell } from '../tell.ts'
import { expectedOf, filters, habitOf, type Filter, type Stage } from './expected.ts'
import { react } from './readers.ts'

const readersCount = Number(process.env['READERS'] ?? 50)
const patienceMs = 120_000
const workspace = 'readers'

const addressOf = (number: number): string => `reader-${number}@letters.example`
const numberOf = (address: string): number => Number(/^reader-(\d+)@/.exec(address)?.[1])
const numbers = Array.from({ length: readersCount }, (_, number) => number)

type Place = {
  readonly rest: RestClient
  readonly address: Parameters<typeof react>[2]
  readonly people: readonly string[]
  readonly list: string
}

type Campaign = { readonly workspace: string; readonly campaignId: string }

const letter = (subject: string, prev: string, next: string | null) => ({
  plugin_id: 'svc:send:email',
  prev,
  next,
  input: {
    subject,
    track_opens: true,
    track_clicks: true,
    message: [
      {
        type: 'paragraph',
        content: [
          { type: 'text', text: 'Dear {{trigger.state.event.object.data.name.first_name}}, ' },
          { type: 'link', href: 'https://offer.example/', content: [{ type: 'text', text: 'our offer' }] },
        ],
      },
    ],
  },
})

const blocks = {
  first: letter('Hello', 'trigger', 'rest'),
  rest: { plugin_id: 'general:delay:for', input: { amount: 3, unit: 'days' }, prev: 'first', next: 'second' },
  second: letter('Hello again', 'rest', null),
}

async function prepare({ baseUrl }: Server): Promise<Place> {
  const email = 'ada@acme.example'
  await kontor('workspace', 'create', '--slug', workspace, '--name', workspace, '--admin-email', email)
  const rest = createRestClient({ url: baseUrl, apiKey: await createPersonalKey(workspace, email) })
  const { url } = (await rest.call(emails.getInbound, { workspace })).body.data.attributes
  const made = await rest.call(lists.create, {
    workspace,
    object: 'person',
    body: { title: 'Readers', type: 'static' },
  })
  const list = made.body.data.id
  const data = numbers.map((number) => ({
    type: 'person',
    attributes: { name: { first_name: `Reader ${number}` }, email_addresses: { items: [addressOf(number)] } },
  }))
  const created = await rest.call(records.createMany, { workspace, object: 'person', body: { data } })
  assert.ok('data' in created.body)
  const people = created.body.data.map(({ id }) => id)
  const entries = { data: people.map((id) => ({ type: 'person', id })) }
  await rest.call(lists.addRecords, { workspace, object: 'person', list, body: entries })
  const { origin } = new URL(baseUrl)
  return { rest, people, list, address: { origin, inbound: `${origin}${new URL(url).pathname}` } }
}

/** Lets each reader do what they do with the first letter that they get. */
function readMail({ address }: Place, mailServer: MailServer): { readonly done: readonly Promise<void>[] } {
  const done: Promise<void>[] = []
  mailServer.onLetter((arrived) => {
    if (arrived.subject === 'Hello') done.push(react(habitOf(numberOf(arrived.to)), arrived, address))
  })
  return { done }
}

/** Waits until something is so. */
async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const started = performance.now(); !(await holds()); await sleep(500))
    assert.ok(performance.now() - started < patienceMs, `waited in vain: ${what}`)
}

const nameOf = ({ status, event, q }: Filter): string =>
  [status, event?.join('/'), q === undefined ? undefined : `"${q}"`].filter(Boolean).join(' and ') || 'all'

/** The runs of the recipients that a filter finds. */
async function runsOf(rest: RestClient, campaign: Campaign, filter: Filter): Promise<string[]> {
  const found: string[] = []
  for await (const { data } of rest.pages(campaigns.listRecipients, { ...campaign, filter }))
    found.push(...data.map(({ id }) => id))
  return found
}

/** Compares the list of recipients with what readers have done, by every filter. */
async function compare(rest: RestClient, campaign: Campaign, stage: Stage): Promise<void> {
  const readers = numbers.map((number) => ({
    number,
    texts: [`Reader ${number}`, addressOf(number)],
    ...expectedOf(habitOf(number), stage),
  }))
  const found: string[] = []
  for (const { filter, holds } of filters) {
    const rows: { number: number; shown: unknown }[] = []
    for await (const { data, meta } of rest.pages(campaigns.listRecipients, {
      ...campaign,
      filter,
      page: { limit: 20 },
    })) {
      assert.equal(meta.total_unfiltered, readersCount)
      for (const { attributes } of data) {
        const { person, status, exit_reason, has_opened, has_clicked, has_replied, has_unsubscribed } = attributes
        const shown = { status, exit_reason, has_opened, has_clicked, has_replied, has_unsubscribed }
        rows.push({ number: numberOf(person.email_addresses.items[0] ?? ''), shown })
      }
    }
    const expected = readers.filter(holds).map(({ number, shown }) => ({ number, shown }))
    assert.deepEqual(
      rows.toSorted((a, b) => a.number - b.number),
      expected,
      JSON.stringify(filter),
    )
    found.push(`${nameOf(filter)} ${rows.length}`)
  }
  tell(found.join(', '))
}

/** The campaign from its start to its end. */
async function run(place: Place, mailServer: MailServer): Promise<void> {
  const { rest, list } = place
  const reading = readMail(place, mailServer)
  const { body } = await rest.call(campaigns.create, { workspace, body: { name: 'Spring', list_id: list, blocks } })
  const campaign = { workspace, campaignId: body.data.id }

  step(`A letter to each of ${readersCount} readers, who do what readers do`)
  await rest.call(campaigns.start, campaign)
  await until('the letters come', async () => reading.done.length === readersCount)
  await until('all who are in it rest', async () => {
    const rows = (await rest.call(campaigns.listRecipients, { ...campaign, filter: { status: 'scheduled' } })).body
    return rows.data.every(({ attributes: { status } }) => status === 'waiting')
  })
  await Promise.all(reading.done)
  step('What they did, by every filter, while it runs and while it is paused')
  await compare(rest, campaign, 'running')
  await rest.call(campaigns.pause, campaign)
  await compare(rest, campaign, 'paused')
  await rest.call(campaigns.resume, campaign)

  step('The second letter, to those who are still in it')
  // Nobody waits for three days here: each run is let go on by hand.
  for (const id of await runsOf(rest, campaign, { status: 'scheduled' }))
    await rest.call(workflows.resumeRun, { workspace, id })
  await until('it is over', async () => (await runsOf(rest, campaign, { status: 'scheduled' })).length === 0)
  await compare(rest, campaign, 'over')
  checkLetters(mailServer.letters)
}

/** Each reader has the first letter once, and the second unless they ended the campaign. */
function checkLetters(letters: readonly Letter[]): void {
  const names = letters.map(({ to, subject }) => `${to} ${subject}`).toSorted()
  const stayed = numbers.filter((number) => ['ignores', 'opens', 'clicks'].includes(habitOf(number)))
  const expected = [
    ...numbers.map((number) => `${addressOf(number)} Hello`),
    ...stayed.map((number) => `${addressOf(number)} Hello again`),
  ]
  assert.deepEqual(names, expected.toSorted())
  tell(`${names.length} letters, each once`)
}

/** A second campaign writes to all readers but the ones without a mailbox and the ones who want no more. */
async function checkSecond({ rest, people }: Place): Promise<void> {
  const summer = { name: 'Summer', blocks: { first: letter('New', 'trigger', null) } }
  const campaignId = (await rest.call(campaigns.create, { workspace, body: summer })).body.data.id
  await rest.call(campaigns.start, { workspace, campaignId })
  const { body } = await rest.call(campaigns.enrol, { workspace, campaignId, body: { items: [...people] } })
  for (const [number, { status }] of body.data.entries()) {
    const isLeftOut = ['bounces', 'unsubscribes'].includes(habitOf(number))
    assert.equal(status, isLeftOut ? 'suppressed' : 'enrolled', addressOf(number))
  }
  tell(`it leaves out ${body.data.filter(({ status }) => status === 'suppressed').length}`)
}

const mailServer = await startMailServer()
const settings = {
  SMTP_URL: mailServer.url,
  MAIL_FROM: 'Acme <hello@acme.example>',
  ENCRYPTION_KEYS: 'a key of at least thirty-two characters',
  AUTH_URL: 'http://127.0.0.1:4000',
}
try {
  await inNewFolder('campaigns', settings, () =>
    withServer(async (server) => {
      const place = await prepare(server)
      await run(place, mailServer)
      step('A second campaign to all of them')
      await checkSecond(place)
    }),
  )
} finally {
  await mailServer.stop()
}
