import { contract } from '@kontor/contract'
import { describe, expect, test } from 'vitest'
import { mutations, exampleInput, hasParameter } from '../conformance/endpoints.ts'
import { rest } from '../conformance/surfaces.ts'
import { startApp } from '../harness/app.ts'
import { commentsPath, paragraph } from '../harness/comments.ts'
import { grantOf } from '../harness/grants.ts'
import type { Json } from '../harness/http.ts'
import { notificationsOf } from '../harness/notifications.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'
import { someOf } from '../harness/size.ts'

const app = await startApp()
const { api, userIds } = app
const { kinds } = notificationsOf(app)
const records = recordsOf(app)

const naming = (id: string): Json => [{ type: 'paragraph', content: [{ type: 'mention', entity: 'user', id }] }]
const mine = { owner_id: userIds.member }
const company = async (attributes: Json = {}): Promise<string> => (await records.create('company', attributes)).id

/** The changes that notify, each made anew, and of what the member is then told. */
const notifying: Readonly<Record<string, readonly [kind: string, change: (query: string) => Promise<unknown>]>> = {
  'comments.create': [
    'mention',
    async (query) =>
      api.post(`${commentsPath}${query}`, {
        body: { entity: 'company', owner_id: await company(), message: naming(userIds.member) },
      }),
  ],
  'comments.update': [
    'mention',
    async (query) => {
      const body = { entity: 'company', owner_id: await company(), message: paragraph('None') }
      const { body: row } = await api.post(commentsPath, { body })
      await api.patch(`${commentsPath}/${row._id}${query}`, { body: { message: naming(userIds.member) } })
    },
  ],
  'records.create': [
    'assignment',
    (query) =>
      api.post(`${recordsPath('company')}${query}`, {
        body: { data: { type: 'company', attributes: { name: 'A', ...mine } } },
      }),
  ],
  'records.createMany': [
    'assignment',
    (query) =>
      api.post(`${recordsPath('company')}/bulk${query}`, {
        body: { data: [{ type: 'company', attributes: { name: 'A', ...mine } }] },
      }),
  ],
  'records.update': [
    'assignment',
    async (query) => {
      const id = await company()
      await api.patch(`${recordsPath('company')}/${id}${query}`, {
        body: { data: { type: 'company', id, attributes: mine } },
      })
    },
  ],
  'access.create': [
    'share',
    async (query) =>
      api.post(`${recordsPath('company')}/${await company()}/access${query}`, {
        body: { data: grantOf(userIds.member, 'edit') },
      }),
  ],
}

describe.for(Object.entries(notifying))('%s', ([, [kind, change]]) => {
  test('notifies, and with silent it does not', async () => {
    await kinds('member')
    await change('?silent=true')
    expect(await kinds('member')).toEqual([])
    await change('')
    expect(await kinds('member')).toEqual([kind])
    await change('?silent=false')
    expect(await kinds('member')).toEqual([kind])
  })
})

const silenceable = mutations.filter(([, endpoint]) => hasParameter(endpoint, 'silent'))

test('there are changes with silent in every part of the API that notifies', () => {
  const names = new Set(silenceable.map(([name]) => name))
  expect(Object.keys(notifying).filter((name) => !names.has(name))).toEqual([])
  expect(names.size).toBeGreaterThan(40)
  expect(contract.comments.create.query).toBeDefined()
})

test.for(someOf(silenceable, 16))(
  '%s tells no one anything with silent, and all else happens',
  async ([name, endpoint]) => {
    const input = await exampleInput(app, name, endpoint)
    for (const person of ['member', 'viewer'] as const) await kinds(person)
    await app.events()
    const { status } = await rest(app, name, endpoint, { ...input, silent: true })
    expect(status).toBeLessThan(300)
    const events = await app.events()
    expect(events.map(({ silent }) => silent)).toEqual(events.map(() => true))
    for (const person of ['member', 'viewer'] as const) expect(await kinds(person)).toEqual([])
  },
)
