import { setTimeout as sleep } from 'node:timers/promises'
import { simpleParser } from 'mailparser'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Answer, Json } from '../harness/http.ts'
import { inboundOf } from '../harness/inbound-mail.ts'
import { scansMs, urlsIn } from '../harness/letters.ts'
import { say } from '../harness/long-run.ts'
import { mailServer } from '../harness/mail.ts'
import { recordsOf } from '../harness/records.ts'
import { startServer } from '../harness/server-process.ts'
import { until } from '../harness/until.ts'
import {
  expectedOf,
  habits,
  isLeftOut,
  lettersOf,
  react,
  read,
  type Habit,
  type Letter,
  type Line,
  type Outcome,
} from './readers.ts'

/**
 * A campaign of two letters through a real mail server, by a server of its own. Its readers do what readers, mail
 * clients and mail servers do, and this app, which runs no jobs, looks on.
 */

const key = 'a key of at least thirty-two characters'
const from = 'Acme <hello@acme.example>'
const path = '/workspaces/acme/campaigns'
const patience = { withinMs: 900_000, everyMs: 250 }

/** A letter that was accepted is stored so at once; one that is sent again comes no sooner than its job is given up. */
const takenOverMs = 2000

const mail = await mailServer()
const app = await startApp({ encryptionKeys: [key], mail: { smtpUrl: mail.url, from } })
const { api } = app

const letter = (subject: string) => ({
  plugin_id: 'svc:send:email',
  input: {
    subject,
    track_opens: true,
    track_clicks: true,
    message: [
      {
        type: 'paragraph',
        content: [{ type: 'link', href: 'https://offer.example/', content: [{ type: 'text', text: 'Offer' }] }],
      },
    ],
  },
})

const blocks = {
  first: { ...letter('first'), prev: 'trigger', next: 'rest' },
  rest: { plugin_id: 'general:delay:for', input: { amount: 3, unit: 'days' }, prev: 'first', next: 'second' },
  second: { ...letter('second'), prev: 'rest' },
}

const startOne = () =>
  startServer(app.databaseUrl, { ENCRYPTION_KEYS: key, SMTP_URL: mail.url, MAIL_FROM: from, LOG_LEVEL: 'error' })

let arrivals = 0
/** The longest that a server lives without sending anything. */
const idleMs = 5000

/**
 * A server that is killed (-9) again and again, if it is to be, and started again: after a second, and not before a
 * letter of it has come, since on a slow machine none would ever get so far.
 */
async function host(isKilled: boolean) {
  let server = await startOne()
  let deaths = 0
  const over = new AbortController()
  const dying = async () => {
    for (; !over.signal.aborted; deaths++) {
      const before = arrivals
      await sleep(1000)
      const isIdle = () => arrivals === before && !over.signal.aborted
      for (let idle = 0; isIdle() && idle < idleMs; idle += 20) await sleep(20)
      await server.kill()
      server = await startOne()
    }
  }
  const life = isKilled ? dying() : Promise.resolve()
  return {
    origin: () => new URL(server.baseUrl).origin,
    /** Lets it live; how often it has died. */
    async spare(): Promise<number> {
      over.abort()
      await life
      return deaths
    },
  }
}

/** As mail clients and mail servers do, they try again while nobody answers. */
async function insist(send: () => Promise<Answer>): Promise<void> {
  const { status } = await until(async () => {
    const found = await send().catch(() => undefined)
    return found !== undefined && found.status < 500 && found
  }, patience)
  expect(status).toBeLessThan(400)
}

