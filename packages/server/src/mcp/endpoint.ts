import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { defined } from '../lib/guards.ts'
import type { McpCaller } from './context.ts'
import type { ToolServices } from './run.ts'
import { listedTools, serverFor } from './server.ts'

/** Answers messages of the protocol: its version of 2026-07-28, and those before, which begin with `initialize`. */
export type McpEndpoint = {
  readonly answer: (request: Request, message: unknown, caller: McpCaller) => Promise<Response>
}

/** No client follows changes: the lists of tools, prompts and resources are the same for as long as a server runs. */
const subscriptionsMax = 0

export function mcpEndpoint(services: ToolServices): McpEndpoint {
  const listed = listedTools(services)
  const callers = new WeakMap<Request, McpCaller>()
  const current = createMcpHandler(
    ({ requestInfo }) => serverFor(services, defined(callers.get(defined(requestInfo))), listed),
    { legacy: 'reject', maxSubscriptions: subscriptionsMax, keepAliveMs: 0 },
  )
  return {
    async answer(request, message, caller) {
      if (await isLegacyRequest(request, message)) return answerBefore(services, request, message, caller, listed)
      callers.set(request, caller)
      return current.fetch(request, { parsedBody: message })
    },
  }
}

/** Answers a message of a version that had sessions, without one. */
async function answerBefore(
  services: ToolServices,
  request: Request,
  message: unknown,
  caller: McpCaller,
  listed: ReturnType<typeof listedTools>,
): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  const server = serverFor(services, caller, listed)
  await server.connect(transport)
  const response = await transport.handleRequest(request, { parsedBody: message })
  const body = await response.text()
  await server.close()
  return new Response(body === '' ? null : body, response)
}
