/**
 * The load generator, a process of its own: raw sockets with one request at a time each, since a general HTTP client
 * costs
 * more for a request than the floor does and would flatter whatever is slower.
 */
import { connect, type Socket } from 'node:net'

/** The requests to send; `{n}` in bodies becomes a number that is never used twice. */
export type LoadSpec = {
  readonly port: number
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** Requested in turn. */
  readonly paths: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  /** Sent in turn; none for GET. */
  readonly bodies?: readonly string[] | undefined
  readonly connections: number
  readonly seconds: number
}

export type LoadResult = {
  readonly requests: number
  readonly perSecond: number
  readonly failures: number
  readonly firstFailure: string | undefined
  readonly p50: number
  readonly p99: number
  /** The longest of all. */
  readonly longest: number
}

const headerEnd = Buffer.from('\r\n\r\n')
let unique = 0

function run(spec: LoadSpec): Promise<LoadResult> {
  const headers = Object.entries({ Host: 'localhost', ...spec.headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const heads = spec.paths.map((path) => `${spec.method} ${path} HTTP/1.1\r\n${headers.join('')}`)
  const bodies = spec.bodies?.map((body) => body.split('{n}'))
  let turn = Math.floor(Math.random() * heads.length)
  const request = (): string => {
    const head = heads[turn++ % heads.length] as string
    const parts = bodies?.[turn % bodies.length]
    if (parts === undefined) return `${head}\r\n`
    const number = `${process.pid}x${++unique}x`
    const body = parts.reduce((text, part, index) => `${text}${number}${index}${part}`)
    return `${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  }
  return new Promise((resolve, reject) => {
    const started = performance.now()
    const until = started + spec.seconds * 1000
    const latencies: number[] = []
    let failures = 0
    let firstFailure: string | undefined
    let open = spec.connections
    const finish = (socket: Socket): void => {
      socket.destroy()
      if (--open > 0) return
      latencies.sort((a, b) => a - b)
      const at = (part: number) => latencies[Math.floor(latencies.length * part)] ?? 0
      const elapsed = (performance.now() - started) / 1000
      resolve({
        requests: latencies.length,
        perSecond: latencies.length / elapsed,
        failures,
        firstFailure,
        p50: at(0.5),
        p99: at(0.99),
        longest: latencies.at(-1) ?? 0,
      })
    }
    const answered = (status: string, text: () => string, ms: number): void => {
      latencies.push(ms)
      if (status.startsWith('2')) return
      failures++
      firstFailure ??= `${status} ${text().slice(0, 500)}`
    }
    for (let index = 0; index < spec.connections; index++)
      drive(spec.port, request, () => performance.now() < until, answered, finish, reject)
  })
}

/** One connection: sends, waits for the whole answer, sends again. */
function drive(
  port: number,
  request: () => string,
  more: () => boolean,
  answered: (status: string, text: () => string, ms: number) => void,
  finish: (socket: Socket) => void,
  fail: (error: Error) => void,
): void {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let sent = 0
  let status = ''
  let missing = -1
  let pending: Buffer | undefined
  const next = (): void => {
    if (!more()) return finish(socket)
    missing = -1
    pending = undefined
    sent = performance.now()
    socket.write(request())
  }
  socket.on('connect', next)
  socket.on('error', fail)
  socket.on('data', (chunk) => {
    if (missing < 0) {
      pending = pending === undefined ? chunk : Buffer.concat([pending, chunk])
      const end = pending.indexOf(headerEnd)
      if (end < 0) return
      const head = pending.toString('latin1', 0, end)
      status = head.slice(9, 12)
      const length = /content-length: *(\d+)/i.exec(head)?.[1]
      if (length === undefined) return fail(new Error(`no Content-Length in: ${head}`))
      missing = Number(length) - (pending.length - end - headerEnd.length)
    } else missing -= chunk.length
    if (missing > 0) return
    answered(status, () => pending?.toString() ?? '', performance.now() - sent)
    next()
  })
}

process.on('message', (spec: LoadSpec) => {
  run(spec).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
      process.exit(1)
    },
  )
})
process.on('disconnect', () => process.exit())
