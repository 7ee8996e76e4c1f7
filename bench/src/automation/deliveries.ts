import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Running } from './stand.ts'
import { waitUntil } from '../wait.ts'

const perSecond = 100

/** Milliseconds from events to their first attempts of delivery. */
export type Lags = { readonly p50: number; readonly p95: number; readonly most: number; readonly perSecond: number }

/** A program that is sent events and answers each at once, and how late each came. */
async function startReceiver() {
  const lags = new Map<string, number>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { id, timestamp } = JSON.parse(Buffer.concat(chunks).toString()) as { id: string; timestamp: string }
      if (!lags.has(id)) lags.set(id, Date.now() - Date.parse(timestamp))
      response.writeHead(200).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    lags,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Creates a hundred companies a second for some seconds, each in a request of its own, and waits for all of them. */
export async function measureDeliveries(running: Running, seconds: number): Promise<Lags> {
  const { call } = running
  const receiver = await startReceiver()
  const hook = await call('POST', '/webhooks', {
    url: receiver.url,
    events: ['record.created'],
    filter: { object: 'company' },
  })
  const count = seconds * perSecond
  const started = performance.now()
  const sent: Promise<unknown>[] = []
  try {
    for (let number = 0; number < count; number++) {
      const early = started + (number * 1000) / perSecond - performance.now()
      if (early > 1) await sleep(early)
      const data = { type: 'company', attributes: { name: `Delivered ${number}` } }
      sent.push(call('POST', '/objects/company/records', { data }))
    }
    await Promise.all(sent)
    const took = (performance.now() - started) / 1000
    await waitUntil(async () => receiver.lags.size >= count, 'all events have come')
    const lags = [...receiver.lags.values()].toSorted((a, b) => a - b)
    const at = (part: number): number => lags[Math.floor(lags.length * part)] ?? 0
    return { p50: at(0.5), p95: at(0.95), most: lags.at(-1) ?? 0, perSecond: count / took }
  } finally {
    await call('PATCH', `/webhooks/${hook.data.id}`, { enabled: false })
    receiver.stop()
  }
}
