import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { commentsOf } from '../harness/comments.ts'
import { followEvents } from '../harness/event-stream.ts'
import { logOf } from '../harness/events.ts'
import { share } from '../harness/grants.ts'
import type { Json } from '../harness/http.ts'
import { connect } from '../harness/oauth.ts'
import { createKey, type Caller } from '../harness/people.ts'
import { nextNumber, recordsOf, recordsPath } from '../harness/records.ts'
import { changesOf, schemasOf } from '../harness/schemas.ts'
import { someOf } from '../harness/size.ts'
import { until } from '../harness/until.ts'
import { webhooksOf } from '../harness/webhooks.ts'
import { listsOf } from '../lists/lists.ts'
import { nameOnly } from '../schemas/name-only.ts'

// Rights of every kind end while streams of every surface are open: what happens later is in none of them, and a
// client that reconnects with an earlier position receives nothing that it may not see any more.
const app = await startApp()
const { api, userIds } = app
const own = recordsOf(app, 'admin')
const log = logOf(app)
const acme = '/workspaces/acme'
await log.end()

const surfaces = ['rest', 'trpc'] as const
const keyed = (key: string): Caller => ({ authorization: `api-key ${key}` })
const bearer = (token: string): Caller => ({ authorization: `Bearer ${token}` })

/** Something that a caller sees until a right is withdrawn. */
type Sight = {
  readonly as: Caller
  /** Its id, which every event about it contains. */
  readonly id: string
  /** Publishes an event about it. */
  readonly touch: () => Promise<unknown>
  readonly withdraw: () => Promise<unknown>
}

type Subject = Pick<Sight, 'id' | 'touch'>

async function meeting(attributes: Json = {}): Promise<Subject> {
  const { id } = await own.create('meeting', { title: 'Talk', ...attributes })
  return { id, touch: () => own.patch('meeting', id, { title: `Talk ${nextNumber()}` }) }
}

const unshare = (id: string, grant: string) => api.delete(`${recordsPath('meeting')}/${id}/access/${grant}`)

/** A meeting, which members do not see by default, that is shared with a user or with the workspace. */
async function shared(as: Caller, grantee: string): Promise<Sight> {
  const subject = await meeting()
  const grant = await share(api.post, `meeting/records/${subject.id}`, grantee, 'view')
  return { as, ...subject, withdraw: () => unshare(subject.id, grant) }
}

/** A record of an object that becomes closed to members, except as `withdraw` does it. */
async function ofObject(as: Caller, isClosed = false): Promise<Sight> {
  const object = await schemasOf(app).make(nameOnly)
  const close = () => changesOf(app).edit(object, (_, document) => (document.xSvcAccess = { default: 'none' }))
  if (isClosed) await close()
  const { id } = await own.create(object, { name: 'A' })
  return { as, id, touch: () => own.patch(object, id, { name: `A ${nextNumber()}` }), withdraw: close }
}

async function ofList(as: Caller): Promise<Sight> {
  const lists = listsOf(app, 'admin')
  const { id } = await lists.create('person', { permission: 'workspace' })
  const { id: person } = await own.create('person', {})
  return {
    as,
    id,
    async touch() {
      await lists.add('person', id, [person])
      await lists.take('person', id, [person])
      await lists.patch('person', id, { title: `A list ${nextNumber()}` })
    },
    withdraw: () => lists.patch('person', id, { permission: 'private' }),
  }
}

async function ofDeal(as: Caller, withdraw: Sight['withdraw']): Promise<Sight> {
  const { id } = await own.create('deal', {})
  return { as, id, touch: () => own.patch('deal', id, { name: `A ${nextNumber()}` }), withdraw }
}

async function demoted(subject: Subject): Promise<Sight> {
  const { id: userId, as } = await app.addMember('admin', `demoted-${nextNumber()}`)
  return { ...subject, as, withdraw: () => api.patch(`${acme}/users/${userId}`, { body: { role: 'member' } }) }
}

const connected = async (scope = 'events:read records:read') => {
  const third = await app.oauth.register({ name: `App ${nextNumber()}` })
  const { access_token: token } = await connect(third, await app.oauth.visitor('member'), scope)
  return { third, as: bearer(token) }
}

