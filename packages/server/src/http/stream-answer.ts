import type { ServerResponse } from 'node:http'
import type { Stream, StreamSink } from '../kernel/implement.ts'
import { apiSecurityHeaders } from './answer.ts'
import { taken } from './chunked-answer.ts'

/** Longest that a client may take for what is written at once. Nothing more is read for it until then. */
const takenMaxMs = 30_000

/**
 * Sends a stream: no piece waits for another, so it is not compressed, and proxies are asked not to hold it back.
 */
export async function sendStream(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  stream: Stream['stream'],
  letGo: (response: ServerResponse) => void,
): Promise<void> {
  response.writeHead(200, {
    ...apiSecurityHeaders,
    ...headers,
    'Content-Type': 'text/event-stream; charset=utf-8',
    'X-Accel-Buffering': 'no',
  })
  if (response.req.method === 'HEAD') return void response.end()
  response.flushHeaders()
  letGo(response)
  try {
    await stream(sinkOf(response))
    response.end()
  } catch (error) {
    response.destroy()
    throw error
  }
}

const sinkOf = (response: ServerResponse): StreamSink => ({
  get isOpen() {
    return !response.destroyed
  },
  write: async (text) => !response.destroyed && (response.write(text) || taken(response, response, takenMaxMs)),
  onClose: (listener) => void response.once('close', listener),
})
