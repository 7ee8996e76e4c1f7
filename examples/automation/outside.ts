import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

/** A request that the receiver was sent, whether its signature was right when it came, and what it answered. */
type Received = {
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly isSigned: boolean
  readonly status: number
}

const refusals = 2

/** A program outside that is told of large deals; it refuses the first webhook that it ever sees, twice. */
export async function startReceiver() {
  const received: Received[] = []
  let refused = 0
  let first: unknown
  let secret = ''
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      first ??= request.headers['webhook-id']
      const isRefused = request.headers['webhook-id'] === first && refused++ < refusals
      const status = isRefused ? 503 : 200
      const sent = { headers: request.headers, text: Buffer.concat(chunks).toString() }
      received.push({ ...sent, isSigned: isSignedBy(secret, sent), status })
      response.writeHead(status).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/deals`,
    received,
    /** From now on requests must be signed with it. */
    expect: (given: string) => void (secret = given),
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** Returns whether a request was signed recently with the secret, by the reference library. */
function isSignedBy(secret: string, { text, headers }: Pick<Received, 'text' | 'headers'>): boolean {
  try {
    new Webhook(secret).verify(text, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}
