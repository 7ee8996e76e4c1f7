import { beforeEach, describe, expect, test, vi } from 'vitest'
import { startApp } from '../harness/app.ts'
import { commentsOf, paragraph } from '../harness/comments.ts'
import { openAt } from '../harness/database.ts'
import { mailServer } from '../harness/mail.ts'
import { notificationsOf, notificationsPath } from '../harness/notifications.ts'
import { pointersOf, recordsOf, recordsPath } from '../harness/records.ts'
import { receiver } from '../harness/receiver.ts'
import { isFull } from '../harness/size.ts'

const mails = await mailServer()
const app = await startApp({ mail: { smtpUrl: mails.url, from: 'kontor@example.com' } })
const { api, userIds } = app
const chat = await receiver()
const { news } = notificationsOf(app)
const records = recordsOf(app)
const comments = commentsOf(app)
const settings = '/workspaces/acme/settings'

const setChat = (value: string | null) => api.post(settings, { body: { key: 'chat_webhook_url', value } })

const settled = async () => {
  await app.startJobs()
  await app.quiet()
}

const told = async () => {
  await settled()
  return chat.got.splice(0).map(({ text }) => JSON.parse(text))
}

describe('a chat', () => {
  beforeEach(async () => {
    expect((await setChat(`${chat.url}/chat`)).status).toBe(201)
    await told()
  })

  test('is told of comments and assignments in sentences, with names that cannot be links', async () => {
    const { id } = await records.create('company', { name: 'A <b> & C' })
    await comments.create('company', id, 'Hello')
    expect(await told()).toEqual([{ text: 'Max Member commented on A &lt;b&gt; &amp; C.' }])
    await records.patch('company', id, { owner_id: userIds.member }, {}, { as: 'admin' })
    expect(await told()).toEqual([{ text: 'Ada Admin assigned A &lt;b&gt; &amp; C to Max Member.' }])
  })

  test('not with silent, and not once it is taken away', async () => {
    const { id } = await records.create('company', { name: 'Acme' })
    await api.post('/workspaces/acme/comments', {
      query: { silent: true },
      body: { entity: 'company', owner_id: id, message: paragraph('Quiet') },
    })
    expect(await told()).toEqual([])
    await setChat(null)
    await comments.create('company', id, 'Nobody listens')
    expect(await told()).toEqual([])
  })

  test('of many records in one message', async () => {
    const data = Array.from({ length: 12 }, (_, index) => ({
      type: 'company',
      attributes: { name: `Of ${index}`, owner_id: userIds.member },
    }))
    await api.post(`${recordsPath('company')}/bulk`, { body: { data } })
    const [message, ...others] = await told()
    expect([others, message.text.split('\n').length, message.text.split('\n').at(-1)]).toEqual([[], 11, 'And 2 more.'])
  })

  test('never of what only some may see', async () => {
    const { body } = await api.post(recordsPath('meeting'), {
      body: { data: { type: 'meeting', attributes: { title: 'Secret', visibility: 'private' } } },
    })
    await comments.post('meeting', body.data.id, paragraph('Hush'), { as: 'admin' })
    expect(await told()).toEqual([])
  })

  test('its address is a secret of admins, and must be one that may be called', async () => {
    expect((await api.get(settings, { as: 'member' })).body.chat_webhook_url).toBeNull()
    expect((await api.get(`${settings}/chat_webhook_url`, { as: 'member' })).body).toEqual({ value: null })
    expect((await api.get(`${settings}/chat_webhook_url`)).body).toEqual({ value: `${chat.url}/chat` })
    await app.events()
    await setChat(`${chat.url}/other`)
    expect((await app.events()).map(({ payload }) => payload)).toEqual([
      { key: 'chat_webhook_url', value: null, previous_value: null },
    ])
    for (const value of ['http://169.254.169.254/latest', 'ftp://example.com', 'nonsense']) {
      const answer = await setChat(value)
      expect([answer.status, pointersOf(answer)]).toEqual([422, ['/value']])
    }
  })
})

/** As following a link in a mail does. */
async function verify(): Promise<void> {
  const database = openAt(app.databaseUrl)
  await database.write((tx) =>
    tx.change(({ knex }) =>
      knex('app_user').whereIn('id', [userIds.member, userIds.admin]).update({ unverified_since: null }),
    ),
  )
  await database.close()
}

const choose = (as: 'admin' | 'member', digest_hour: number) =>
  api.patch(`${notificationsPath}/preferences`, {
    as,
    body: { data: { type: 'notification-preferences', attributes: { digest: 'daily', digest_hour } } },
  })

/**
 * The digest that comes after a time. The job that sends it looks once a minute: where it was looking while the clock
 * moved on, it looks again a minute later.
 */
const digestAfter = async (ms: number) => {
  await app.advance(ms)
  const hasCome = () => expect(mails.waiting).not.toEqual([])
  for (let minute = 0; minute < 5; minute++) {
    const isHere = await vi.waitFor(hasCome, { timeout: 5000 }).then(
      () => true,
      () => false,
    )
    if (isHere) break
    await app.advance(61_000)
  }
  return mails.next()
}

describe('a digest', () => {
  const hour = 3_600_000

  test('tells once a day of what was not read, at its hour, and of nothing twice', async () => {
    await setChat(null)
    await news('member')
    await verify()
    const { body } = await api.patch(`${notificationsPath}/preferences`, {
      as: 'member',
      body: { data: { type: 'notification-preferences', attributes: { digest: 'daily', digest_hour: 8 } } },
    })
    expect(body.data.attributes.digest_available).toBe(true)
    await api.post(recordsPath('company'), {
      body: { data: { type: 'company', attributes: { name: 'Digested', owner_id: userIds.member } } },
    })
    await settled()
    const mail = await digestAfter(25 * hour)
    // An id that is derived (RFC 9562 §5.8), not one that the mail library makes up.
    expect(mail.text).toMatch(
      /^Message-ID: <[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}@example\.com>/im,
    )
    expect(mail.to).toEqual(['member@example.com'])
    expect(mail.text).toContain('Subject: acme: what you have not read')
    expect(mail.text).toContain('- Ada Admin assigned Digested to you.')
    await settled()
    await app.advance(25 * hour)
    // Another node, whose clock is behind: by its time this was before the last digest.
    app.stopClock(app.now() - 60 * hour)
    await api.post(recordsPath('company'), {
      as: 'adminKey',
      body: { data: { type: 'company', attributes: { name: 'Later', owner_id: userIds.member } } },
    })
    await settled()
    app.stopClock(undefined)
    const next = await digestAfter(25 * hour)
    expect(next.text).toContain('assigned Later to')
    expect(next.text).not.toContain('Digested')
  })

  test.runIf(isFull())('waits where a mailbox is full, and keeps no one else waiting', async () => {
    await verify()
    await choose('admin', 7)
    await choose('member', 8)
    mails.full.add('admin@example.com')
    const { id } = await records.create('company', { name: 'Theirs', owner_id: userIds.admin })
    await records.patch('company', id, { owner_id: userIds.member }, {}, { as: 'admin' })
    await settled()
    expect((await digestAfter(25 * hour)).to).toEqual(['member@example.com'])
    mails.full.clear()
    const late = await digestAfter(hour)
    expect([late.to, late.text]).toEqual([['admin@example.com'], expect.stringContaining('assigned Theirs to')])
  })
})
