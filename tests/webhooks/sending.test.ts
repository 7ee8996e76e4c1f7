import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { isSignedWith, receiver, status, verify } from '../harness/receiver.ts'
import { selfSignedServer } from '../harness/self-signed.ts'
import { webhooksOf, webhooksPath } from '../harness/webhooks.ts'

const app = await startApp()
// By a key, which outlives what tests let pass.
const hooks = webhooksOf(app, 'adminKey')
await app.startJobs()

// Time stands still but for what a test lets pass: nothing is due because a machine is slow.
app.stopClock(app.now())
const bystander = await hooks.create({ url: (await receiver()).url })
/** Lets time pass, and servers look for what has become due: they do when there is something new to be sent. */
const pass = async (ms: number): Promise<void> => {
  app.stopClock(app.now() + ms)
  await hooks.test(bystander['_id'])
}

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]

test('signs a request as Standard Webhooks says, and keeps what was sent and answered', async () => {
  const there = await receiver()
  const { _id, secret } = await hooks.create({ url: there.url })
  const sent = await hooks.test(_id)
  expect(sent).toMatchObject({ webhook_id: _id, status: 'pending', attempts: 0, event: { type: 'webhook.test' } })
  const got = await there.next()
  expect(verify(got, secret)).toEqual(got.body)
  expect(() => verify({ ...got, text: got.text.replace('test', 'live') }, secret)).toThrow()
  expect(got.headers['webhook-id']).toBe(sent['_id'])
  expect(got.headers['content-type']).toBe('application/json')
  expect(got.body).toEqual({
    id: sent['event'].id,
    type: 'webhook.test',
    timestamp: expect.any(String),
    data: { webhook_id: _id },
  })
  const delivery = await hooks.settled(_id, sent['_id'], { status: 'succeeded' })
  expect(delivery).toMatchObject({ attempts: 1, next_attempt_at: null, response_status: 200, error: null })
  expect(delivery['request']).toEqual({ method: 'POST', body: got.text })
  expect(delivery['log']).toEqual([
    {
      number: 1,
      at: expect.any(String),
      duration_ms: expect.any(Number),
      error: null,
      request: { headers: expect.objectContaining({ 'webhook-signature': got.headers['webhook-signature'] }) },
      response: { status: 200, headers: expect.any(Object), body: 'answered 200', is_cut: false },
    },
  ])
})

test('tries again under the same id, when it is time, and gives up after ten attempts', async () => {
  const there = await receiver()
  there.always(status(500))
  const { _id, secret } = await hooks.create({ url: there.url })
  const { _id: id } = await hooks.test(_id)
  const waits = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour]
  const began = app.now()
  for (const [index, wait] of waits.entries()) {
    const got = await there.next()
    expect(got.headers['webhook-id']).toBe(id)
    expect(isSignedWith(got, secret)).toBe(true)
    const { next_attempt_at, status: state } = await hooks.settled(_id, id, { attempts: index + 1 })
    expect(state).toBe('pending')
    const waited = Date.parse(next_attempt_at) - began
    expect(waited).toBeGreaterThanOrEqual(wait)
    expect(waited).toBeLessThan(wait * 1.5 + 10 * second)
    await pass(Date.parse(next_attempt_at) - app.now())
  }
  const last = await hooks.settled(_id, id, { attempts: 10 })
  expect(last).toMatchObject({ status: 'failed', next_attempt_at: null, response_status: 500 })
  expect(last['error']).toContain('500')
  expect(last['log']).toHaveLength(10)
})

test('does as Retry-After says, and takes no other success than 2xx', async () => {
  const there = await receiver()
  there.answer(status(429, { 'retry-after': '3600' }), status(302, { location: `${there.url}/elsewhere` }), status(204))
  const { _id } = await hooks.create({ url: there.url })
  const { _id: id } = await hooks.test(_id)
  const first = await hooks.settled(_id, id, { attempts: 1 })
  expect(Date.parse(first['next_attempt_at']) - app.now()).toBeGreaterThan(3500 * second)
  await pass(Date.parse(first['next_attempt_at']) - app.now())
  const next = await hooks.settled(_id, id, { attempts: 2 })
  expect(next).toMatchObject({ status: 'pending', response_status: 302 })
  await pass(Date.parse(next['next_attempt_at']) - app.now())
  await hooks.settled(_id, id, { attempts: 3, status: 'succeeded' })
  expect(there.got.map(({ path }) => path)).toEqual(['/hook', '/hook', '/hook'])
})

test('410 disables', async () => {
  const there = await receiver()
  there.always(status(410))
  const { _id } = await hooks.create({ url: there.url })
  await app.events()
  const { _id: id } = await hooks.test(_id)
  await hooks.settled(_id, id, { status: 'failed', attempts: 1 })
  expect(await hooks.get(_id)).toMatchObject({ enabled: false, disabled_reason: 'gone' })
  expect((await app.events()).map(({ type, record_id, payload }) => [type, record_id, payload.reason])).toEqual([
    ['webhook.disabled', _id, 'gone'],
  ])
  const enabled = await hooks.update(_id, { enabled: true })
  expect(enabled).toMatchObject({ enabled: true, disabled_reason: null, disabled_at: null, failing_since: null })
})

