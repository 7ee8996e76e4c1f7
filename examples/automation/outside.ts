import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

/** A request that the receiver was sent, and what it answered. */
export type Received = { readonly headers: IncomingHttpHeaders; readonly text: string; readonly status: number }

const refusals = 2

/** A program outside that is told of large deals; it refuses the first webhook that it ever sees, twice. */
export async function startReceiver() {
  const received: Received[] = []
  let refused = 0
  let first: unknown
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      first ??= request.headers['webhook-id']
      const isRefused = request.headers['webhook-id'] === first && refused++ < refusals
      const status = isRefused ? 503 : 200
      received.push({ headers: request.headers, text: Buffer.concat(chunks).toString(), status })
      response.writeHead(status).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/deals`,
    received,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** Throws unless a request is signed with the secret, as the reference library sees it. */
export const verify = ({ text, headers }: Received, secret: string): unknown =>
  new Webhook(secret).verify(text, headers as Record<string, string>)
