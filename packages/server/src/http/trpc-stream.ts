import type { ServerResponse } from 'node:http'
import type { Stream } from '../kernel/implement.ts'
import type { HeaderSink } from '../kernel/invoke/runtime.ts'
import { apiSecurityHeaders } from './answer.ts'
import { taken } from './chunked-answer.ts'

const batchHeaders = { 'Content-Type': 'application/jsonl; charset=utf-8', 'X-Accel-Buffering': 'no' }

/** Each call of the batch is a promise of its own: tRPC's encoding of `{0: promise, 1: promise}`. */
const headOf = (count: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [index, [[0], [null, 0, index]]])))

/**
 * Sends the results of a batch as `httpBatchStreamLink` of tRPC reads them: a line that promises all, then a line for
 * each as soon as it is there. The status is 200 whatever they are, since it is sent before them.
 */
export async function sendBatchStream(
  response: ServerResponse,
  headers: HeaderSink,
  results: readonly Promise<{ readonly body: unknown }>[],
  hold: (bytes: number) => void,
): Promise<void> {
  response.writeHead(200, { ...apiSecurityHeaders, ...headers, ...batchHeaders })
  response.write(`${headOf(results.length)}\n`)
  let bytes = 0
  let draining: Promise<boolean> | undefined
  // All results of a batch wait for the client together: each by itself would add listeners for each.
  const drained = (): Promise<boolean> =>
    (draining ??= taken(response, response).finally(() => {
      draining = undefined
    }))
  await Promise.all(
    results.map(async (result, index) => {
      const line = `${JSON.stringify([index, 0, [[(await result).body]]])}\n`
      if (response.destroyed) return
      hold((bytes += line.length))
      if (!response.write(line)) await drained()
    }),
  )
  response.end()
}

/** Begins a stream of events as `httpSubscriptionLink` of tRPC expects; what follows is the same for both. */
export const asSubscription =
  (stream: Stream['stream']): Stream['stream'] =>
  async (sink) => {
    if (await sink.write('event: connected\ndata: {}\n\n')) await stream(sink)
  }
