import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { newWorkflow } from '../automation/runs.ts'
import type { Call } from './http.ts'

/** The events that the webhook is sent. */
export const sentTypes = ['record.created', 'record.updated', 'record.deleted']

/** Takes deliveries, and knows their events. */
export async function startReceiver() {
  const events = new Set<string>()
  let deliveries = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      deliveries++
      events.add((JSON.parse(Buffer.concat(chunks).toString()) as { id: string }).id)
      response.writeHead(200).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    /** Number of events that have come, and of deliveries of them. */
    counts: () => ({ events: events.size, deliveries }),
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const isNamed = { field: 'state.event.object.data.job_title', op: 'Contains', value: 'nothing like it' }

const branch = (key: string) => ({
  key,
  plugin_id: 'general:branch',
  input: { branches: [{ key: 'never', filter: isNamed, next: null }] },
})

/** Lets a webhook, a workflow and a dynamic list follow the persons of a workspace; returns the list. */
export async function followPersons(call: Call, receiverUrl: string): Promise<string> {
  await call('POST', 'webhooks', { url: receiverUrl, events: sentTypes, filter: { object: 'person' } })
  await call('POST', 'workflows', newWorkflow('New persons', [branch('one'), branch('two')], [], 'person'))
  const query = { sql: "SELECT p.* FROM person p WHERE p.job_title = 'Analyst'" }
  const list = { title: 'Analysts', type: 'dynamic', query }
  return (await call<{ data: { id: string } }>('POST', 'objects/person/lists', list)).data.id
}
