import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import findMyWay, { type HTTPMethod } from 'find-my-way'
import { isConditional, isMutation, isOpen, urlBytesMax, type Method } from '@kontor/contract'
import type { Call } from '../kernel/calls.ts'
import { Failure, failure } from '../kernel/errors.ts'
import { invoke } from '../kernel/invoke/invoke.ts'
import { isString } from '../lib/guards.ts'
import type { HeaderSink } from '../kernel/invoke/runtime.ts'
import { answerText } from '../markdown/index.ts'
import { send, sendAnswer, sendDigested, sendMarkdown, sendPlainText } from './answer.ts'
import { refuseBody } from './body.ts'
import { readForm } from './form.ts'
import { arrivalHeaders, incomingHeaders, type Note } from './exchange.ts'
import { sendChunks } from './chunked-answer.ts'
import { sendStream } from './stream-answer.ts'
import { compileQueryDecoder, type QueryDecoder } from './query-codec.ts'
import type { Transport } from './transport.ts'

type Route = { readonly call: Call; readonly decodeQuery: QueryDecoder }

const withColons = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

const prefix = '/v1'

/** Returns whether a URL is one of this surface. */
export const isRest = (url: string): boolean =>
  url.startsWith(`${prefix}/`) || url === prefix || url.startsWith(`${prefix}?`)

/**
 * All endpoints of the contract over a radix tree; overlapping paths fail the boot. Most requests come here, so it
 * stands beside Express, not in it: a sixth of all that a get would cost.
 */
export function restListener(transport: Transport): RequestListener {
  const { calls, exchange } = transport
  const router = findMyWay({ ignoreTrailingSlash: true, maxParamLength: urlBytesMax })
  for (const call of calls) {
    const route: Route = { call, decodeQuery: compileQueryDecoder(call.endpoint.query) }
    router.on(call.endpoint.method, withColons(`${prefix}${call.endpoint.path}`), () => undefined, route)
  }
  return (request, response) =>
    void exchange(request, response, (requestId, headers, note) =>
      answer(transport, router, request, response, requestId, headers, note),
    )
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly Method[]

/** The methods of the contract that a path takes. */
const methodsOf = (router: ReturnType<typeof findMyWay>, path: string): Method[] =>
  methods.filter((method) => router.find(method, path) !== null)

/** RFC 9110 §9.3: HEAD is GET without its body, and every path tells by OPTIONS what it takes. */
const allowed = (taken: readonly Method[]): string[] => [
  ...taken,
  ...(taken.includes('GET') ? ['HEAD'] : []),
  'OPTIONS',
]

/**
 * Answers a method for which a path has no operation: OPTIONS with those that it has, others with 405; 404 where it has
 * none.
 */
function answerWithoutOperation(
  router: ReturnType<typeof findMyWay>,
  { method = '' }: IncomingMessage,
  response: ServerResponse,
  path: string,
  headers: HeaderSink,
): void {
  const taken = methodsOf(router, path)
  const detail = `There is no ${method} ${path}.`
  if (taken.length === 0) throw failure('not_found', detail)
  const allow = allowed(taken)
  if (method !== 'OPTIONS')
    throw new Failure({ code: 'method_not_allowed', detail: `${detail} It accepts ${taken.join(', ')}.` }, { allow })
  send(response, 204, undefined, { ...headers, Allow: allow.join(', ') })
}

/** Of the parameters that an endpoint accepts, those that it declares. */
const declaredOf = ({ endpoint }: Call, query: ReturnType<typeof readForm>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(query).filter(([name]) => Object.hasOwn(endpoint.query?.shape ?? {}, name)))

const isPlainText = ({ endpoint: { media, alternativeStatus } }: Call): boolean =>
  (alternativeStatus?.media ?? media) === 'text/plain'

/** Returns whether a read is to be answered in Markdown. What has a media type of its own, or a digest, is not. */
const isMarkdownAsked = ({ headers: { accept = '' } }: IncomingMessage, { endpoint }: Call): boolean =>
  accept.includes('text/markdown') &&
  !isMutation(endpoint) &&
  !isConditional(endpoint) &&
  (endpoint.alternativeStatus?.media ?? endpoint.media) === undefined

async function answer(
  { runtime, readBody, holdAnswer, letGo, networkOf }: Transport,
  router: ReturnType<typeof findMyWay>,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  headers: HeaderSink,
  note: Note,
): Promise<void> {
  const { url = '' } = request
  const at = url.indexOf('?')
  const path = at === -1 ? url : url.slice(0, at)
  const found = router.find((request.method === 'HEAD' ? 'GET' : request.method) as HTTPMethod, path)
  if (found === null) return answerWithoutOperation(router, request, response, path, headers)
  const { call, decodeQuery } = found.store as Route
  const { params } = found
  note.operation = call.name
  const input: Record<string, unknown> = {}
  const search = at === -1 ? '' : url.slice(at + 1)
  const query = call.endpoint.takesQuery ? readForm(search) : {}
  const readInput = async () => {
    Object.assign(input, call.endpoint.takesQuery ? declaredOf(call, query) : decodeQuery(search), params)
    if (call.endpoint.body === undefined) await refuseBody(request)
    else
      input['body'] = await readBody(request, response, {
        size: call.endpoint.bodySize ?? 'normal',
        takesForms: call.endpoint.takesForms,
        isAnonymous: isOpen(call.endpoint),
      })
    return input
  }
  const inMarkdown = isMarkdownAsked(request, call)
  const outgoing = await invoke(
    runtime,
    call,
    {
      ...incomingHeaders(request, requestId),
      ...arrivalHeaders(request, call),
      network: networkOf(request),
      query,
      surface: 'rest',
      scope: params,
      readInput,
      ...(!inMarkdown && { takesChunks: true }),
    },
    headers,
  )
  Object.assign(headers, outgoing.headers)
  if (inMarkdown) return sendMarkdown(response, answerText(outgoing.body), headers, holdAnswer)
  if (isConditional(call.endpoint)) return sendDigested(response, outgoing.body, headers, holdAnswer)
  if (outgoing.stream !== undefined) return sendStream(response, headers, outgoing.stream, letGo)
  if (isString(outgoing.body) && isPlainText(call)) sendPlainText(response, outgoing.status, outgoing.body, headers)
  else if (outgoing.chunks !== undefined)
    await sendChunks(response, outgoing.status, headers, outgoing.chunks, call.endpoint.media)
  else
    await sendAnswer(response, outgoing.status, outgoing.status === 204 ? undefined : outgoing.body, headers, {
      isSecret: call.endpoint.secret === true,
      isRepeatable: !isMutation(call.endpoint),
      hold: holdAnswer,
    })
}