test('five days of nothing but failures disable', async () => {
  const there = await receiver()
  there.always(status(500))
  const { _id } = await hooks.create({ url: there.url })
  const first = await hooks.test(_id)
  await hooks.settled(_id, first['_id'], { attempts: 1 })
  await pass(4 * day)
  const fourth = await hooks.test(_id)
  await hooks.settled(_id, fourth['_id'], { attempts: 1 })
  expect(await hooks.get(_id)).toMatchObject({ enabled: true, failing_since: expect.any(String) })
  await pass(day + hour)
  // The pending delivery is tried again, and fails.
  await hooks.settled(_id, first['_id'], { status: 'failed' })
  expect(await hooks.get(_id)).toMatchObject({ enabled: false, disabled_reason: 'failing' })
})

test('a success begins to count anew', async () => {
  const there = await receiver()
  there.answer(status(500), status(200), status(500))
  const { _id } = await hooks.create({ url: there.url })
  const first = await hooks.test(_id)
  await hooks.settled(_id, first['_id'], { attempts: 1 })
  await pass(4 * day)
  await hooks.settled(_id, first['_id'], { status: 'succeeded' })
  expect(await hooks.get(_id)).toMatchObject({ failing_since: null })
  await pass(4 * day)
  const other = await hooks.test(_id)
  await hooks.settled(_id, other['_id'], { attempts: 1 })
  expect(await hooks.get(_id)).toMatchObject({ enabled: true })
})

test('a receiver that hangs holds up no other', async () => {
  const [slow, quick] = [await receiver(), await receiver()]
  slow.always(() => undefined)
  const [one, other] = [await hooks.create({ url: slow.url }), await hooks.create({ url: quick.url })]
  await Promise.all(Array.from({ length: 20 }, () => hooks.test(one['_id'])))
  await slow.until(10)
  await hooks.test(other['_id'])
  await quick.next()
  // None of them has ended; ten at once, and no more.
  expect((await hooks.deliveries(one['_id'])).map(({ attempts }) => attempts)).toEqual(Array(20).fill(0))
  expect(slow.got).toHaveLength(10)
  await hooks.update(one['_id'], { enabled: false })
})

/** No name has so long a part: it is found by nobody, and without asking anybody. */
const noName = `https://${'x'.repeat(64)}.invalid/`

test.for<[string, () => string | Promise<string>, string]>([
  ['a name that cannot be resolved', () => noName, 'dns'],
  ['a certificate that nobody trusts', selfSignedServer, 'tls'],
])('%s is tried again like any other failure', async ([, urlOf, reason]) => {
  const { _id } = await hooks.create({ url: await urlOf() })
  const { _id: id } = await hooks.test(_id)
  for (const attempts of [1, 2]) {
    const delivery = await hooks.settled(_id, id, { attempts })
    expect(delivery).toMatchObject({
      status: 'pending',
      response_status: null,
      error: delivery['log'].at(-1).error.message,
    })
    expect(delivery['log']).toMatchObject(
      Array.from({ length: attempts }, (_, index) => ({ number: index + 1, error: { reason }, response: null })),
    )
    const wait = Date.parse(delivery['next_attempt_at']) - app.now()
    expect(wait).toBeGreaterThan(0)
    await pass(wait)
  }
  expect((await hooks.settled(_id, id, { attempts: 3 }))['status']).toBe('pending')
})

test('a rotated secret signs beside the old one until its time is over', async () => {
  const there = await receiver()
  const { _id, secret: old } = await hooks.create({ url: there.url })
  const { status: code, body } = await app.api.post(`${webhooksPath}/${_id}/rotate-secret`, { as: 'adminKey' })
  expect(code).toBe(200)
  const { secret, old_secret_until } = body.data.attributes
  expect(secret).not.toBe(old)
  expect(Date.parse(old_secret_until) - app.now()).toBeGreaterThan(23 * hour)
  await hooks.test(_id)
  const both = await there.next()
  expect([isSignedWith(both, old), isSignedWith(both, secret)]).toEqual([true, true])
  await pass(25 * hour)
  await hooks.test(_id)
  const later = await there.next()
  expect([isSignedWith(later, old), isSignedWith(later, secret)]).toEqual([false, true])
})

test('a secret that was promised to stay valid outlives further rotations, unless all are ended', async () => {
  const there = await receiver()
  const { _id, secret: oldest } = await hooks.create({ url: there.url })
  const rotate = async (overlap_hours: number) =>
    (await app.api.post(`${webhooksPath}/${_id}/rotate-secret`, { as: 'adminKey', body: { overlap_hours } })).body.data
      .attributes.secret
  const signs = async (...secrets: string[]) => {
    await hooks.test(_id)
    const got = await there.next()
    return secrets.map((secret) => isSignedWith(got, secret))
  }
  const older = await rotate(24)
  const third = await rotate(2)
  expect(await signs(oldest, older, third)).toEqual([true, true, true])
  await pass(3 * hour)
  expect(await signs(oldest, older, third)).toEqual([true, false, true])
  const fourth = await rotate(0)
  expect(await signs(oldest, third, fourth)).toEqual([false, false, true])
})
