import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import {
  errorBody,
  errorCodes,
  errorCodesOf,
  errorDefinitions,
  withoutBody,
  pathParameters,
  responseOf,
  type Endpoint,
  type ErrorCode,
} from '@kontor/contract'
import type { Json } from '../harness/http.ts'
import { securityHeaders } from '../harness/security-headers.ts'
import type { Secrets } from './other-workspace.ts'
import type { Surface, WireAnswer, WireRequest } from './wire.ts'

/** The content of an answer, on any surface. */
export type StatusAndBody = { readonly status: number; readonly body: Json }

/** No reader needs more, and a small request must not be answered with a large refusal. */
const errorCharactersMax = 300_000
const detailCharactersMax = 1001

/** Returns the fault of an answer, undefined without one. The text up to the first colon is the kind of fault. */
export function faultOf(request: WireRequest, answer: WireAnswer, secrets: Secrets): string | undefined {
  if ((request.unparseable || isHeadTooLong(request)) && isParserRefusal(answer)) return undefined
  const leaked = secrets.foundIn(answer)
  if (leaked !== undefined) return `tells of another workspace: ${leaked}`
  if (answer.status >= 500) return `${answer.status}: ${answer.text.slice(0, 500)}`
  // Only half of a surrogate pair is written as an escape.
  if (/(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(answer.text)) return `half a character: ${answer.text.slice(0, 200)}`
  if (request.astray && toldBy(request, answer)?.body?.errors === undefined) return undefined
  return headerFault(request, answer) ?? bodyFault(request, answer)
}

/** Node itself refuses what is no HTTP, before there is a request. */
const isParserRefusal = ({ status, text }: WireAnswer): boolean => [400, 417, 431].includes(status) && text === ''

/** Node reads heads of 16 KiB. */
const isHeadTooLong = ({ target, headers }: WireRequest): boolean =>
  target.length + JSON.stringify(headers).length > 16_000

/** Returns whether the contract says that the answer has no body. */
const isBodyless = ({ surface, endpoint, batch }: WireRequest, { status }: WireAnswer): boolean =>
  status === 204 ||
  (surface === 'rest' && batch === undefined && endpoint.response === withoutBody && status === endpoint.status)

function headerFault(request: WireRequest, answer: WireAnswer): string | undefined {
  const { status, headers } = answer
  const missing = Object.entries(securityHeaders).find(([name, value]) => headers[name] !== value)
  if (missing !== undefined) return `header ${missing[0]}: ${headers[missing[0]]}`
  if (!/^[\w.:-]{1,128}$/.test(headers['x-request-id'] ?? '')) return `header x-request-id: ${headers['x-request-id']}`
  // JSON is UTF-8 whether or not it is said; trpc-to-openapi does not say it.
  const types = [
    'application/json; charset=utf-8',
    ...(request.endpoint?.media === undefined ? [] : [`${request.endpoint.media}; charset=utf-8`]),
    ...(request.surface === 'actions' ? ['application/json'] : []),
    ...(status >= 400 ? ['application/problem+json; charset=utf-8'] : []),
  ]
  return isBodyless(request, answer) || types.includes(headers['content-type'] ?? '')
    ? undefined
    : `header content-type: ${headers['content-type']}`
}

function bodyFault(request: WireRequest, answer: WireAnswer): string | undefined {
  if (request.method === 'HEAD' || isBodyless(request, answer))
    return answer.text === '' ? undefined : `a body where there is none: ${answer.text.slice(0, 200)}`
  const told = toldBy(request, answer)
  if (told === undefined) return `no JSON: ${answer.text.slice(0, 200)}`
  if (request.batch !== undefined && Array.isArray(told.body)) return batchFault(request, answer, told.body)
  return told.body?.errors === undefined ? successFault(request, answer, told) : errorFault(request, answer, told)
}

function batchFault(request: WireRequest, answer: WireAnswer, results: readonly Json[]): string | undefined {
  const { batch = [], ...one } = request
  // One call of the batch may say when to come again, and there is one header for all.
  const { 'retry-after': _, ...headers } = answer.headers
  if (results.length !== batch.length) return `${results.length} answers to a batch of ${batch.length}`
  for (const [index, result] of results.entries()) {
    const text = JSON.stringify(result)
    const told = toldBy(one, { ...answer, text, status: 200 }) as StatusAndBody
    const alone = { ...one, endpoint: batch[index] as Endpoint, body: undefined }
    if (told.status >= 500) return `500 in a batch: ${text.slice(0, 500)}`
    const fault =
      told.body?.errors === undefined
        ? successFault(alone, { ...answer, headers }, told)
        : errorFault(alone, { ...answer, text }, told)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Takes the wrapping of a surface off; undefined for what is no JSON. */
export function toldBy(
  { surface, batch }: WireRequest,
  { status, text, headers }: WireAnswer,
): StatusAndBody | undefined {
  let body: Json
  try {
    body = text === '' ? undefined : headers['content-type']?.startsWith('text/csv') === true ? text : JSON.parse(text)
  } catch {
    return undefined
  }
  // A client that asks with `batch=1` for one call gets a list of one.
  if (surface === 'trpc' && batch === undefined && Array.isArray(body) && body.length === 1) [body] = body
  if (body?.error?.data?.body !== undefined) return { status: body.error.data.httpStatus, body: body.error.data.body }
  const wrapped = headers['content-type']?.startsWith('application/problem+json') === true || surface === 'actions'
  // Both say more about an error than the one body does: RFC 9457 what it asks for, trpc-to-openapi `message` and
  // `code`.
  if (wrapped && body?.errors !== undefined) return { status, body: { errors: body.errors } }
  return {
    status,
    body: surface === 'trpc' && body?.errors === undefined && !Array.isArray(body) ? body?.result?.data : body,
  }
}

const successesOf = ({ status = 200, alternativeStatus }: Endpoint): number[] => [
  status,
  ...(alternativeStatus ? [alternativeStatus.status] : []),
]

/** tRPC does not tell which of two successes it is. */
const schemaFor = (endpoint: Endpoint, surface: Surface, status: number): z.ZodType =>
  surface === 'trpc'
    ? responseOf(endpoint)
    : ((status === endpoint.alternativeStatus?.status ? endpoint.alternativeStatus.response : undefined) ??
      endpoint.response)

/** The app compares its answers with the contract too; this is what arrived. */
function successFault(
  { endpoint, surface }: WireRequest,
  { headers }: WireAnswer,
  { status, body }: StatusAndBody,
): string | undefined {
  if (surface === 'trpc' ? status !== 200 : !successesOf(endpoint).includes(status))
    return `undeclared success: ${status}`
  const parsed = schemaFor(endpoint, surface, status).safeParse(body)
  if (!parsed.success) return `undeclared shape: ${JSON.stringify(parsed.error.issues.slice(0, 3))}`
  if (!isDeepStrictEqual(parsed.data, body)) return 'undeclared members'
  return headers['retry-after'] === undefined ? undefined : 'header retry-after on a success'
}

/** tRPC and actions read a body for every call, so that any of them may have a wrong one. */
const bodyCodes: readonly ErrorCode[] = ['malformed_json', 'payload_too_large', 'unsupported_media_type']

const declaredFor = ({ endpoint, surface, astray }: WireRequest): readonly ErrorCode[] =>
  astray ? errorCodes : [...errorCodesOf(endpoint), ...(surface === 'rest' ? [] : bodyCodes)]

function errorFault(
  request: WireRequest,
  { headers, text }: WireAnswer,
  { status, body }: StatusAndBody,
): string | undefined {
  const parsed = errorBody.strict().safeParse(body)
  if (!parsed.success) return `no error body: ${JSON.stringify(parsed.error.issues.slice(0, 3))}`
  if (!isDeepStrictEqual(parsed.data, body)) return 'undeclared members of an error'
  if (text.length > errorCharactersMax) return `an error of ${text.length} characters`
  const declared = declaredFor(request)
  for (const { code, detail, title, id, source, ...error } of parsed.data.errors) {
    const definition = errorDefinitions[code]
    if (!declared.includes(code)) return `undeclared code ${code}: ${detail}`
    if (definition.status !== status || error.status !== String(status)) return `status of ${code}: ${status}`
    if (title !== definition.title) return `title of ${code}: ${title}`
    if (id !== headers['x-request-id']) return `id of an error: ${id}`
    if (detail.trim() === '' || detail.length > detailCharactersMax)
      return `detail of ${code}: ${detail.length} characters, ${detail.slice(0, 200)}`
    if (code === 'invalid_body' && source?.pointer === undefined) return `no pointer: ${detail}`
    if (code.startsWith('unknown_') && source === undefined) return `no source of ${code}: ${detail}`
    if (source?.pointer !== undefined && !pointsIntoBody(request, source.pointer))
      return `a pointer to nowhere: ${source.pointer.slice(0, 200)}`
    if (source?.parameter !== undefined && !wasSent(request, source.parameter))
      return `a parameter that was not sent: ${source.parameter.slice(0, 200)}`
  }
  return undefined
}

/**
 * Returns whether a body has the place, or one that a member is missing in. A body that is cut off, compressed or no
 * JSON is taken at its word.
 */
function pointsIntoBody({ surface, body, headers }: WireRequest, pointer: string): boolean {
  if (body === undefined || pointer.endsWith('…') || headers.some(([name]) => /^content-encoding$/i.test(name)))
    return true
  let place: Json
  try {
    place = JSON.parse(body.toString())
  } catch {
    return true
  }
  if (surface !== 'rest') place = place?.body
  const parts = pointer.split('/').slice(1, -1)
  return parts.every(
    (part) => (place = place?.[part.replaceAll('~1', '/').replaceAll('~0', '~')]) !== undefined && place !== null,
  )
}

/** Returns whether the query has a parameter of this name, or the path one; on other surfaces they are in the body. */
function wasSent({ surface, endpoint, target }: WireRequest, parameter: string): boolean {
  const name = parameter.split('[')[0] as string
  if (surface !== 'rest' || parameter.endsWith('…') || pathParameters(endpoint.path).includes(name)) return true
  const query = target.split(/\?(.*)/s, 2)[1] ?? ''
  try {
    return query.includes(name) || decodeURIComponent(query.replaceAll('+', ' ')).includes(name)
  } catch {
    return true
  }
}
