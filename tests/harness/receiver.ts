import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { atEnd } from './at-end.ts'
import type { Json } from './http.ts'
import { until } from './until.ts'

/** A request that a receiver got. */
export type Received = {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: Json
  readonly at: number
}

type Answer = (response: ServerResponse, request: Received) => void

/** Longer than any delivery of ours takes on a busy machine. */
const waitMs = 60_000

export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(code, headers).end(`answered ${code}`)

/** A real receiver of webhooks, which keeps what it gets and answers as it is told: 200 by default. */
export async function receiver() {
  const got: Received[] = []
  let answers: Answer[] = []
  let otherwise: Answer = status(200)
  let taken = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const one = { path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text), at: Date.now() }
      got.push(one)
      ;(answers.shift() ?? otherwise)(response, one)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  const untilThere = async (count: number): Promise<void> => {
    await until(() => got.length >= count, {
      withinMs: waitMs,
      what: () => `only ${got.length} of ${count} requests have come`,
    })
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    got,
    /** Answers the next requests so, one after another. */
    answer: (...next: Answer[]) => void (answers = next),
    /** Answers all others so. */
    always: (answer: Answer) => void (otherwise = answer),
    until: untilThere,
    /** The next request that no test has taken. */
    async next(): Promise<Received> {
      await untilThere(taken + 1)
      return got[taken++]!
    },
  }
}

/** Throws unless a request is signed with a secret, as the reference library of Standard Webhooks sees it. */
export const verify = ({ text, headers }: Received, secret: string): unknown =>
  new Webhook(secret).verify(text, headers as Record<string, string>)

/** Returns whether a request has a signature of a secret, of any age: `verify` accepts only those of a few minutes. */
export function isSignedWith({ text, headers }: Received, secret: string): boolean {
  const sentAt = new Date(Number(headers['webhook-timestamp']) * 1000)
  const signature = new Webhook(secret).sign(String(headers['webhook-id']), sentAt, text)
  return String(headers['webhook-signature']).split(' ').includes(signature)
}
