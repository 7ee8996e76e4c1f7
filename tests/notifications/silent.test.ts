import type { EventType } from '@kontor/contract'
import { describe, expect, test } from 'vitest'
import { mutations, exampleInput, hasParameter } from '../conformance/endpoints.ts'
import { rest } from '../conformance/surfaces.ts'
import { startApp } from '../harness/app.ts'
import { commentsPath, paragraph } from '../harness/comments.ts'
import { grantOf } from '../harness/grants.ts'
import type { Json } from '../harness/http.ts'
import { notificationsOf } from '../harness/notifications.ts'
import { recordsOf } from '../harness/records.ts'
import { schemasOf } from '../harness/schemas.ts'
import { someOf } from '../harness/size.ts'

const app = await startApp()
const { api, userIds } = app
const { kinds } = notificationsOf(app)
const { make } = schemasOf(app)
const records = recordsOf(app)

const naming = (id: string): Json => [{ type: 'paragraph', content: [{ type: 'mention', entity: 'user', id }] }]
const mine = { owner_id: userIds.member }
const company = async (attributes: Json = {}): Promise<string> => (await records.create('company', attributes)).id
const ofCompany = (attributes: Json) => ({ data: { type: 'company', attributes } })
const object = 'company'
const granted = grantOf(userIds.member, 'edit')

/** The changes that notify, each made anew, and of what the member is then told. */
const notifying: Readonly<Record<string, readonly [kind: string, input: () => Promise<Json>]>> = {
  'records.create': ['assignment', async () => ({ object, body: ofCompany(mine) })],
  'records.createMany': ['assignment', async () => ({ object, body: { data: [{ type: object, attributes: mine }] } })],
  'records.update': ['assignment', async () => ({ object, id: await company(), body: ofCompany(mine) })],
  'records.updateMany': [
    'assignment',
    async () => ({ object, body: { data: [{ type: object, id: await company(), attributes: mine }] } }),
  ],
  'resources.create': ['assignment', async () => ({ object, body: ofCompany(mine) })],
  'comments.create': [
    'mention',
    async () => ({ body: { entity: object, owner_id: await company(), message: naming(userIds.member) } }),
  ],
  'comments.update': [
    'mention',
    async () => {
      const body = { entity: object, owner_id: await company(), message: paragraph('None') }
      const { body: row } = await api.post(commentsPath, { body })
      return { id: row._id, body: { message: naming(userIds.member) } }
    },
  ],
  'access.createOfObject': ['share', async () => ({ object: await make({}), body: { data: granted } })],
  'access.create': ['share', async () => ({ object, id: await company(), body: { data: granted } })],
  'access.createMany': ['share', async () => ({ object, id: await company(), body: { data: [granted] } })],
}

const byLink = 'What it changes of other records is what leads to them.'
const ofWorkspace = 'It shares with the workspace, and with no one in particular.'
const ofMeeting = 'No one is in charge of a meeting.'

/** Changes whose events notify where they name somebody, each with the reason why these name no one. */
const namingNoOne: Readonly<Record<string, string>> = {
  'records.remove': byLink,
  'records.removeMany': byLink,
  'records.restore': byLink,
  'records.merge': byLink,
  'relationships.replace': byLink,
  'relationships.add': byLink,
  'relationships.remove': byLink,
  'lists.create': ofWorkspace,
  'lists.update': ofWorkspace,
  'meetings.startRecording': ofMeeting,
  'meetings.stopRecording': ofMeeting,
  'meetings.importCalendar': ofMeeting,
}

const events: readonly EventType[] = [
  'record.created',
  'record.updated',
  'comment.created',
  'comment.updated',
  'access.granted',
]

const silenceable = mutations.filter(([, endpoint]) => hasParameter(endpoint, 'silent'))

test('every change whose event may name somebody notifies, or says why it names no one', () => {
  const mayNotify = silenceable.flatMap(([name, { emits }]) =>
    emits?.some((type) => events.includes(type)) === true ? [name] : [],
  )
  expect([...Object.keys(notifying), ...Object.keys(namingNoOne)].toSorted()).toEqual(mayNotify.toSorted())
})

describe.for(silenceable.filter(([name]) => name in notifying))('%s', ([name, endpoint]) => {
  test('notifies, and with silent it does not', async () => {
    const [kind, input] = notifying[name]!
    const change = async (more: Json) => {
      const given = await input()
      await kinds('member')
      expect((await rest(app, name, endpoint, { workspace: 'acme', ...given, ...more })).status).toBeLessThan(300)
      return kinds('member')
    }
    expect(await change({ silent: true })).toEqual([])
    expect(await change({})).toEqual([kind])
    expect(await change({ silent: false })).toEqual([kind])
  })
})

const expectNothing = async (): Promise<void> => {
  for (const person of ['member', 'viewer'] as const) expect(await kinds(person)).toEqual([])
}

/** A run of an agent may have ended before it is cancelled; that of a workflow shows the same. */
const certain = silenceable.filter(([name]) => name !== 'agents.cancelRun')

test.for(someOf(certain, 10))(
  '%s tells no one anything with silent, and all else happens',
  async ([name, endpoint]) => {
    const change = async (more: Json) => {
      const input = await exampleInput(app, name, endpoint)
      for (const person of ['member', 'viewer'] as const) await kinds(person)
      await app.events()
      const { status } = await rest(app, name, endpoint, { ...input, ...more })
      expect(status).toBeLessThan(300)
      return app.events()
    }
    const quiet = await change({ silent: true })
    await expectNothing()
    expect(quiet.map(({ type }) => type)).toEqual(
      endpoint.emits === undefined ? [] : expect.arrayContaining([endpoint.emits[0]]),
    )
    expect(quiet.map(({ silent }) => silent)).toEqual(quiet.map(() => true))
    const loud = await change({})
    if (!(name in notifying)) await expectNothing()
    // Persons who come of a meeting are told to no one; the first event is of the change itself.
    expect(loud[0]?.silent ?? false).toBe(false)
  },
)
