import type { z } from 'zod'
import { errorCodesOf, isConditional, isMutation, isOpen, type Endpoint } from '../endpoint.ts'
import { callsPerMinute } from '../limits.ts'
import { withoutBody } from '../shared.ts'
import { positionHeader, positionPattern } from '../position.ts'
import { answerOf } from './answers.ts'
import { errorDefinitions, type ErrorBody, type ErrorCode } from '../errors.ts'

const integer = { type: 'integer' as const, minimum: 0 }
const text = { type: 'string' as const }

/** Response headers, referenced by name. */
export const headers = {
  'X-Request-Id': { description: 'Id of the request; include it when you report a problem.', schema: text },
  ETag: {
    description: 'Version of the resource, for `If-Match`; of a document a digest, for `If-None-Match`.',
    schema: text,
    example: '"3"',
  },
  'Idempotency-Replayed': {
    description: '`true` if this is the stored response of an earlier request with the same `Idempotency-Key`.',
    schema: { ...text, enum: ['true'] },
  },
  [positionHeader]: {
    description: 'Position of the change in the database, for the same header of later reads. Absent without replicas.',
    schema: { ...text, pattern: positionPattern },
    example: '0000000016B374D8',
  },
  'Retry-After': { description: 'Seconds to wait before the next try.', schema: integer, example: 1 },
  'X-RateLimit-Limit': {
    description: 'Size of the bucket of this operation in tokens. Like the others, absent if limits are off.',
    schema: integer,
    example: callsPerMinute,
  },
  'X-RateLimit-Remaining': { description: 'Tokens left in it.', schema: integer, example: callsPerMinute - 1 },
  'X-RateLimit-Reset': { description: 'Seconds until the bucket is full.', schema: integer, example: 1 },
  'RateLimit-Policy': {
    description: 'The same bucket as a policy: `q` tokens, full in `w` seconds.',
    schema: text,
    example: `"default";q=${callsPerMinute};w=60`,
  },
  RateLimit: {
    description: 'The state of the bucket: `r` tokens are left, and it is full in `t` seconds.',
    schema: text,
    example: `"default";r=${callsPerMinute - 1};t=1`,
  },
}

type HeaderName = keyof typeof headers

const rateLimitHeaders = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
] as const

const headerReferences = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const successHeaders = (endpoint: Endpoint): HeaderName[] => [
  'X-Request-Id',
  ...(endpoint.versioned || endpoint.digested ? ['ETag' as const] : []),
  ...(isMutation(endpoint) && !isOpen(endpoint) ? (['Idempotency-Replayed', positionHeader] as const) : []),
  ...(isOpen(endpoint) ? [] : rateLimitHeaders),
]

const successTexts = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted; the work continues in the background.',
  204: 'Done; no body.',
} as const

type Success = {
  readonly status: number
  readonly description: string
  readonly schema: z.ZodType
  readonly media?: string | undefined
}

function contentOf(operationId: string, { status, schema, media = 'application/json' }: Success) {
  const example = answerOf(operationId, status)
  return { [media]: { schema, ...(example !== undefined && { example }) } }
}

function success(operationId: string, endpoint: Endpoint, usual: Success, more: Readonly<Record<string, object>> = {}) {
  return {
    description: usual.description,
    headers: headerReferences(successHeaders(endpoint)),
    ...(usual.schema !== withoutBody && { content: { ...contentOf(operationId, usual), ...more } }),
  }
}

/** The successes of an endpoint by status. */
export function successResponses(operationId: string, endpoint: Endpoint) {
  const { status = 200, response: schema, media, alternativeStatus } = endpoint
  const usual = { status, description: successTexts[status], schema, media }
  const other = alternativeStatus && { media, ...alternativeStatus, schema: alternativeStatus.response ?? schema }
  // Two of one status differ by their types.
  if (other?.status === status) {
    const description = `${usual.description} ${other.description}`
    const more = { [String(other.media)]: { schema: other.schema } }
    return { [status]: success(operationId, endpoint, { ...usual, description }, more) }
  }
  return {
    [status]: success(operationId, endpoint, usual),
    ...(isConditional(endpoint) && { 304: { $ref: '#/components/responses/NotModified' } }),
    ...(other && { [other.status]: success(operationId, endpoint, other) }),
  }
}

/** Returns an error as it is sent; the reference shows one for each code. */
function errorExample(code: ErrorCode): ErrorBody {
  const { status, title, fix } = errorDefinitions[code]
  return { errors: [{ id: '019b2f6e-7a00-7000-8000-00000000002a', status: String(status), code, title, detail: fix }] }
}

const pascalCase = (code: ErrorCode) => code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())

const retriesLater = (code: ErrorCode) => errorDefinitions[code].retry === 'later'

function errorResponse(codes: readonly ErrorCode[]) {
  const media = {
    schema: { $ref: '#/components/schemas/ErrorBody' },
    examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
  }
  const names: HeaderName[] = ['X-Request-Id', ...(codes.some(retriesLater) ? ['Retry-After' as const] : [])]
  return {
    description: `${codes.map((code) => `${errorDefinitions[code].title} (\`${code}\`)`).join(', ')}.`,
    headers: headerReferences(codes.includes('rate_limited') ? [...names, ...rateLimitHeaders] : names),
    content: { 'application/json': media, 'application/problem+json': media },
  }
}

/** Codes grouped by their status, in the order of the statuses. */
function codesByStatus(endpoint: Endpoint): Map<number, ErrorCode[]> {
  const codes = errorCodesOf(endpoint).toSorted((a, b) => errorDefinitions[a].status - errorDefinitions[b].status)
  return Map.groupBy(codes, (code) => errorDefinitions[code].status)
}

/** Responses that are the same everywhere, such as a status with one code: written once and referenced. */
export const sharedResponses = (endpoints: readonly Endpoint[]) => {
  const single = endpoints.flatMap((endpoint) =>
    [...codesByStatus(endpoint).values()].filter((codes) => codes.length === 1).flat(),
  )
  const notModified = {
    description: 'The document is unchanged since the response with this `ETag`; no body.',
    headers: headerReferences(['X-Request-Id', 'ETag', ...rateLimitHeaders]),
  }
  return {
    ...Object.fromEntries([...new Set(single)].map((code) => [pascalCase(code), errorResponse([code])])),
    ...(endpoints.some(isConditional) && { NotModified: notModified }),
  }
}

/** The errors of an endpoint by status. */
export const errorResponses = (endpoint: Endpoint) =>
  Object.fromEntries(
    [...codesByStatus(endpoint)].map(([status, codes]) => {
      const [code] = codes
      const shared = codes.length === 1 && code !== undefined
      return [status, shared ? { $ref: `#/components/responses/${pascalCase(code)}` } : errorResponse(codes)]
    }),
  )

/** An example of every error that some endpoint answers with. */
export const errorExamples = (endpoints: readonly Endpoint[]) =>
  Object.fromEntries(
    [...new Set(endpoints.flatMap(errorCodesOf))]
      .toSorted()
      .map((code) => [code, { summary: errorDefinitions[code].title, value: errorExample(code) }]),
  )
