import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { createKey } from '../harness/people.ts'
import { receiver } from '../harness/receiver.ts'
import { recordsOf } from '../harness/records.ts'
import { webhooksOf } from '../harness/webhooks.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const { api } = app
const records = recordsOf(app, 'admin')
const { create, runIn, until, path } = workflowsOf(app)

const said = (text: string): Json[] => [{ type: 'paragraph', content: [{ type: 'text', text }] }]
const own = '{{trigger.state.event.object._id}}'
const steps = [
  {
    key: 'rename',
    plugin_id: 'svc:update:record',
    input: { object: 'task', record_id: own, attributes: { title: 'B' } },
  },
  { key: 'say', plugin_id: 'svc:create:comment', input: { object: 'task', record_id: own, message: said('Done') } },
]
const byHand = { plugin_id: 'on:manual:execution', input: { object: 'task' } }

test.each(['a member', 'a workspace key'])(
  'what a workflow of %s does names the workflow, and for whom',
  async (whose) => {
    const key = whose === 'a member' ? undefined : await createKey(api.post, 'admin', { kind: 'workspace' })
    const as = key === undefined ? ('member' as const) : { authorization: `api-key ${key.key}` }
    const there = await receiver()
    const hook = await webhooksOf(app).create({ url: there.url, events: ['record.updated', 'comment.created'] })
    const { id } = await create({ name: 'Author', enabled: true, ...chain(byHand, ...steps) }, as)
    const deal = await records.create('task', { title: 'A' })
    const begun = await api.post(`${path}/${id}/runs`, { body: { object: 'task', record_id: deal.id } })
    expect((await runIn(begun.body.data.id)).attributes.status).toBe('success')

    const holder = key === undefined ? { _id: app.userIds.member, entity: 'user' } : { _id: key.id, entity: 'api-key' }
    const actor = { _id: id, entity: 'workflow', on_behalf_of: holder }
    const sent = [await there.next(), await there.next()].map(({ text }) => JSON.parse(text).actor)
    expect(sent).toEqual([actor, actor])
    const events = (await api.get('/workspaces/acme/events', { query: { 'filter[record]': deal.id } })).body.data
    expect(events.map((event: Json) => event['attributes'].actor)).toEqual([
      { _id: app.userIds.admin, entity: 'user' },
      actor,
      actor,
    ])
    const activities = (await api.get(`/workspaces/acme/objects/task/records/${deal.id}/activities`)).body.data
    const by = activities.flatMap(({ attributes }: Json) => attributes.data.map((event: Json) => event['actor']))
    expect(by).toHaveLength(3)
    expect(by.slice(0, 2)).toEqual([expect.objectContaining(actor), expect.objectContaining(actor)])
    expect(by[2]).not.toHaveProperty('on_behalf_of')
    const comment = (await api.get(`/workspaces/acme/comments/${events[2].attributes.data.comment_id}`)).body
    expect(comment).toMatchObject({ _created_by: id, author: actor })
    // Whom the workflow acts for may delete what it wrote, and nobody edits it.
    expect(
      (await api.patch(`/workspaces/acme/comments/${comment._id}`, { as, body: { message: said('No') } })).status,
    ).toBe(403)
    expect((await api.delete(`/workspaces/acme/comments/${comment._id}`, { as })).status).toBe(200)
    await api.delete(`/workspaces/acme/webhooks/${hook['_id']}`)
    await api.delete(`${path}/${id}`)
  },
)

const actorsOf = (record: string, type: string): Promise<Json[]> =>
  until(async () => {
    const { body } = await api.get('/workspaces/acme/events', { query: { 'filter[record]': record } })
    const found = body.data.filter(({ attributes }: Json) => attributes.type === type)
    return found.length > 0 && found.map(({ attributes }: Json) => attributes.actor)
  })

test('that a run fails is the doing of the workflow, and its owner is told', async () => {
  const twice = ['first', 'second'].map((key) => ({
    key,
    plugin_id: 'svc:delete:record',
    input: { object: 'task', record_id: own },
  }))
  const { id } = await create({ name: 'Fails', enabled: true, ...chain(byHand, ...twice) }, 'member')
  const task = await records.create('task', { title: 'A' })
  const begun = await api.post(`${path}/${id}/runs`, { body: { object: 'task', record_id: task.id } })
  expect((await runIn(begun.body.data.id)).attributes.status).toBe('failed')
  const actor = { _id: id, entity: 'workflow', on_behalf_of: { _id: app.userIds.member, entity: 'user' } }
  expect(await actorsOf(id, 'workflow.run_failed')).toEqual([actor])
  const notices = await until(async () => {
    const { body } = await api.get('/workspaces/acme/notifications', { as: 'member' })
    return body.data.filter(({ attributes }: Json) => attributes.record_id === id)
  })
  expect(notices).toMatchObject([{ attributes: { kind: 'workflow_failure', actor: { type: 'workflow', id } } }])
})

const notificationsOf = async (as: 'admin' | 'member'): Promise<Json[]> =>
  (await api.get('/workspaces/acme/notifications', { as })).body.data.filter(
    ({ attributes }: Json) => attributes.kind === 'comment',
  )

test('a comment of a workflow notifies others, and names the workflow as its author', async () => {
  const say = { ...steps[1], input: { ...steps[1]!.input, object: 'company' } }
  const { id } = await create(
    { name: 'Teller', enabled: true, ...chain({ plugin_id: 'on:manual:execution' }, say) },
    'member',
  )
  const both = await records.create('company', { name: 'A', owner_id: app.userIds.admin })
  const mine = await records.create('company', { name: 'A', owner_id: app.userIds.member })
  for (const deal of [mine, both]) {
    const begun = await api.post(`${path}/${id}/runs`, { body: { object: 'company', record_id: deal.id } })
    await runIn(begun.body.data.id)
  }
  const [found] = await until(async () => {
    const all = await notificationsOf('admin')
    return all.length > 0 && all
  })
  expect(found?.['attributes']).toMatchObject({ record_id: both.id, actor: { type: 'workflow', id, name: null } })
  await app.quiet()
  expect(await notificationsOf('member')).toEqual([])
})
