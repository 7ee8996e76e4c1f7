import { beforeAll, describe, expect, test } from 'vitest'
import { pathParameters, webhooks } from '@kontor/contract'
import { select } from '../conformance/endpoints.ts'
import { pathOf, rest, trpc, type Surface } from '../conformance/surfaces.ts'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { createKey, type Caller } from '../harness/people.ts'
import { receiver, status } from '../harness/receiver.ts'
import { pointersOf, unknownId } from '../harness/records.ts'
import { webhooksOf, webhooksPath } from '../harness/webhooks.ts'

const app = await startApp()
const { api } = app
const hooks = webhooksOf(app)
await app.startJobs()

const keyWith = async (scopes: readonly string[], as: Caller = 'admin', kind: 'user' | 'workspace' = 'user') => ({
  authorization: `api-key ${(await createKey(api.post, as, { scopes, kind })).key}`,
})
const tryKey = (as: Caller, id: string) => {
  const attributes = { name: 'Shop', scopes: ['records:read', `deliveries:read:${id}`] }
  return api.post('/workspaces/acme/api-keys', { as, body: { data: { type: 'api-key', attributes } } })
}
const both = (id: string) => [`deliveries:read:${id}`, `deliveries:write:${id}`]
const codeOf = ({ status: code, body }: { status: number; body: Json }) => [code, body?.errors?.[0].code]

let there: Awaited<ReturnType<typeof receiver>>
/** Has sent a deal, with what the admin sees of it. */
let hook: Json
let delivery: Json

beforeAll(async () => {
  there = await receiver()
  hook = await hooks.create({ url: there.url, events: ['record.*'], filter: { object: 'deal' } })
  const attributes = { amount: 7 }
  await api.post('/workspaces/acme/objects/deal/records', { body: { data: { type: 'deal', attributes } } })
  await there.until(1)
  const [{ _id }] = (await hooks.deliveries(hook['_id'])) as [Json]
  delivery = await hooks.settled(hook['_id'], _id, { status: 'succeeded' })
})

describe.for<[string, Surface]>([
  ['REST', rest],
  ['tRPC', trpc],
])('over %s a key for the deliveries of one webhook', ([, surface]) => {
  const call = (key: keyof typeof webhooks, as: Caller, more: Json = {}) =>
    surface(app, `webhooks.${key}`, webhooks[key], { workspace: 'acme', id: hook['_id'], ...more }, { as })

  test.for(['user', 'workspace'] as const)('sees them whole, and sends them again: one of a %s', async (kind) => {
    const as = await keyWith(both(hook['_id']), 'admin', kind)
    const listed = (await call('listDeliveries', as)).body.data
    expect(listed.map(({ id }: Json) => id)).toEqual([delivery['_id']])
    const found = (await call('getDelivery', as, { delivery: delivery['_id'] })).body.data.attributes
    expect(found.request.body).toBe(there.got[0]!.text)
    expect(JSON.parse(found.request.body)).toMatchObject({ type: 'record.created', object: 'deal' })
    expect((await call('stats', as)).body.data.attributes).toMatchObject({ success_rate: 1 })

    const before = there.got.length
    const resent = await call('resend', as, { delivery: delivery['_id'] })
    expect(resent.body.data.attributes).toMatchObject({ _id: delivery['_id'], status: 'pending' })
    await there.until(before + 1)
    await hooks.settled(hook['_id'], delivery['_id'], { status: 'succeeded' })

    there.answer(status(410))
    await call('resend', as, { delivery: delivery['_id'] })
    await hooks.settled(hook['_id'], delivery['_id'], { status: 'failed' })
    await hooks.update(hook['_id'], { enabled: true })
    const recovered = await call('recover', as, { body: { since: hook['_created_at'] } })
    expect(recovered.body.meta).toEqual({ deliveries: 1 })
    await there.until(before + 3)
    await hooks.settled(hook['_id'], delivery['_id'], { status: 'succeeded' })
  })

  test('is refused those of others, and the webhook itself', async () => {
    const other = await hooks.create({ url: there.url })
    const as = await keyWith(both(hook['_id']))
    const refused = [
      await call('listDeliveries', as, { id: other['_id'] }),
      await call('getDelivery', as, { id: other['_id'], delivery: delivery['_id'] }),
      await call('get', as),
      await call('rotateSecret', as, { body: {} }),
      await call('update', as, { body: { url: `${there.url}/mine` } }),
      await call('test', as),
      await call('remove', as),
      await surface(app, 'webhooks.list', webhooks.list, { workspace: 'acme' }, { as }),
    ]
    expect(refused.map(codeOf)).toEqual(refused.map(() => [403, 'insufficient_scope']))
  })

  test('that only sees, sends nothing again; that only sends again, sees nothing', async () => {
    const [reads, writes] = await Promise.all(both(hook['_id']).map((scope) => keyWith([scope])))
    const given = { delivery: delivery['_id'] }
    expect(codeOf(await call('resend', reads!, given))).toEqual([403, 'insufficient_scope'])
    expect(codeOf(await call('getDelivery', writes!, given))).toEqual([403, 'insufficient_scope'])
  })
})

test('a key for deliveries alone is refused all else, also what is open to any key', async () => {
  const as = await keyWith(both(hook['_id']))
  const others = select(({ caller, deliveryScope }) => caller === 'any' && deliveryScope === undefined)
  for (const [name, endpoint] of others) {
    const named = pathParameters(endpoint.path).map((one) => [one, one === 'workspace' ? 'acme' : hook['_id']])
    const answer = await api.send(endpoint.method, pathOf(endpoint, Object.fromEntries(named)), { as })
    expect([name, ...codeOf(answer)]).toEqual([name, 403, 'insufficient_scope'])
  }
})

test('a personal one shows what its person may see, for as long', async () => {
  const person = await app.addMember('admin', 'second')
  const as = await keyWith(both(hook['_id']), person.as)
  const path = `${webhooksPath}/${hook['_id']}/deliveries`
  expect((await api.get(path, { as })).status).toBe(200)
  await api.patch(`/workspaces/acme/users/${person.id}`, {
    body: { data: { type: 'user', attributes: { role: 'member' } } },
  })
  expect(codeOf(await api.get(path, { as }))).toEqual([404, 'not_found'])
})

test('a webhook that one does not see is no part of a scope', async () => {
  const refused = [
    await tryKey('admin', unknownId),
    await tryKey('member', hook['_id']),
    await tryKey('admin', 'all'),
    await tryKey('admin', `${hook['_id']}:more`),
  ]
  for (const answer of refused) {
    expect(codeOf(answer)).toEqual([422, 'invalid_body'])
    expect(pointersOf(answer)).toEqual(['/data/attributes/scopes/1'])
  }
  expect(refused[1]!.body.errors[0].detail).toBe(`There is no webhook with the id ${hook['_id']}.`)
})

test('of a webhook that was deleted there is nothing to see', async () => {
  const { _id } = await hooks.create({ url: there.url })
  const path = `${webhooksPath}/${_id}/deliveries`
  const callers = [await keyWith(both(_id)), await keyWith(both(_id), 'admin', 'workspace')]
  for (const as of callers) expect((await api.get(path, { as })).status).toBe(200)
  await api.delete(`${webhooksPath}/${_id}`)
  for (const as of callers) expect(codeOf(await api.get(path, { as }))).toEqual([404, 'not_found'])
})
