import { createTRPCClient, httpBatchStreamLink, httpSubscriptionLink } from '@trpc/client'
import { expect, test } from 'vitest'
import type { AppRouter } from '@kontor/contract/trpc'
import { startApp } from '../harness/app.ts'
import { authorizationOf } from '../harness/api.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { until } from '../harness/until.ts'

const app = await startApp()
const records = recordsOf(app)
const headers = { Authorization: authorizationOf('adminKey', app.credentials)! }
const url = `${app.origin}/trpc`
const deal = (name: string) => ({
  workspace: 'acme',
  object: 'deal',
  body: { data: { type: 'deal', attributes: { name } } },
})

test('serves the batches that httpBatchStreamLink sends: results and errors, each as soon as it is there', async () => {
  const client = createTRPCClient<AppRouter>({ links: [httpBatchStreamLink({ url, headers })] })
  const [made, wrong, listed] = await Promise.allSettled([
    client.records.create.mutate(deal('Streamed') as Json),
    client.records.create.mutate({ ...deal('Nowhere'), workspace: 'nowhere' } as Json),
    client.resources.list.query({ workspace: 'acme', object: 'deal' } as Json),
  ])
  expect(made).toMatchObject({ status: 'fulfilled', value: { data: { attributes: { name: 'Streamed' } } } })
  expect(wrong).toMatchObject({ status: 'rejected', reason: { data: { httpStatus: 404 } } })
  expect(listed.status).toBe('fulfilled')
  const total = (await app.api.get('/workspaces/acme/objects/deal/resources')).body.meta.total_records
  expect(total).toBe(1)
})

/** The class that browsers have; Node has it behind a flag. */
class Source extends EventTarget {
  readyState = 0
  readonly CLOSED = 2
  readonly #ended = new AbortController()
  constructor(address: string, init: { readonly headers: Record<string, string> }) {
    super()
    this.#read(address, init.headers).catch(() => (this.readyState = 2))
  }
  async #read(address: string, given: Record<string, string>): Promise<void> {
    const { body } = await fetch(address, { headers: given, signal: this.#ended.signal })
    let rest = ''
    for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + chunk).split('\n\n')
      rest = blocks.pop()!
      for (const block of blocks) {
        const member = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
        const data = member('data')
        if (data === undefined) continue
        this.dispatchEvent(new MessageEvent(member('event') ?? 'message', { data, lastEventId: member('id') ?? '' }))
      }
    }
  }
  close(): void {
    this.readyState = 2
    this.#ended.abort()
  }
}

test('serves the stream of events to httpSubscriptionLink, from a position on', async () => {
  const links = [
    httpSubscriptionLink({ url, EventSource: Source as Json, eventSourceOptions: async () => ({ headers }) as Json }),
  ]
  const client = createTRPCClient<AppRouter>({ links })
  // On Postgres jobs number events: those of what was done before now, and the others as they come.
  await app.startJobs()
  await app.events()
  const { meta } = (await app.api.get('/workspaces/acme/events')).body
  const got: Json[] = []
  const first = await records.create('deal', { name: 'First' })
  const subscription = client.events.stream.subscribe(
    { workspace: 'acme', lastEventId: String(meta.last_sequence) },
    { onData: (event) => void got.push(event) },
  )
  await until(() => got.length >= 1)
  const second = await records.create('deal', { name: 'Second' })
  await until(() => got.length >= 2)
  subscription.unsubscribe()
  expect(got.map(({ data }) => [data.attributes.type, data.attributes.record_id])).toEqual([
    ['record.created', first.id],
    ['record.created', second.id],
  ])
  expect(Number(got[0].id)).toBe(got[0].data.attributes.sequence)
})