const cases: Readonly<Record<string, () => Promise<Sight>>> = {
  'a grant of a record, for a member': () => shared('member', userIds.member),
  'a grant of a record, for a viewer': () => shared('viewer', userIds.viewer),
  'a grant of a record, for a personal key': () => shared('memberKey', userIds.member),
  'a grant of a record, for an app': async () => shared((await connected()).as, userIds.member),
  'a grant of a record to the workspace, for a workspace key': () => shared('workspaceKey', 'workspace'),
  'the visibility of a meeting': async () => {
    const subject = await meeting({ visibility: 'workspace' })
    return { as: 'viewer', ...subject, withdraw: () => own.patch('meeting', subject.id, { visibility: 'private' }) }
  },
  'a grant of a record, before comments': async () => {
    const sight = await shared('member', userIds.member)
    return { ...sight, touch: () => commentsOf(app).create('meeting', sight.id, 'Secret', { as: 'admin' }) }
  },
  'a grant of a record, before it is deleted': async () => {
    const sight = await shared('member', userIds.member)
    return {
      ...sight,
      async touch() {
        await own.remove('meeting', [sight.id])
        await own.restore('meeting', [sight.id])
      },
    }
  },
  'a grant of an object': async () => {
    const subject = await meeting()
    const grant = await share(api.post, 'meeting', userIds.viewer, 'view')
    return { as: 'viewer', ...subject, withdraw: () => api.delete(`${acme}/objects/meeting/access/${grant}`) }
  },
  'the default level of an object, for a member': () => ofObject('member'),
  'the default level of an object, for a workspace key': () => ofObject('workspaceKey'),
  'the permission of a list': () => ofList('viewer'),
  'the role of an admin, before records': async () => demoted(await ofObject('admin', true)),
  'the role of an admin, before webhooks': async () => {
    const hooks = webhooksOf(app)
    const { _id } = await hooks.create({ url: 'http://127.0.0.1:9/none' })
    return demoted({
      id: _id,
      touch: () => hooks.update(_id, { events: [['list.deleted', 'list.created'][nextNumber() % 2]] }),
    })
  },
  'the role of an admin, before workspace keys': async () => {
    const { id } = await createKey(api.post, 'admin', { kind: 'workspace' })
    const rename = () =>
      api.patch(`${acme}/api-keys/${id}`, {
        body: { data: { type: 'api-key', attributes: { name: `K ${nextNumber()}` } } },
      })
    return demoted({ id, touch: rename })
  },
  'a key': async () => {
    const { id, key } = await createKey(api.post, 'member', { scopes: ['events:read', 'records:read'] })
    return ofDeal(keyed(key), () => api.delete(`${acme}/api-keys/${id}`, { as: 'member' }))
  },
  'the secret of a key': async () => {
    const { id, key } = await createKey(api.post, 'member')
    return ofDeal(keyed(key), () =>
      api.post(`${acme}/api-keys/${id}/rotate`, { as: 'member', body: { overlap_hours: 0 } }),
    )
  },
  'the consent to an app': async () => {
    const { third, as } = await connected()
    return ofDeal(as, () => app.oauth.revokeApp('member', third.clientId))
  },
  'the registration of an app': async () => {
    const { third, as } = await connected()
    return ofDeal(as, () => app.oauth.admin.removeOAuthClient(third.clientId))
  },
  'a membership': async () => {
    const { id, as } = await app.addMember('member', `gone-${nextNumber()}`)
    return ofDeal(as, () => api.delete(`${acme}/users/${id}`))
  },
  'a membership, for a key of the member': async () => {
    const { id, as } = await app.addMember('member', `gone-${nextNumber()}`)
    const { key } = await createKey(api.post, as)
    return ofDeal(keyed(key), () => api.delete(`${acme}/users/${id}`))
  },
}

const aboutIt = (events: readonly Json[], id: string): Json[] =>
  events.filter((event) => JSON.stringify(event).includes(id))

/** Waits until a stream has sent an event that everyone sees, or has ended. */
async function caughtUp(stream: Awaited<ReturnType<typeof followEvents>>, id: string): Promise<void> {
  let isEnded = false
  void stream.ended.then(() => (isEnded = true))
  await until(() => isEnded || aboutIt(stream.events, id).length > 0)
}

describe.each(someOf(Object.entries(cases), 7))('without %s', (_title, begin) => {
  test('neither an open stream nor a later one contains what the caller may not see any more', async () => {
    const before = await log.end()
    const sight = await begin()
    const since = String(before)
    const open = (over: (typeof surfaces)[number]) => followEvents(app, { as: sight.as, lastEventId: since, over })
    await sight.touch()
    const seen = await log.end()
    const streams = await Promise.all(surfaces.map(open))
    for (const { events } of streams) await until(() => aboutIt(events, sight.id).length > 0)
    await sight.withdraw()
    // Immediately: the text that was written for the streams above is not for these.
    const again = await Promise.all(surfaces.map(open))
    await sight.touch()
    const { id: last } = await own.create('deal', {})
    for (const stream of [...streams, ...again]) await caughtUp(stream, last)
    for (const { events } of streams) {
      const later = events.filter(({ attributes }) => attributes?.sequence > seen)
      expect(aboutIt(later, sight.id)).toEqual([])
    }
    for (const stream of again) expect(stream.text()).not.toContain(sight.id)
  })
})
