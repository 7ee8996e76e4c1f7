import { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import type { EventType } from './event-types.ts'
import type { PersonalScope, Scope } from './scopes.ts'

/**
 * The permitted callers: anyone (public), a caller with any credential, or with a user access token only (spec §5). A
 * public endpoint reads, is outside of workspaces and uses no database: its handler receives no caller. If the address
 * is the credential, a program that knows it may call; its request is handled in one transaction (spec §5.5).
 */
export type Caller = 'public' | 'address' | 'any' | 'user'

/** Least role in the workspace; by default `viewer` for GET and `member` for everything else. */
export type Role = 'viewer' | 'member' | 'admin'

/** The scopes of a key for the deliveries of one webhook; the id of the webhook follows. */
export type DeliveryScope = 'deliveries:read' | 'deliveries:write'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** An operation that is to go: since when that is known, when it ends, and which operation takes its place. */
export type Deprecation = {
  readonly since: string
  /** At least a year after `since`; undefined while no end is set. */
  readonly ends?: string
  readonly instead: string
}

/** One operation, as plain data: every surface, document and derived test reads it from here. */
export type Endpoint = {
  readonly method: Method
  readonly path: `/${string}`
  readonly summary: string
  readonly description: string
  /** A POST that only reads, since its question does not fit into a URL. */
  readonly safe?: true
  /**
   * A replica of the database may serve it, which is a moment behind. The caller sees at least what they have written
   * (docs/decisions/0388).
   */
  readonly replica?: true
  readonly caller: Caller
  /** `null`: no scope is asked for, the credential alone suffices. */
  readonly scope: Scope | null
  /** The scope that it requires beside its own, for the object of its records (docs/decisions/0025). */
  readonly recordScope?: 'records:read' | 'records:write'
  /**
   * A scope of keys that opens it in place of its own, for the one webhook that `id` in the path names
   * (docs/decisions/0155).
   */
  readonly deliveryScope?: DeliveryScope
  /**
   * Where no scope is asked for: whether an app that acts for a person may call too, with any scope or with this one
   * (docs/decisions/0093).
   */
  readonly openToApps?: true | PersonalScope
  readonly role?: Role
  /** Query parameters; nested objects are spelled with brackets in a URL (`page[offset]`). */
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /**
   * The items of `data` in the body stand for themselves where the call says `atomic=false`: whatever is wrong with one
   * is the error of that one, and the handler is given `instead` in its place.
   */
  readonly itemByItem?: { readonly item: z.ZodType; readonly instead: unknown }
  /** The body may also be a form, or of another type of JSON: it comes from programs that were not made for us. */
  readonly takesForms?: true
  /** Other query parameters are accepted over REST, and handed on: `query` names those that mean something. */
  readonly takesQuery?: true
  /** `bulk` admits 16 MiB where other bodies end at 1 MiB. */
  readonly bodySize?: 'bulk'
  readonly response: z.ZodType
  readonly status?: 200 | 201 | 202 | 204
  /**
   * A second success status and why it is given, for example an upsert that found its record; with a body of its own
   * where it differs, which may be a text where the usual one is JSON.
   */
  readonly alternativeStatus?: {
    readonly status: 200
    readonly description: string
    readonly response?: z.ZodType
    readonly media?: 'text/plain'
  }
  /** Errors beyond those that `errorCodesOf` derives. */
  readonly errors?: readonly ErrorCode[]
  /** Answers carry an `ETag`; a change honours `If-Match`. */
  readonly versioned?: true
  /** Answers carry an `ETag` that is a digest of their text, so that `If-None-Match` may spare them. */
  readonly digested?: true
  /** `dry_run` asks for a test run, which is stored; of any other endpoint it asks that nothing be. */
  readonly testRuns?: true
  /** The answer holds a secret that is shown once: it is never stored readably, not even for a replay. */
  readonly secret?: true
  /**
   * The answer is text of this type, sent while it is made; over tRPC and actions it is a string. A stream of events
   * goes on until its caller leaves: over tRPC it is a subscription, and actions have none.
   */
  readonly media?: 'text/csv' | 'text/plain' | 'text/event-stream'
  /** Events that a change may publish, one for each record or other thing that it changes; the certain ones first. */
  readonly emits?: readonly EventType[]
  /** Programs are told by the document and by each answer. */
  readonly deprecated?: Deprecation
  /** Requests that the samples of the document send; their responses are in `openapi/answers.json`. */
  readonly examples?: { readonly body: unknown }
}

export type Domain = Readonly<Record<string, Endpoint>>
export type Contract = Readonly<Record<string, Domain>>

/** Keeps the literal types of a domain's endpoints; an identity at run time. */
export const domain = <const D extends Domain>(endpoints: D): D => endpoints

type PathNames<S extends string> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | PathNames<Rest> : never
type Params<E extends Endpoint> = { [K in PathNames<E['path']>]: string }
type Query<E extends Endpoint, Side extends 'in' | 'out'> = E extends { readonly query: infer S extends z.ZodType }
  ? Side extends 'in'
    ? z.input<S>
    : z.output<S>
  : unknown
type Body<E extends Endpoint, Side extends 'in' | 'out'> = E extends { readonly body: infer S extends z.ZodType }
  ? { body: Side extends 'in' ? z.input<S> : z.output<S> }
  : unknown

/** The input over tRPC and actions: path and query parameters flat, the body under `body`. */
export type CallInput<E extends Endpoint> = Params<E> & Query<E, 'in'> & Body<E, 'in'>
/** The input of a handler: the same, parsed, with defaults filled in. */
export type Input<E extends Endpoint> = Params<E> & Query<E, 'out'> & Body<E, 'out'>
type AlternativeBody<E extends Endpoint> = E extends {
  readonly alternativeStatus: { readonly response: infer S extends z.ZodType }
}
  ? z.input<S>
  : never

/** The result of a handler, which the caller receives: responses have no transforms. */
export type Output<E extends Endpoint> = z.input<E['response']> | AlternativeBody<E>
/** The errors that an endpoint declares for itself. */
export type DeclaredErrors<E extends Endpoint> = E extends { readonly errors: readonly (infer C extends ErrorCode)[] }
  ? C
  : never

/** Endpoints that change nothing. */
export type Reading = { readonly method: 'GET' } | { readonly safe: true }

/** Path parameters in order of appearance. */
export const pathParameters = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string)

