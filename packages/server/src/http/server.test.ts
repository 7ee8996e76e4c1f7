import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { createLimitedServer, drain, endConnections, listen } from './server.ts'

test('answers all who have connected when the port closes', async () => {
  const server = createLimitedServer(30_000, (_request, response) => void response.end('served'))
  const port = await listen(server, 0, '127.0.0.1')
  const clients = Array.from({ length: 40 }, () => connect(port, '127.0.0.1'))
  await Promise.all(clients.map((client) => once(client, 'connect')))
  const answers = clients.map(async (client) => {
    client.write('GET / HTTP/1.1\r\nHost: test\r\n\r\n')
    const chunks: Buffer[] = []
    for await (const chunk of client) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks).toString().split('\r\n').at(-1)
  })
  endConnections(server)
  const drained = drain(server, 10_000)
  expect(await Promise.all(answers)).toEqual(clients.map(() => 'served'))
  await drained
})
