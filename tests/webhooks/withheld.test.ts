import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { share } from '../harness/grants.ts'
import { receiver, status } from '../harness/receiver.ts'
import { webhooksOf, webhooksPath } from '../harness/webhooks.ts'

const app = await startApp()
const { api } = app
const hooks = webhooksOf(app, 'member')
await app.startJobs()

const O = '/workspaces/acme/objects'
const create = async (object: string, attributes: Json): Promise<string> => {
  const { status: code, body } = await api.post(`${O}/${object}/records`, {
    body: { data: { type: object, attributes } },
  })
  expect([code, body.errors]).toEqual([201, undefined])
  return body.data.id
}
const unshare = async (id: string, grant: string) =>
  expect((await api.delete(`${O}/meeting/records/${id}/access/${grant}`)).status).toBe(202)

test('what its owner may no longer see is neither sent, sent again nor shown', async () => {
  const there = await receiver()
  there.answer((response) => void response.writeHead(200).end('Noted: Board'))
  there.always(status(500))
  const { _id } = await hooks.create({ url: there.url, events: ['record.*'], filter: { object: 'meeting' } })
  const id = await create('meeting', { title: 'Board' })
  const grant = await share(api.post, `meeting/records/${id}`, app.userIds.member, 'view')
  // The grant comes before the consumer: it asks for what the owner sees when it reads.
  const patch = (title: string) =>
    api.patch(`${O}/meeting/records/${id}`, { body: { data: { type: 'meeting', id, attributes: { title } } } })
  expect((await patch('Board of May')).status).toBe(200)
  await there.until(1)
  await app.quiet()
  const seen = await hooks.deliveries(_id)
  expect(seen.length).toBeGreaterThan(0)
  const shown = await hooks.delivery(_id, seen.at(-1)!['_id'])
  expect(shown['request'].body).toContain('Board')

  await unshare(id, grant)
  const sent = there.got.length
  await app.advance(60_000)
  const { body } = await api.post(`${webhooksPath}/${_id}/recover`, {
    as: 'member',
    body: { since: shown['_created_at'] },
  })
  expect(body.errors).toBeUndefined()
  for (const { _id: delivery } of seen) {
    await api.post(`${webhooksPath}/${_id}/deliveries/${delivery}/resend`, { as: 'member' })
    const ended = await hooks.settled(_id, delivery, { status: 'failed' })
    expect(ended['error']).toBe('The owner of the webhook may no longer see this event.')
    expect(JSON.stringify(ended)).not.toContain('Board')
  }
  expect(there.got).toHaveLength(sent)
})

test('an event is stored once, however many webhooks are to be sent it', async () => {
  const workspaceId = await app.workspaceId('acme')
  const marker = 'marked '.repeat(20)
  const holding = async () => (await app.rows(workspaceId)).filter((row) => row.includes(marker)).length
  await create('company', { name: `${marker}1` })
  await app.idle()
  await app.quiet()
  const alone = await holding()
  const there = await receiver()
  there.always(status(500))
  for (const enabled of [true, true, false])
    await hooks.create({ url: there.url, events: ['record.created'], filter: { object: 'company' }, enabled })
  await create('company', { name: `${marker}2` })
  await app.idle()
  await there.until(2)
  await app.idle()
  expect(await holding()).toBe(alone * 2)
})