export const isMutation = (endpoint: Endpoint): boolean => endpoint.method !== 'GET' && endpoint.safe !== true

/** An answer that goes on until its caller leaves. */
export type Streaming = { readonly media: 'text/event-stream' }

export const isStream = ({ media }: Endpoint): boolean => media === 'text/event-stream'

/**
 * Tells whether a caller who has the answer already can skip it, by `If-None-Match`. The version of a record does not
 * allow it: what a reader is shown of it also changes with rights and schemas.
 */
export const isConditional = ({ method, digested }: Endpoint): boolean => method === 'GET' && digested === true

/** Tells whether an endpoint is called without a credential. */
export const isOpen = ({ caller }: Pick<Endpoint, 'caller'>): boolean => caller === 'public' || caller === 'address'

export const inWorkspace = (endpoint: Endpoint): boolean => endpoint.path.startsWith('/workspaces/{workspace}')

/** The least role that may call, where the path names a workspace. */
/**
 * Returns whether an answer has a page of a list and always its total, so that both are read in one state of the
 * database. Lists of records, which may leave the total out, see to that themselves.
 */
export const statesTotal = ({ method, response }: Endpoint): boolean => {
  const meta: unknown = response instanceof z.ZodObject ? response.shape['meta'] : undefined
  return method === 'GET' && meta instanceof z.ZodObject && meta.shape['total_records'] instanceof z.ZodNumber
}

/** Returns whether an endpoint answers with one resource that is there. */
export const readsOne = ({ method, response }: Endpoint): boolean =>
  method === 'GET' && response instanceof z.ZodObject && !(response.shape['data'] instanceof z.ZodArray)

/** Returns whether an endpoint changes a resource that is there by what its body says of it. */
export const isReplacement = ({ method, body }: Endpoint): boolean =>
  (method === 'PATCH' || method === 'PUT') && body !== undefined

export const roleOf = (endpoint: Endpoint): Role => endpoint.role ?? (isMutation(endpoint) ? 'member' : 'viewer')

const inputs = new WeakMap<Endpoint, z.ZodObject>()

/** One schema for a whole call, shared by tRPC, actions and the checks of REST. */
export function inputSchema(endpoint: Endpoint): z.ZodObject {
  let schema = inputs.get(endpoint)
  if (schema === undefined) {
    const params = Object.fromEntries(pathParameters(endpoint.path).map((name) => [name, z.string().min(1)]))
    schema = z.strictObject({ ...params, ...endpoint.query?.shape, ...(endpoint.body && { body: endpoint.body }) })
    inputs.set(endpoint, schema)
  }
  return schema
}

/** The body of any success of an endpoint. */
export const responseOf = ({ response, alternativeStatus }: Endpoint): z.ZodType =>
  alternativeStatus?.response === undefined ? response : z.union([response, alternativeStatus.response])

/** Every error that an endpoint may answer with: its own and those that follow from its shape. */
export function errorCodesOf(endpoint: Endpoint): ErrorCode[] {
  const codes = new Set<ErrorCode>([
    'unknown_parameter',
    'invalid_parameter',
    'uri_too_long',
    'internal',
    'starting',
    'unavailable',
    'overloaded',
  ])
  const add = (...more: ErrorCode[]) => more.forEach((code) => codes.add(code))
  if (!isOpen(endpoint)) add('unauthenticated', 'key_invalid', 'key_expired', 'insufficient_scope', 'rate_limited')
  if (endpoint.caller === 'user') add('user_token_required')
  if (inWorkspace(endpoint)) add('not_found')
  if (roleOf(endpoint) !== 'viewer' && inWorkspace(endpoint)) add('forbidden')
  // Also of those that take none: a body is refused there, since it would be ignored.
  add('invalid_body')
  if (endpoint.body) add('malformed_json', 'payload_too_large', 'unsupported_media_type')
  if (isMutation(endpoint) && !isOpen(endpoint)) add('idempotency_in_progress', 'idempotency_key_reused')
  if (endpoint.versioned && isMutation(endpoint) && endpoint.method !== 'POST') add('version_mismatch')
  add(...(endpoint.errors ?? []))
  return [...codes].toSorted()
}