async function lineTo({ origin }: Awaited<ReturnType<typeof host>>): Promise<Line> {
  const inbound = await inboundOf(app)
  return {
    deliver: (body) => insist(() => inbound(body, origin())),
    visit: (url, method = 'GET', agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Thunderbird/140.0') =>
      insist(() =>
        app.http.send({
          method,
          url: url.replace(/^https?:\/\/[^/]+/, origin()),
          headers: {
            'User-Agent': agent,
            ...(method === 'POST' && { 'Content-Type': 'application/x-www-form-urlencoded' }),
          },
          body: method === 'POST' ? 'List-Unsubscribe=One-Click' : undefined,
        }),
      ),
  }
}

type Reader<H extends Outcome = Habit> = { readonly id: string; readonly address: string; readonly habit: H }

let serial = 0

/** So many people, each with a habit, in a list. */
async function gather(count: number): Promise<{ readonly readers: Reader[]; readonly listId: string }> {
  const named = Array.from({ length: count }, (_, index) => ({
    address: `reader-${++serial}@example.com`,
    habit: habits[index % habits.length] as Habit,
  }))
  const people = await recordsOf(app, 'admin').createMany(
    'person',
    named.map(({ address }) => ({ email_addresses: { items: [address] } })),
  )
  const readers = named.map((one, index) => ({ ...one, id: people[index]?.id as string }))
  for (const { address, habit } of readers) {
    if (habit === 'never had a mailbox') mail.unknown.add(address)
    if (habit === 'has a full mailbox') mail.full.add(address)
  }
  const lists = '/workspaces/acme/objects/person/lists'
  const { body } = await api.post(lists, { body: { title: 'Readers', type: 'static' } })
  const data = readers.map(({ id }) => ({ type: 'person', id }))
  expect(await api.post(`${lists}/${body.data.id}/resources`, { body: { data } })).toMatchObject({ status: 200 })
  return { readers, listId: body.data.id }
}

/** Takes letters as they come: each reader reacts to a step once, however often it is sent. */
function mailboxes(readers: readonly Reader[], line: Line) {
  const habitOf = new Map(readers.map(({ address, habit }) => [address, habit]))
  const copies: (Letter & { readonly begunAt: number })[] = []
  const reactions = new Map<string, Promise<void>>()
  const closed = new AbortController()
  const taking = (async () => {
    for (; !closed.signal.aborted; await sleep(20))
      for (const { to, raw, begunAt } of mail.waiting.splice(0)) {
        const { messageId = '', html, subject } = await simpleParser(raw)
        const block = subject === 'first' ? 'first' : 'second'
        const copy = { to: to[0] ?? '', messageId, block, urls: urlsIn(html || ''), begunAt } as const
        copies.push(copy)
        arrivals++
        const reaction = `${copy.to} ${block}`
        const habit = habitOf.get(copy.to)
        if (habit !== undefined && !reactions.has(reaction)) reactions.set(reaction, react(habit, copy, line))
        if (copies.length > readers.length / 5) mail.full.clear()
      }
  })()
  return {
    copies,
    habitOf,
    reacted: () => Promise.all(reactions.values()),
    async close(): Promise<void> {
      closed.abort()
      await taking
    },
  }
}

/** Asks how far a campaign is, over and over: the parts add up each time. */
function watch(one: string) {
  const over = new AbortController()
  let looks = 0
  const watching = (async () => {
    for (; !over.signal.aborted; looks++, await sleep(50)) {
      const { enrolled, pending, sent, failed, suppressed } = (await api.get(`${one}/progress`)).body.data.attributes
      expect(pending + sent + failed + suppressed).toBe(enrolled)
      if (looks % 200 === 0) say(`${pending} pending, ${sent} sent, ${failed} failed`)
    }
  })()
  watching.catch(() => undefined)
  return async (): Promise<number> => {
    over.abort()
    await watching
    return looks
  }
}

async function pagesOf(at: string, query: Json = {}): Promise<Json[]> {
  const rows: Json[] = []
  for (;;) {
    const { body } = await api.get(at, { query: { ...query, 'page[limit]': 100, 'page[offset]': rows.length } })
    rows.push(...body.data)
    if (body.links.next === null) return rows
  }
}

const addressIn = ({ attributes }: Json): string => attributes.person.email_addresses.items[0]
const statuses = ['scheduled', 'completed', 'paused', 'failed', 'unsubscribed'] as const
const events = ['opened', 'clicked', 'replied'] as const

/** Compares the list of recipients, by each of its filters, with what the readers have done. */
async function compare(one: string, readers: readonly Reader<Outcome>[], stage: Parameters<typeof expectedOf>[1]) {
  const expected = new Map(readers.map(({ address, habit }) => [address, expectedOf(habit, stage)]))
  const shown = (await pagesOf(`${one}/recipients`)).map((row) => {
    const { status, exit_reason: reason, has_unsubscribed: isOut } = row.attributes
    const done = events.filter((event) => row.attributes[`has_${event}`])
    return [addressIn(row), { row: [status, reason], events: done, isOut }]
  })
  expect(Object.fromEntries(shown)).toEqual(
    Object.fromEntries(
      [...expected].map(([at, { row, events: done, delivery }]) => [
        at,
        { row, events: done, isOut: delivery === 'unsubscribed' },
      ]),
    ),
  )
  const found = async (query: Json) => (await pagesOf(`${one}/recipients`, query)).map(addressIn).toSorted()
  const those = (holds: (of: ReturnType<typeof expectedOf>) => boolean) =>
    [...expected].flatMap(([at, of]) => (holds(of) ? [at] : [])).toSorted()
  for (const status of statuses)
    expect(await found({ 'filter[status]': status }), status).toEqual(those(({ delivery }) => delivery === status))
  for (const some of [...events.map((event) => [event]), ['clicked', 'replied']])
    expect(await found({ 'filter[event]': some.join(',') }), some.join()).toEqual(
      those((of) => some.some((event) => of.events.includes(event))),
    )
  const { attributes } = (await api.get(`${one}/progress`)).body.data
  const [pending, sent, failed] = (['pending', 'sent', 'failed'] as const).map(
    (part) => those(({ progress }) => progress === part).length,
  )
  expect(attributes).toEqual({ enrolled: readers.length, pending, sent, failed, suppressed: 0 })
}

const messageIdOf = ({ attributes }: Json): string => attributes.message_id

/**
 * Compares what the mail server got with the ledger, but for readers whose letter is in doubt: nothing was sent again
 * once its acceptance was stored.
 */
async function checkLetters(
  workflowId: string,
  { copies, habitOf }: ReturnType<typeof mailboxes>,
  inDoubt: ReadonlySet<string>,
): Promise<void> {
  const query = { 'filter[workflow]': workflowId, 'filter[state]': 'sent' }
  const all = await pagesOf('/workspaces/acme/emails', query)
  const ledger = all.filter(({ attributes }) => !inDoubt.has(attributes.to[0]))
  const certain = copies.filter(({ to }) => !inDoubt.has(to))
  const got = Map.groupBy(certain, ({ messageId }) => messageId)
  expect([...got.keys()].toSorted()).toEqual(ledger.map(messageIdOf).toSorted())
  for (const { attributes } of ledger) {
    const lastBegun = Math.max(...(got.get(attributes.message_id) ?? []).map(({ begunAt }) => begunAt))
    expect(lastBegun - Date.parse(attributes.sent_at), attributes.to[0]).toBeLessThan(takenOverMs)
  }
  const steps = [...got.values()].map(([first]) => `${first?.to} ${first?.block}`)
  const expected = [...habitOf]
    .filter(([at]) => !inDoubt.has(at))
    .flatMap(([at, habit]) => lettersOf(habit).map((block) => `${at} ${block}`))
  expect(steps.toSorted()).toEqual(expected.toSorted())
  const totals: Json[] = (await api.get(`${path}/${workflowId}/totals`)).body.data
  const sent = totals.filter(({ kind }) => kind === 'sent').reduce((sum, { total }) => sum + total, 0)
  expect(sent).toBe(expected.length + all.length - ledger.length)
}

/** Waits until no one is on their way to a letter or through one. */
const rested = (one: string, enrolled: number): Promise<boolean> =>
  until(
    async () =>
      (await pagesOf(`${one}/recipients`)).length === enrolled &&
      (await pagesOf(`${one}/recipients`, { 'filter[status]': 'scheduled' })).every(
        ({ attributes }) => attributes.status === 'waiting',
      ),
    patience,
  )

/** Retries the runs whose e-mail was under way in two kills, until there are none (0271). */
async function retryLost(one: string, replied: Set<string>, rest: () => Promise<unknown>): Promise<number> {
  for (let retried = 0; ;) {
    const failed = await pagesOf(`${one}/recipients`, { 'filter[status]': 'failed' })
    const lost = failed.filter((row) => row.attributes.exit_reason === null && !replied.has(addressIn(row)))
    if (lost.length === 0) return retried
    for (const row of lost) {
      const at = `/workspaces/acme/workflow-runs/${row.id}`
      expect((await api.get(at)).body.data.attributes.error).toMatchObject({ code: 'worker_lost' })
      const { status } = await api.post(`${at}/retry`, { body: { from: 'failed' } })
      // People who have replied meanwhile get nothing more.
      expect(status).toBe(row.attributes.has_replied ? 409 : 200)
      if (status === 409) replied.add(addressIn(row))
      else retried++
    }
    await rest()
  }
}

const ended = (one: string): Promise<boolean> =>
  until(async () => (await pagesOf(`${one}/recipients`, { 'filter[status]': 'scheduled' })).length === 0, patience)

/** Nobody waits for three days here: each run is let go on by hand. */
async function letGoOn(one: string): Promise<void> {
  for (const { id } of await pagesOf(`${one}/recipients`, { 'filter[status]': 'scheduled' }))
    expect(await api.post(`/workspaces/acme/workflow-runs/${id}/resume`)).toMatchObject({ status: 200 })
  await ended(one)
}

async function create(attributes: Json): Promise<string> {
  const { body } = await api.post(path, { body: attributes })
  const one = `${path}/${body.data.id}`
  expect(await api.post(`${one}/start`)).toMatchObject({ status: 200 })
  return one
}

/** Another campaign to the same people writes to all but those who were not reached or want no more. */
async function checkSecond(listId: string, readers: readonly Reader[]): Promise<void> {
  const one = await create({ name: 'Summer', list_id: listId, blocks: { second: letter('summer') } })
  await until(async () => {
    const { enrolled, pending } = (await api.get(`${one}/progress`)).body.data.attributes
    return enrolled === readers.length && pending === 0
  }, patience)
  const rows = (await pagesOf(`${one}/recipients`)).map((row) => [
    addressIn(row),
    [row.attributes.status, row.attributes.exit_reason],
  ])
  expect(Object.fromEntries(rows)).toEqual(
    Object.fromEntries(
      readers.map(({ address, habit }) => [address, isLeftOut(habit) ? ['skipped', 'suppressed'] : ['success', null]]),
    ),
  )
  const wanted = readers.filter(({ habit }) => !isLeftOut(habit)).map(({ address }) => address)
  expect(
    mail.waiting
      .splice(0)
      .flatMap(({ to }) => to)
      .toSorted(),
  ).toEqual(wanted.toSorted())
}

test.each([
  ['undisturbed', false, 500],
  ['killed again and again', true, 200],
])(
  'a campaign reaches whom it can, and shows what they did: %s',
  async (_what, isKilled, count) => {
    const { readers, listId } = await gather(count)
    const server = await host(isKilled)
    const line = await lineTo(server)
    const boxes = mailboxes(readers, line)
    try {
      const one = await create({ name: 'Spring', list_id: listId, blocks })
      const looked = watch(one)
      await rested(one, count)
      const inDoubt = new Set<string>()
      const shown = () =>
        readers.map((reader) =>
          inDoubt.has(reader.address) ? { ...reader, habit: 'replied to a lost run' as const } : reader,
        )
      const lost = await retryLost(one, inDoubt, () => rested(one, count))
      await boxes.reacted()
      await sleep(scansMs)
      await Promise.all(boxes.copies.map((copy) => read(boxes.habitOf.get(copy.to) ?? 'ignores', copy, line)))
      await compare(one, shown(), 'waiting')
      expect(await api.post(`${one}/pause`)).toMatchObject({ status: 200 })
      await compare(one, shown(), 'paused')
      expect(await api.post(`${one}/resume`)).toMatchObject({ status: 200 })
      await letGoOn(one)
      // A run that was lost as its rest ended rests again.
      const lostLater = await retryLost(one, inDoubt, async () => {
        await rested(one, count)
        await letGoOn(one)
      })
      await boxes.reacted()
      const deaths = await server.spare()
      const looks = await looked()
      await boxes.close()
      await compare(one, shown(), 'over')
      await checkLetters(one.slice(path.length + 1), boxes, inDoubt)
      say(`${boxes.copies.length} letters came; the server died ${deaths} times; ${lost + lostLater} runs were retried`)
      say(`${looks} times the parts added up; ${inDoubt.size} readers replied to a lost run`)
      await checkSecond(listId, readers)
    } finally {
      await Promise.all([server.spare(), boxes.close()])
    }
  },
  2_400_000,
)
