import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export type SlowRequest = {
  readonly socket: Socket
  /** The answer so far, heads and bodies as they came. */
  readonly answered: () => string
  readonly isClosed: () => boolean
}

/** A connection that sends this much of a request and no more; closed when the test has finished. */
export function slowRequest(origin: string, text: string): SlowRequest {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  let answered = ''
  let closed = false
  socket.on('data', (chunk: Buffer) => (answered += chunk.toString()))
  socket.on('close', () => (closed = true))
  // Being cut off is what such a client must expect.
  socket.on('error', () => undefined)
  socket.write(text)
  onTestFinished(() => void socket.destroy())
  return { socket, answered: () => answered, isClosed: () => closed }
}

/** The head of a POST that announces a body. */
export const postHead = (path: string, bytes: number, authorization: string | undefined): string =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: kontor',
    ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
    'Content-Type: application/json',
    `Content-Length: ${bytes}`,
    '',
    '',
  ].join('\r\n')
