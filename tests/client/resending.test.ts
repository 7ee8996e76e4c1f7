import {
  ConnectionFailed,
  createKontorClient,
  createRestClient,
  isKontorError,
  records,
  resources,
  type Connection,
} from '@kontor/client'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'

const { baseUrl, credentials } = await startApp()
const key = credentials.keys.adminKey!
const deal = { workspace: 'acme', object: 'deal' }
const named = (name: string) => ({ ...deal, body: { data: { type: 'deal', attributes: { name } } } })

type Send = typeof fetch

/** A network that does to each request in turn what it is told, and then lets all through. */
function network(...faults: ((...request: Parameters<Send>) => ReturnType<Send>)[]) {
  const sent: Headers[] = []
  const send: Send = async (url, init) => {
    sent.push(new Headers(init?.headers))
    return (faults.shift() ?? fetch)(url, init)
  }
  return { sent, connection: { url: baseUrl, apiKey: key, fetch: send } satisfies Connection }
}

const lost: Send = async (url, init) => {
  await fetch(url, init)
  throw new TypeError('fetch failed', { cause: new Error('the connection broke') })
}
const refused: Send = () => Promise.reject(new TypeError('fetch failed'))
const busy =
  (status: number, headers: Record<string, string> = {}): Send =>
  async () =>
    new Response('busy', { status, headers })

const countNamed = async (name: string): Promise<number> => {
  const rest = createRestClient({ url: baseUrl, apiKey: key })
  const { body } = await rest.call(resources.list, { ...deal, filter: { name } })
  return body.data.length
}

test('a change whose answer was lost is sent again, and made once', async () => {
  const { connection, sent } = network(lost, lost)
  const { status, headers } = await createRestClient(connection).call(records.create, named('Lost once'))
  expect([status, headers.get('idempotency-replayed')]).toEqual([201, 'true'])
  expect(sent).toHaveLength(3)
  expect(new Set(sent.map((one) => one.get('idempotency-key'))).size).toBe(1)
  expect(await countNamed('Lost once')).toBe(1)
})

test('so is each change of a batch over tRPC', async () => {
  const { connection, sent } = network(lost)
  const trpc = createKontorClient(connection)
  const made = await Promise.all([1, 2, 3].map((n) => trpc.records.create.mutate(named(`Lost batch ${n}`))))
  expect(new Set(made.map(({ data }) => data.id)).size).toBe(3)
  expect(sent).toHaveLength(2)
  for (const n of [1, 2, 3]) expect(await countNamed(`Lost batch ${n}`)).toBe(1)
})

test('a busy API is asked again, a refusal is not', async () => {
  const { connection, sent } = network(busy(503), busy(429, { 'Retry-After': '0' }), refused)
  await createRestClient(connection).call(resources.list, deal)
  expect(sent).toHaveLength(4)
  expect(sent.every((one) => !one.has('idempotency-key'))).toBe(true)
  const other = network()
  const missing = createRestClient(other.connection).call(records.get, { ...deal, id: 'missing' })
  await expect(missing).rejects.toMatchObject({ code: 'not_found' })
  expect(other.sent).toHaveLength(1)
})

test('what goes on for longer than the retries is told, and what would take too long at once', async () => {
  const busyForLong = network(busy(503), busy(503), busy(503))
  const call = createRestClient({ ...busyForLong.connection, retries: 2 }).call(resources.list, deal)
  await expect(call).rejects.toMatchObject({ name: 'KontorError', status: 503, code: undefined, errors: [] })
  const away = createRestClient({ ...network(refused).connection, retries: 0 }).call(resources.list, deal)
  await expect(away).rejects.toThrow(ConnectionFailed)
  const { connection, sent } = network(busy(429, { 'Retry-After': '3600' }))
  await expect(createRestClient(connection).call(resources.list, deal)).rejects.toMatchObject({
    retryAfterSeconds: 3600,
  })
  expect(sent).toHaveLength(1)
})

test('a caller who gives up waits no longer, and hears why', async () => {
  const reason = new Error('enough')
  const giving = new AbortController()
  const { connection } = network(busy(503, { 'Retry-After': '50' }))
  const call = createRestClient(connection).call(resources.list, deal, { signal: giving.signal })
  giving.abort(reason)
  await expect(call).rejects.toBe(reason)
  const late = createRestClient(network().connection)
  await expect(late.call(resources.list, deal, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
})

test('a token that was refused is exchanged for another one, once', async () => {
  const asked: (string | undefined)[] = []
  const accessToken = async (old?: string): Promise<string> => {
    asked.push(old)
    return old === undefined ? 'expired' : credentials.cast.tokens.admin
  }
  const { status } = await createRestClient({ url: baseUrl, accessToken }).call(resources.list, deal)
  expect(status).toBe(200)
  expect(asked).toEqual([undefined, 'expired'])
  const trpc = createKontorClient({ url: baseUrl, accessToken: () => 'expired' })
  const error: unknown = await trpc.resources.list.query(deal).catch((cause: unknown) => cause)
  expect(isKontorError(error)).toBe(true)
  expect(error).toMatchObject({ status: 401 })
})
