import { connect, type Socket } from 'node:net'
import { until } from './until.ts'

/** A request of which more may be sent later, on a connection of its own. */
export type RawRequest = {
  readonly send: (bytes: string | Buffer) => void
  /** The status and the text of what has come, once a status line is there. */
  readonly answer: () => Promise<{ status: number; text: string }>
  /** Waits for the server to close the connection. */
  readonly closed: () => Promise<unknown>
  readonly socket: Socket
}

/** Sends a request byte by byte: a head, and whatever of its body. */
export function rawRequest(origin: string, head: readonly string[], body: string | Buffer = ''): RawRequest {
  const { hostname, port } = new URL(origin)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  let text = ''
  let isClosed = false
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
  socket.on('error', () => undefined)
  socket.on('close', () => (isClosed = true))
  const send = (bytes: string | Buffer): void => void socket.write(bytes)
  send(`${[...head, `Host: ${hostname}:${port}`].join('\r\n')}\r\n\r\n`)
  if (body.length > 0) send(body)
  return {
    send,
    socket,
    async answer() {
      const [, status] = await until(() => /^HTTP\/1\.1 (\d{3}) [^]*?\r\n\r\n/.exec(text) ?? undefined)
      return { status: Number(status), text }
    },
    closed: () => until(() => isClosed),
  }
}
