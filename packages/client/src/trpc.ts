import {
  createTRPCClient,
  type getFetch,
  httpBatchLink,
  httpLink,
  splitLink,
  TRPCClientError,
  type Operation,
  type TRPCLink,
} from '@trpc/client'
import { observable } from '@trpc/server/observable'
import type { ErrorCode, ErrorObject } from '@kontor/contract'
import type { AppRouter } from '@kontor/contract/trpc'
import { baseOf, type Connection } from './connection.ts'
import type { Refusal } from './errors.ts'
import type { ObjectTypes } from './object-types.ts'
import { newIdempotencyKey } from './idempotency-key.ts'
import { retryAfter } from './retries.ts'
import { Sender } from './sender.ts'
import type { KontorClient, TypedKontorClient } from './trpc-types.ts'

/** Limits of the server: calls in one batch, and bytes of one URL. */
const batchMax = 50
const urlBytesMax = 8000
/** Leaves room in a URL for its host, path and name of the call. */
const inputCharactersMax = 6000

/** The API refused a call over tRPC. */
export class KontorTrpcError extends TRPCClientError<AppRouter> implements Refusal {
  // tRPC's own class declares its name as a plain text.
  override readonly name: string = 'KontorTrpcError'
  readonly status: number
  readonly errors: readonly ErrorObject[]
  readonly retryAfterSeconds: number | undefined

  constructor(error: TRPCClientError<AppRouter>) {
    super(error.message, { cause: error, ...(error.meta !== undefined && { meta: error.meta }) })
    // tRPC's own constructor takes the class away from what extends it.
    Object.setPrototypeOf(this, KontorTrpcError.prototype)
    Object.assign(this, { shape: error.shape, data: error.data })
    this.status = error.data?.httpStatus ?? 0
    this.errors = error.data?.body.errors ?? []
    const { response } = (error.meta ?? {}) as { response?: Response }
    this.retryAfterSeconds = response && retryAfter(response.headers)
  }

  get code(): ErrorCode | undefined {
    return this.errors[0]?.code
  }
}

/** Throws what the API has refused as KontorTrpcError; other errors stay as they are. */
const refusalLink: TRPCLink<AppRouter> =
  () =>
  ({ next, op }) =>
    observable((observer) =>
      next(op).subscribe({
        next: (value) => observer.next(value),
        complete: () => observer.complete(),
        error: (error) => observer.error(error.data?.body === undefined ? error : new KontorTrpcError(error)),
      }),
    )

/** Options of a call beside its input: `client.records.update.mutate(input, { context: { ifMatch } })`. */
export type CallContext = {
  readonly idempotencyKey?: string
  readonly ifMatch?: string
}

const contextOf = ({ context }: Operation): CallContext => context

/** The headers of one request; a batch has one key, and the server makes one of its own for each call of it. */
function headersOf(operations: readonly Operation[]): Record<string, string> {
  const [first] = operations
  const { idempotencyKey, ifMatch } = first === undefined ? {} : contextOf(first)
  const key = idempotencyKey ?? (first?.type === 'mutation' ? newIdempotencyKey() : undefined)
  return { ...(key !== undefined && { 'Idempotency-Key': key }), ...(ifMatch !== undefined && { 'If-Match': ifMatch }) }
}

/** Tells whether a query fits into no URL; it is sent by POST, without others. */
const isTooLong = ({ type, input }: Operation): boolean =>
  type === 'query' && encodeURIComponent(JSON.stringify(input) ?? '').length > inputCharactersMax

/**
 * The links of a tRPC client for one caller: for `createTRPCClient`, and for what TanStack Query or others build on it.
 * Calls made at once travel in one request, but for those with a context of their own.
 */
export function kontorLinks(connection: Connection): TRPCLink<AppRouter>[] {
  const sender = new Sender(connection)
  const options = {
    url: `${baseOf(connection).replace(/\/v1$/, '')}/trpc`,
    fetch: (async (url, init) => {
      const { method = 'GET', headers, body, signal } = init ?? {}
      const request = {
        method,
        headers: Object.fromEntries(new Headers(headers)),
        ...(typeof body === 'string' && { body }),
        signal: (signal as AbortSignal | null) ?? undefined,
      }
      const { response, body: text } = await sender.send(String(url), request, (answer) => answer.text())
      return new Response(text, { status: response.status, headers: response.headers })
    }) satisfies ReturnType<typeof getFetch>,
  }
  return [
    refusalLink,
    splitLink({
      condition: isTooLong,
      true: httpLink({ ...options, headers: ({ op }) => headersOf([op]), methodOverride: 'POST' }),
      false: splitLink({
        condition: (op) => contextOf(op).idempotencyKey !== undefined || contextOf(op).ifMatch !== undefined,
        true: httpLink({ ...options, headers: ({ op }) => headersOf([op]) }),
        false: httpBatchLink({
          ...options,
          headers: ({ opList }) => headersOf(opList),
          maxItems: batchMax,
          maxURLLength: urlBytesMax,
        }),
      }),
    }),
  ]
}

/**
 * Creates a tRPC client for one caller; calls that are made at the same time share one request. With the types that
 * `kontor types` writes, records are typed by their objects: `createKontorClient<Objects>(…)`. Responses are not
 * checked against these types: write them again when schemas change.
 */
export function createKontorClient(connection: Connection): KontorClient
export function createKontorClient<O extends { [N in keyof O]: ObjectTypes }>(
  connection: Connection,
): TypedKontorClient<O>
export function createKontorClient(connection: Connection): unknown {
  return createTRPCClient<AppRouter>({ links: kontorLinks(connection) })
}
