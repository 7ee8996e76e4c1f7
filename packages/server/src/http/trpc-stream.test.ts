import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { sendBatchStream } from './trpc-stream.ts'

test('the results of a batch wait together for a client that reads slowly', async () => {
  const body = 'x'.repeat(1024 * 1024)
  const results = Array.from({ length: 20 }, () => Promise.resolve({ body }))
  const listeners: number[] = []
  const server = createServer((_request, response) => {
    response.on('newListener', (name) => name === 'drain' && listeners.push(response.listenerCount('drain')))
    void sendBatchStream(response, {}, results, () => undefined)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const [answer] = (await once(get({ port, host: '127.0.0.1' }), 'response')) as [IncomingMessage]
  const lines = (await text(answer)).trimEnd().split('\n')
  expect(lines.map((line) => line.length > 1024 * 1024)).toEqual([false, ...results.map(() => true)])
  expect(listeners.length).toBeGreaterThan(0)
  expect(new Set(listeners)).toEqual(new Set([0]))
})
