import { connect, type Socket } from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { bytesOf, type WireAnswer, type WireRequest } from './wire.ts'

/** The time without a byte where an answer is due: it ends what hangs. */
const patienceMs = 60_000

type Waiting = {
  readonly request: WireRequest
  readonly resolve: (answer: WireAnswer) => void
  readonly reject: (error: Error) => void
}

/**
 * One connection that is kept alive, sending what it is given byte by byte as it is. Node's own client would refuse to
 * send half of it. Opens again where the server closed it.
 */
class Connection {
  readonly #host: string
  readonly #port: number
  #socket: Socket | undefined
  #received: Buffer = Buffer.alloc(0)
  #waiting: Waiting | undefined

  constructor(host: string, port: number) {
    this.#host = host
    this.#port = port
  }

  /** Sends one request and reads its answer; one at a time. */
  send(request: WireRequest): Promise<WireAnswer> {
    return new Promise((resolve, reject) => {
      const settle =
        <T>(done: (value: T) => void) =>
        (value: T) => {
          this.#waiting = undefined
          done(value)
        }
      this.#waiting = { request, resolve: settle(resolve), reject: settle(reject) }
      this.#open().write(bytesOf(request, `${this.#host}:${this.#port}`))
    })
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  #open(): Socket {
    if (this.#socket !== undefined) return this.#socket
    this.#received = Buffer.alloc(0)
    const socket = connect({ host: this.#host, port: this.#port, noDelay: true })
    socket.on('data', (chunk) => this.#take(chunk))
    socket.on('error', () => {})
    socket.setTimeout(patienceMs, () => {
      if (this.#waiting !== undefined) this.#end(new Error(`no answer in ${patienceMs} ms`))
    })
    socket.on('close', () => {
      if (this.#socket === socket) this.#end(new Error('the connection was closed without an answer'))
    })
    this.#socket = socket
    return socket
  }

  #end(error: Error): void {
    this.close()
    this.#waiting?.reject(error)
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    if (this.#waiting === undefined) return this.#end(new Error('bytes came without a request'))
    try {
      const parsed = parseAnswer(this.#received, this.#waiting.request.method === 'HEAD')
      if (parsed === undefined) return
      const { request, resolve, reject } = this.#waiting
      if (parsed.closes || declinesUpgrade(request)) this.close()
      this.#received = Buffer.alloc(0)
      if (parsed.rest > 0) reject(new Error('more came than one answer'))
      else
        resolve({
          status: parsed.status,
          headers: parsed.headers,
          text: decoded(parsed).toString(),
        })
    } catch (error) {
      this.#end(error as Error)
    }
  }
}

/** A body as it was before it was compressed, which a request may have asked for. */
function decoded({ headers, body }: ParsedAnswer): Buffer {
  if (body.length === 0) return body
  if (headers['content-encoding'] === 'br') return brotliDecompressSync(body)
  return headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
}

/** Where Node has declined an upgrade, it answers no later mistake on that connection; its time limits end it. */
const declinesUpgrade = ({ headers }: WireRequest): boolean => headers.some(([name]) => name === 'Upgrade')

/** Several connections that take turns. */
export class Connections {
  readonly #all: readonly Connection[]
  readonly #free: Connection[]
  readonly #waiting: ((connection: Connection) => void)[] = []

  constructor(origin: string, count: number) {
    const { hostname, port } = new URL(origin)
    this.#all = Array.from({ length: count }, () => new Connection(hostname, Number(port)))
    this.#free = [...this.#all]
  }

  async send(request: WireRequest): Promise<WireAnswer> {
    const connection = this.#free.pop() ?? (await new Promise<Connection>((resolve) => this.#waiting.push(resolve)))
    try {
      return await connection.send(request)
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#free.push(connection)
      else next(connection)
    }
  }

  close(): void {
    for (const connection of this.#all) connection.close()
  }
}

export type ParsedAnswer = {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: Buffer
  readonly rest: number
  readonly closes: boolean
}

/** One whole answer, or undefined where some of it is still missing. Interim answers (1xx) are passed over. */
export function parseAnswer(bytes: Buffer, isHead: boolean): ParsedAnswer | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3})(?: |$)/.exec(first)?.[1])
  if (Number.isNaN(status)) throw new Error(`no status line: ${first.slice(0, 100)}`)
  if (status < 200) return parseAnswer(bytes.subarray(end + 4), isHead)
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const [name = '', value = ''] = line.split(/:\s*(.*)/, 2)
    headers[name.toLowerCase()] = name.toLowerCase() in headers ? `${headers[name.toLowerCase()]}, ${value}` : value
  }
  const closes = headers['connection']?.toLowerCase() === 'close'
  const rest = bytes.subarray(end + 4)
  const empty = isHead || status === 204 || status === 304
  const body = empty
    ? { whole: Buffer.alloc(0), length: 0 }
    : headers['transfer-encoding'] === 'chunked'
      ? unchunked(rest)
      : sized(rest, Number(headers['content-length'] ?? 0))
  return body && { status, headers, body: body.whole, rest: rest.length - body.length, closes }
}

type Body = { readonly whole: Buffer; readonly length: number }

const sized = (bytes: Buffer, length: number): Body | undefined =>
  bytes.length < length ? undefined : { whole: bytes.subarray(0, length), length }

function unchunked(bytes: Buffer): Body | undefined {
  const parts: Buffer[] = []
  for (let at = 0; ;) {
    const line = bytes.indexOf('\r\n', at)
    if (line === -1) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16)
    const next = line + 2 + size + 2
    if (bytes.length < next) return undefined
    if (size === 0) return { whole: Buffer.concat(parts), length: next }
    parts.push(bytes.subarray(line + 2, line + 2 + size))
    at = next
  }
}
