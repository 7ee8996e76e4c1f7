import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Request as Incoming, RequestHandler, Response as Outgoing } from 'express'
import { Failure, failure } from '../kernel/errors.ts'
import type { HeaderSink } from '../kernel/invoke/runtime.ts'
import { isList, isString } from '../lib/guards.ts'
import type { McpEndpoint } from '../mcp/index.ts'
import { workspaceHeader } from '../mcp/workspace.ts'
import { send, sendAnswer, sendFailure, type SendFailure } from './answer.ts'
import type { Challenge } from './challenge.ts'
import { credentialOf, incomingHeaders } from './exchange.ts'
import type { Transport } from './transport.ts'

/** The path of the MCP server. */
export const mcpPath = '/mcp'

/** Answers `POST /mcp`: the Model Context Protocol over streamable HTTP, without sessions and streams. */
export function mcpMiddleware(
  transport: Transport,
  endpoint: () => Promise<McpEndpoint>,
  challenge: Challenge,
): RequestHandler {
  const refuse: SendFailure = (request, response, failed, requestId, headers) =>
    sendFailure(request, response, failed, requestId, { ...headers, ...challenge(failed, credentialOf(request)) })
  return (request, response) =>
    void transport.exchange(
      request,
      response,
      async (requestId, sink, note) => {
        note.operation = 'mcp'
        if (request.method !== 'POST')
          throw new Failure(
            { code: 'method_not_allowed', detail: `There is no ${request.method} ${mcpPath}. It accepts POST.` },
            { allow: ['POST', 'OPTIONS'] },
          )
        await answer(transport, await endpoint(), request, response, requestId, sink)
      },
      refuse,
    )
}

async function answer(
  transport: Transport,
  endpoint: McpEndpoint,
  request: Incoming,
  response: Outgoing,
  requestId: string,
  sink: HeaderSink,
): Promise<void> {
  const { runtime, readBody, networkOf } = transport
  const headers = { ...incomingHeaders(request, requestId), network: networkOf(request) }
  const actor = await runtime.authenticate(headers.authorization)
  const message = await readBody(request, response, { size: 'normal' })
  // Versions before 2025-06-18 had batches: one request could ask for more than any limit of requests foresees.
  if (isList(message)) throw failure('invalid_body', 'Send one message in each request.', { source: { pointer: '' } })
  const named = request.headers[workspaceHeader]
  let lacking: Failure | undefined
  const lacksScope = (failed: Failure) => void (lacking = failed)
  const caller = { actor, workspace: isString(named) ? named : undefined, headers, sink, lacksScope }
  const answered = await endpoint.answer(webRequest(request), message, caller)
  // The protocol has clients ask the person for a scope where they are answered 403 (step-up authorization).
  if (lacking !== undefined) throw lacking
  await forward(transport, response, answered, sink)
}

/** Headers of the protocol, which its SDK reads. */
const protocolHeaders = ['mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id']

/** The request for the SDK, whose body has been read. Older clients must accept streams too, which no answer is. */
function webRequest({ headers }: IncomingMessage): Request {
  const given = new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream' })
  for (const name of protocolHeaders) {
    const value = headers[name]
    if (isString(value)) given.set(name, value)
  }
  return new Request(`http://localhost${mcpPath}`, { method: 'POST', headers: given })
}

async function forward(
  { holdAnswer }: Transport,
  response: ServerResponse,
  answered: Response,
  sink: HeaderSink,
): Promise<void> {
  const text = await answered.text()
  if (text === '') return send(response, answered.status, undefined, sink)
  await sendAnswer(response, answered.status, JSON.parse(text), sink, {
    isSecret: false,
    isRepeatable: false,
    hold: holdAnswer,
  })
}
