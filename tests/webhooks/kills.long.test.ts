import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { longRun, say } from '../harness/long-run.ts'
import { isSignedWith, receiver } from '../harness/receiver.ts'
import { startServer } from '../harness/server-process.ts'
import { webhooksOf } from '../harness/webhooks.ts'

const key = 'a key of at least thirty-two characters'
const app = await startApp({ encryptionKeys: [key] })
const settings = { ENCRYPTION_KEYS: key, WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' }
const authorization = `api-key ${app.credentials.keys.memberKey!}`
const companies = '/workspaces/acme/objects/company/records'

/** As a client that knows of a change only what was answered; undefined where there was no answer. */
async function send(baseUrl: string, method: string, path: string, data: Json): Promise<Json> {
  try {
    const headers = { authorization, 'content-type': 'application/json' }
    const response = await fetch(`${baseUrl}${path}`, { method, headers, body: JSON.stringify({ data }) })
    return response.ok ? ((await response.json()) as Json).data : undefined
  } catch {
    return undefined
  }
}

/** Longer than twelve starts of a server and the wait for what they left. */
const limitMs = 300_000

const nameOf = (body: Json) => `${body.record_id} ${body.type.slice('record.'.length)}`

test(
  'servers that are killed while they send deliver every event, in order, under one id each',
  { timeout: limitMs },
  async () => {
    const { rounds, random } = longRun(12)
    const there = await receiver()
    const { secret } = await webhooksOf(app).create({
      url: there.url,
      events: ['record.created', 'record.updated'],
      filter: { object: 'company' },
    })
    // Slow enough to be on its way when the server dies. Refused now and then, once: the third attempt would be late.
    const refused = new Set<unknown>()
    there.always((response, { headers }) => {
      const isRefused = !refused.has(headers['webhook-id']) && random.between(1, 20) === 1
      if (isRefused) refused.add(headers['webhook-id'])
      const code = isRefused ? 500 : 200
      setTimeout(() => response.writeHead(code).end(), random.between(0, 150))
    })
    const expected: string[] = []
    for (let round = 1; round <= rounds; round++) {
      const server = await startServer(app.databaseUrl, settings)
      const until = performance.now() + random.between(300, 2500)
      while (performance.now() < until) {
        const made = await send(server.baseUrl, 'POST', companies, {
          type: 'company',
          attributes: { name: `${round}` },
        })
        if (made === undefined) continue
        expected.push(`${made.id} created`)
        const attributes = { name: `${round} again` }
        const path = `${companies}/${made.id}`
        if ((await send(server.baseUrl, 'PATCH', path, { type: 'company', id: made.id, attributes })) !== undefined)
          expected.push(`${made.id} updated`)
      }
      await server.kill()
    }
    const last = await startServer(app.databaseUrl, settings)
    const missing = () => {
      const got = new Set(there.got.map(({ body }) => nameOf(body)))
      return expected.filter((name) => !got.has(name))
    }
    // Leases of the server that died last run out, and what was refused is tried again.
    for (const started = performance.now(); missing().length > 0 && performance.now() - started < 90_000;)
      await sleep(200)
    say(`${expected.length} events, ${there.got.length} requests`)
    expect(missing()).toEqual([])
    const ids = Map.groupBy(there.got, ({ body }) => nameOf(body))
    for (const [name, requests] of ids)
      expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size, name).toBe(1)
    expect(there.got.every((request) => isSignedWith(request, secret))).toBe(true)
    const firsts = new Map<string, string[]>()
    for (const name of ids.keys()) {
      const [record = '', type = ''] = name.split(' ')
      firsts.set(record, [...(firsts.get(record) ?? []), type])
    }
    for (const [record, types] of firsts) expect(types, record).toEqual(['created', 'updated'].slice(0, types.length))
    expect(await last.terminate()).toBe(0)
  },
)
