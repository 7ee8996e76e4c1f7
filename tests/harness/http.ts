import { Agent, request } from 'node:http'

/**
 * The type that `JSON.parse` returns: tests read answers freely, their shape is checked against the contract elsewhere.
 */
export type Json = ReturnType<typeof JSON.parse>

export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Undefined where the answer has no body. */
  readonly body: Json
}

export type Sent = {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  /** Sent as it is: whether it is JSON is up to the caller. */
  readonly body?: string | Buffer | undefined
}

/** Node's own client rather than fetch: it sends paths, headers and bodies as they are given, however wrong. */
export const httpClient = (maxSockets = 64) => {
  const agent = new Agent({ keepAlive: true, maxSockets })
  const send = ({ method, url, headers = {}, body }: Sent): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const at = url.indexOf('/', 'http://'.length)
      const { hostname, port } = new URL(url.slice(0, at))
      const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
      const outgoing = request(
        { agent, hostname, port, path: url.slice(at), method, headers: { ...length, ...headers } },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString()
            const isJson = response.headers['content-type']?.includes('json') === true
            const flat = Object.entries(response.headers).map(([name, value]) => [
              name,
              Array.isArray(value) ? value.join(', ') : value,
            ])
            resolve({
              status: response.statusCode ?? 0,
              headers: Object.fromEntries(flat),
              body: isJson && text !== '' ? JSON.parse(text) : text || undefined,
            })
          })
        },
      )
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  return { send, close: () => agent.destroy() }
}

export type HttpClient = ReturnType<typeof httpClient>
