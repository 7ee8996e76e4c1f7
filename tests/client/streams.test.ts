import { createRestClient, followEvents, uploadAttachment } from '@kontor/client'
import { verifyWebhook } from '@kontor/client/webhooks'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { attachmentsOf } from '../harness/attachments.ts'
import { receiver } from '../harness/receiver.ts'
import { recordsOf } from '../harness/records.ts'
import { webhooksOf } from '../harness/webhooks.ts'

const app = await startApp()
await app.startJobs()
const connection = { url: app.baseUrl, apiKey: app.credentials.keys.adminKey! }
const records = recordsOf(app)
const rest = createRestClient(connection)

/** Streams that break off after their first event. */
const breaking: typeof fetch = async (url, init) => {
  const response = await fetch(url, init)
  if (response.body === null || response.headers.get('content-type')?.startsWith('text/event-stream') !== true)
    return response
  let hasToldOne = false
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      if (hasToldOne) return controller.error(new Error('cut'))
      controller.enqueue(chunk)
      hasToldOne = new TextDecoder().decode(chunk).includes('data:')
    },
  })
  return new Response(response.body.pipeThrough(cut), { status: response.status, headers: response.headers })
}

test('events are followed over connections that break: none is missed, and none comes twice', async () => {
  const stopping = new AbortController()
  const wanted = 12
  const told: string[] = []
  const connected = Promise.withResolvers<void>()
  let waits = 0
  const following = (async () => {
    const options = { signal: stopping.signal, onConnect: connected.resolve, onWait: () => void waits++ }
    const client = createRestClient({ ...connection, fetch: breaking })
    const question = { workspace: 'acme', filter: { type: ['record.created' as const] } }
    for await (const { attributes } of followEvents(client, question, options)) {
      told.push(attributes.record_id)
      if (told.length === wanted) stopping.abort()
    }
  })()
  await connected.promise
  const made: string[] = []
  for (let index = 0; index < wanted; index++) made.push((await records.create('deal', { name: `Event ${index}` })).id)
  await following
  expect(told).toEqual(made)
  expect(waits).toBeGreaterThan(0)
})

test('a file is attached with its bytes, and its progress is told', async () => {
  const { id } = await records.create('person', { name: { first_name: 'Ada' } })
  const file = new File(['%PDF-1.4 an offer'], 'offer.pdf', { type: 'application/pdf' })
  const progress: [number, number][] = []
  const onProgress = (...sent: [number, number]): void => void progress.push(sent)
  const made = await uploadAttachment(rest, { workspace: 'acme', object: 'person', id }, file, { onProgress })
  expect(made).toEqual({ _id: expect.any(String), name: 'offer.pdf' })
  expect(progress).toEqual([[file.size, file.size]])
  const url = await attachmentsOf(app, 'admin').urlOf('person', id, made._id)
  expect(await (await fetch(url)).text()).toBe('%PDF-1.4 an offer')
})

test('what a webhook sends is verified with its secret, and nothing else is', async () => {
  const there = await receiver()
  const { secret } = await webhooksOf(app).create({ url: there.url, events: ['record.created'] })
  const { id } = await records.create('deal', { name: 'Told' })
  const { text, headers } = await there.next()
  expect(verifyWebhook(text, headers, secret)).toMatchObject({ type: 'record.created', record_id: id })
  for (const spelling of [`${secret}\n`, ` ${secret}\r\n`, `"${secret}"`, `'${secret}'\n`])
    expect(verifyWebhook(text, headers, spelling)).toMatchObject({ record_id: id })
  const listed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [String(value)]]))
  expect(verifyWebhook(new TextEncoder().encode(text), listed, secret)).toMatchObject({ record_id: id })
  expect(() => verifyWebhook(text, headers, undefined)).toThrow(/is the variable that it is read from set/)
  expect(() => verifyWebhook(text, headers, 'whsec_aa')).toThrow('No matching signature')
  expect(() => verifyWebhook(JSON.parse(text), headers, secret)).toThrow(/before a framework parses it/)
  for (const wrong of [
    '',
    '""',
    secret.slice(6),
    `"${secret}`,
    `${secret} ${secret}`,
    'whsec_',
    `${secret.slice(0, -4)}%`,
  ])
    expect(() => verifyWebhook(text, headers, wrong), wrong).toThrow(/The secret of a webhook is "whsec_" and base64/)
  expect(() => verifyWebhook(text.replace('deal', 'lead'), headers, secret)).toThrow('No matching signature')
  const sent = new Headers({ ...(headers as Record<string, string>), 'webhook-timestamp': '1700000000' })
  expect(() => verifyWebhook(text, sent, secret)).toThrow('too old')
})
