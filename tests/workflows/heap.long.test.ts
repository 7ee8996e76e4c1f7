import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { apiOf } from '../harness/api.ts'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { say } from '../harness/long-run.ts'
import { startServer } from '../harness/server-process.ts'
import { rounds } from '../harness/size.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const many = rounds(60, 60)
const calls = 40
const heapMb = 256
const endMs = 600_000

const key = 'a key of at least thirty-two characters'
const app = await startApp({ encryptionKeys: [key] })
const { create, path } = workflowsOf(app)

/** Almost the most that a step may leave. */
const large = JSON.stringify('x'.repeat(990_000))

async function service(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    response.setHeader('content-type', 'application/json').end(large)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A server with little memory: what grows with the runs ends it. */
const startSmall = () =>
  startServer(app.databaseUrl, {
    NODE_OPTIONS: `--max-old-space-size=${heapMb}`,
    LOG_LEVEL: 'error',
    ENCRYPTION_KEYS: key,
    WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
  })

test(
  'sixty runs with forty outputs of 0.99 MB each end, in a small heap and beyond a kill',
  { timeout: endMs + 60_000 },
  async () => {
    const url = await service()
    const blocks = Array.from({ length: calls }, (_, index) => ({
      key: `call_${index}`,
      plugin_id: 'webhook:send:outbound',
      // The last names all that were before it.
      input: { url, body: index < calls - 1 ? {} : { all: '{{call_0.state.output.status}}' } },
    }))
    const { id } = await create({
      name: 'Large',
      enabled: true,
      ...chain({ plugin_id: 'on:manual:execution' }, ...blocks),
    })
    let server = await startSmall()
    const api = () => apiOf(app.http, server.baseUrl, app.credentials)
    for (let run = 0; run < many; run++)
      expect((await api().post(`${path}/${id}/runs`, { as: 'admin', body: {} })).status).toBe(201)

    const runs = async (): Promise<Json[]> =>
      (await api().get(`${path}/${id}/runs`, { as: 'admin', query: { 'page[limit]': 100 } })).body.data
    const heaps: number[] = []
    const ended = async (): Promise<number> => {
      const { body } = await app.http.send({ method: 'GET', url: `${new URL(server.baseUrl).origin}/metrics` })
      heaps.push(Number(/^nodejs_heap_size_used_bytes (\S+)/m.exec(body)?.[1]) / 2 ** 20)
      return (await runs()).filter(({ attributes }) => ['success', 'failed'].includes(attributes.status)).length
    }
    const until = async (count: number): Promise<void> => {
      const began = performance.now()
      while ((await ended()) < count) {
        if (performance.now() - began > endMs) throw new Error(`${await ended()} of ${many} runs have ended`)
        await sleep(500)
      }
    }

    await until(Math.floor(many / 4))
    expect(server.output()).not.toMatch(/"level":60/)
    await server.kill()
    server = await startSmall()
    await until(many)
    const codes = Map.groupBy(await runs(), ({ attributes }) => attributes.error?.code ?? attributes.status)
    say(`runs: ${[...codes].map(([code, some]) => `${some.length} ${code}`).join(', ')}`)
    say(`heap: at most ${Math.round(Math.max(...heaps))} MiB of ${heapMb}`)
    expect([...codes.keys()]).toEqual(['run_too_large'])
    expect(Math.max(...heaps)).toBeLessThan(heapMb)
    expect(await server.terminate()).toBe(0)
  },
)
