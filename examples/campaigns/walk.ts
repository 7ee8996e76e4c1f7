/**
 * A campaign of two letters to five hundred made-up readers, through a real mail server. Readers open, follow links,
 * reply, bounce and unsubscribe as mail clients do. Once undisturbed, and once with the server killed (-9) every
 * second: the list of recipients shows exactly that, and a second campaign leaves out who must be left out.
 *
 * DATABASE_URL runs the same on Postgres.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { campaigns, createRestClient, emails, lists, records, type RestClient } from '@kontor/client'
import { startMailServer, type Letter, type MailServer } from '../mail-server.ts'
import { createPersonalKey, kontor, startServer, type Server } from '../shell.ts'
import { inNewFolder } from '../stand.ts'
import { step, tell } from '../tell.ts'
import { react, type Habit } from './readers.ts'

const readersCount = Number(process.env['READERS'] ?? 500)
const kills = 15
const patienceMs = 400_000

/** A tenth of the readers has each habit but the first, which the others have. */
const habits: readonly Habit[] = ['opens', 'clicks', 'replies', 'bounces', 'unsubscribes']
const habitOf = (number: number): Habit => habits[number % 10] ?? 'ignores'

const addressOf = (workspace: string, number: number): string => `reader-${number}@${workspace}.example`
const numberOf = (address: string): number => Number(/^reader-(\d+)@/.exec(address)?.[1])

/** The server that runs now, and when the ones before it were killed. */
type Host = { server: Server; readonly killedAt: number[] }

type Place = {
  readonly workspace: string
  readonly key: string
  readonly inboundPath: string
  readonly people: readonly string[]
  readonly list: string
}

const clientOf = ({ server }: Host, { key }: Pick<Place, 'key'>): RestClient =>
  createRestClient({ url: server.baseUrl, apiKey: key })

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
  rest: { plugin_id: 'general:delay:for', input: { amount: 2, unit: 'minutes' }, prev: 'first', next: 'second' },
  second: letter('Hello again', 'rest', null),
}

async function prepare(host: Host, workspace: string): Promise<Place> {
  const email = `ada@${workspace}.example.com`
  await kontor('workspace', 'create', '--slug', workspace, '--name', workspace, '--admin-email', email)
  const key = await createPersonalKey(workspace, email)
  const rest = clientOf(host, { key })
  const inbound = await rest.call(emails.getInbound, { workspace })
  const made = await rest.call(lists.create, {
    workspace,
    object: 'person',
    body: { title: 'Readers', type: 'static' },
  })
  const list = made.body.data.id
  const data = Array.from({ length: readersCount }, (_, number) => ({
    type: 'person',
    attributes: {
      name: { first_name: `Reader ${number}` },
      email_addresses: { items: [addressOf(workspace, number)] },
    },
  }))
  const created = await rest.call(records.createMany, { workspace, object: 'person', body: { data } })
  assert.ok('data' in created.body)
  const people = created.body.data.map(({ id }) => id)
  const entries = { data: people.map((id) => ({ type: 'person', id })) }
  await rest.call(lists.addRecords, { workspace, object: 'person', list, body: entries })
  const { pathname: inboundPath } = new URL(inbound.body.data.attributes.url)
  return { workspace, key, inboundPath, people, list }
}

/** Lets the readers of a workspace do what they do with the first letter that they get, once each. */
function readMail(host: Host, { workspace, inboundPath }: Place, mailServer: MailServer): Promise<void>[] {
  const done: Promise<void>[] = []
  const seen = new Set<string>()
  const address = () => {
    const { origin } = new URL(host.server.baseUrl)
    return { origin, inbound: `${origin}${inboundPath}` }
  }
  mailServer.onLetter((arrived) => {
    if (!arrived.to.endsWith(`@${workspace}.example`) || seen.has(arrived.to)) return
    seen.add(arrived.to)
    done.push(react(habitOf(numberOf(arrived.to)), arrived, address))
  })
  return done
}

/** What the list of recipients says of a reader. */
const expectedOf = (habit: Habit) => ({
  status: habit === 'bounces' ? 'failed' : habit === 'unsubscribes' ? 'cancelled' : 'success',
  exit_reason: ['replies', 'bounces', 'unsubscribes'].includes(habit)
    ? `on:email:${habit.replace(/ies$/, 'y').replace(/s$/, '')}`
    : null,
  has_opened: habit === 'opens' || habit === 'clicks',
  has_clicked: habit === 'clicks',
  has_replied: habit === 'replies',
  has_unsubscribed: habit === 'unsubscribes',
})

