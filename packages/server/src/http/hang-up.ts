import type { IncomingMessage, ServerResponse } from 'node:http'

/** How long a client that sends too much may go on, so that it reads why it was refused. */
const lingerMs = 5000

/** Ends a request that was answered before it has arrived; what arrives until then is discarded. */
function hangUp(request: IncomingMessage): void {
  if (request.complete) return
  request.resume()
  const timer = setTimeout(() => request.destroy(), lingerMs)
  request.once('close', () => clearTimeout(timer))
}

/** Does so once a response has been sent, however it turns out. */
export const hangUpAfter = (request: IncomingMessage, response: ServerResponse): unknown =>
  response.once('finish', () => hangUp(request))