/** Waits until the campaign is over for every reader. */
async function untilOver(rest: RestClient, campaign: { readonly workspace: string; readonly campaignId: string }) {
  for (const started = performance.now(); ; await sleep(1000)) {
    let ended = 0
    for (const status of ['completed', 'failed', 'unsubscribed'] as const) {
      const { body } = await rest.call(campaigns.listRecipients, {
        ...campaign,
        filter: { status },
        page: { limit: 1 },
      })
      ended += body.meta.total_records
    }
    if (ended === readersCount) return
    assert.ok(performance.now() - started < patienceMs, `only ${ended} have come to an end`)
  }
}

async function run(host: Host, workspace: string, mailServer: MailServer, disturb: () => Promise<void>): Promise<void> {
  const place = await prepare(host, workspace)
  const reactions = readMail(host, place, mailServer)
  const before = clientOf(host, place)
  const spring = { name: 'Spring', list_id: place.list, blocks }
  const { body } = await before.call(campaigns.create, { workspace, body: spring })
  const campaign = { workspace, campaignId: body.data.id }
  await before.call(campaigns.start, campaign)
  await disturb()
  const rest = clientOf(host, place)
  await untilOver(rest, campaign)
  await Promise.all(reactions)
  const { data: rows } = (await rest.call(campaigns.listRecipients, campaign)).body
  for (const { attributes } of rows) {
    const { person, status, exit_reason, has_opened, has_clicked, has_replied, has_unsubscribed } = attributes
    const [address = ''] = person.email_addresses.items
    const shown = { status, exit_reason, has_opened, has_clicked, has_replied, has_unsubscribed }
    assert.deepEqual(shown, expectedOf(habitOf(numberOf(address))), address)
  }
  assert.equal(rows.length, readersCount)
  tell(`${rows.length} rows, each as its reader behaved`)
  checkLetters(
    host,
    mailServer.letters.filter(({ to }) => to.endsWith(`@${workspace}.example`)),
  )
  await checkSecond(rest, place)
}

/** A second campaign writes to all readers but the ones without a mailbox and the ones who want no more. */
async function checkSecond(rest: RestClient, { workspace, people }: Place): Promise<void> {
  const summer = { name: 'Summer', blocks: { first: letter('New', 'trigger', null) } }
  const campaignId = (await rest.call(campaigns.create, { workspace, body: summer })).body.data.id
  await rest.call(campaigns.start, { workspace, campaignId })
  const { body } = await rest.call(campaigns.enrol, { workspace, campaignId, body: { items: [...people] } })
  for (const [number, { status }] of body.data.entries()) {
    const isLeftOut = ['bounces', 'unsubscribes'].includes(habitOf(number))
    assert.equal(status, isLeftOut ? 'suppressed' : 'enrolled', addressOf(workspace, number))
  }
  tell(`a second campaign leaves out ${body.data.filter(({ status }) => status === 'suppressed').length}`)
}

/** Each reader has each letter once; a copy has the Message-ID of the first, and a kill between the two. */
function checkLetters({ killedAt }: Host, letters: readonly Letter[]): void {
  const byLetter = Map.groupBy(letters, ({ to, subject }) => `${to} ${subject}`)
  let copies = 0
  for (const [name, [first, ...others]] of byLetter)
    for (const other of others) {
      copies++
      assert.equal(other.messageId, first?.messageId, name)
      assert.ok(
        killedAt.some((at) => at >= (first?.at ?? 0) - 1000 && at <= other.at),
        `${name}: sent twice`,
      )
    }
  const stayed = habits.filter((habit) => ['opens', 'clicks'].includes(habit)).length + 5
  assert.equal(byLetter.size, readersCount + (readersCount / 10) * stayed)
  tell(`${byLetter.size} letters; ${copies} came twice, each around a kill and under the same Message-ID`)
}

/** Kills each server a second after it began to serve; the last one stays. */
async function killEverySecond(host: Host): Promise<void> {
  for (let kill = 0; kill < kills; kill++) {
    await sleep(1000)
    host.killedAt.push(performance.now())
    await host.server.kill()
    host.server = await startServer()
  }
  tell(`killed ${kills} times`)
}

const mailServer = await startMailServer()
const settings = {
  SMTP_URL: mailServer.url,
  MAIL_FROM: 'Acme <hello@acme.example>',
  ENCRYPTION_KEYS: 'a key of at least thirty-two characters',
  AUTH_URL: 'http://127.0.0.1:4000',
}
try {
  await inNewFolder('campaigns', settings, async () => {
    const host: Host = { server: await startServer(), killedAt: [] }
    try {
      step(`${readersCount} readers, undisturbed`)
      await run(host, 'calm', mailServer, async () => undefined)
      step(`${readersCount} readers, while the server is killed every second`)
      await run(host, 'rough', mailServer, () => killEverySecond(host))
    } finally {
      await host.server.stop()
    }
  })
} finally {
  await mailServer.stop()
}
