import { queryString } from '@kontor/contract/query-string'
import type { CallInput, Endpoint, Output, Streaming } from '@kontor/contract'
import { baseOf, type Connection } from './connection.ts'
import { newIdempotencyKey } from './idempotency-key.ts'
import type { Operation } from './operation.ts'
import { parseJson, refusal } from './refusal.ts'
import { Sender, withoutQuery } from './sender.ts'
import type { ServerSentEvent } from './server-sent-events.ts'
import { readStream } from './stream.ts'

export type CallOptions = {
  /**
   * The same key again gives the first answer again, and changes nothing twice. Every change has one, so that it can be
   * sent again; give your own where the program itself may begin again.
   */
  readonly idempotencyKey?: string
  /** Changes only this version; 412 otherwise. */
  readonly ifMatch?: string
  readonly signal?: AbortSignal
}

export type Answer<T> = { readonly status: number; readonly headers: Headers; readonly body: T }

type PageOf = { readonly links: { readonly next: string | null } }

/** An endpoint of the contract, or where it is. */
export type Callable<E extends Endpoint> = E | Operation<E>

/** REST, typed by the contract; throws KontorError and ConnectionFailed. */
export type RestClient = {
  /** One request: path and query parameters flat, the body under `body`, as in tRPC. */
  readonly call: <E extends Endpoint>(
    operation: Callable<E>,
    input: CallInput<E>,
    options?: CallOptions,
  ) => Promise<Answer<Output<E>>>
  /** Page after page of a list, following `links.next`. */
  readonly pages: <E extends Endpoint>(
    operation: Callable<E>,
    input: CallInput<E>,
    options?: CallOptions,
  ) => AsyncGenerator<Output<E> & PageOf, void, undefined>
  /** Item after item of a list, page by page. */
  readonly all: <E extends Endpoint>(
    operation: Callable<E>,
    input: CallInput<E>,
    options?: CallOptions,
  ) => AsyncGenerator<ItemOf<Output<E>>, void, undefined>
  /**
   * The blocks of a stream until the server ends it; a connection that breaks off throws ConnectionFailed. To go on,
   * ask again from the last `id`, as `followEvents` does.
   */
  readonly stream: <E extends Endpoint & Streaming>(
    operation: Callable<E>,
    input: CallInput<E>,
    options?: Pick<CallOptions, 'signal'>,
  ) => AsyncGenerator<ServerSentEvent, void, undefined>
}

export type ItemOf<Page> = Page extends { readonly data: readonly (infer Item)[] } ? Item : never

type Where = Pick<Endpoint, 'method' | 'path' | 'safe'>

/** The one other form of an answer beside JSON; a page of a proxy is none. */
const isTable = ({ headers }: Response): boolean => headers.get('Content-Type')?.startsWith('text/csv') === true

/** A client of the REST API for one caller. */
export function createRestClient(connection: Connection): RestClient {
  const base = baseOf(connection)
  const sender = new Sender(connection)

  const urlFor = ({ path }: Where, input: Readonly<Record<string, unknown>>): string => {
    const { body: _, ...rest } = input
    const query: Record<string, unknown> = rest
    const filled = path.replaceAll(/\{(\w+)\}/g, (_braces, name: string) => {
      const value = query[name]
      delete query[name]
      return encodeURIComponent(String(value))
    })
    return `${base}${filled}${queryString(query)}`
  }

  async function send<T>(
    { method, safe }: Omit<Where, 'path'>,
    url: string,
    body: unknown,
    { idempotencyKey, ifMatch, signal }: CallOptions = {},
  ): Promise<Answer<T>> {
    const key = idempotencyKey ?? (method === 'GET' || safe ? undefined : newIdempotencyKey())
    const headers = {
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(key !== undefined && { 'Idempotency-Key': key }),
      ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
    }
    const request = { method, headers, signal, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const { response, body: text } = await sender.send(url, request, (answer) => answer.text())
    const parsed = isTable(response) ? text : parseJson(text)
    if (response.ok && (text === '' || parsed !== undefined))
      return { status: response.status, headers: response.headers, body: parsed as T }
    throw refusal(`${method} ${withoutQuery(url)}`, response, parsed)
  }

  async function* pages<T>(operation: Where, input: object, options?: CallOptions) {
    let next: string | null = urlFor(operation, input as Record<string, unknown>)
    while (next !== null) {
      const page: T & PageOf = (await send<T & PageOf>(operation, next, undefined, options)).body
      yield page
      next = page.links.next
    }
  }

  return {
    call: (operation, input, options) =>
      send(operation, urlFor(operation, input), (input as { body?: unknown }).body, options),

    pages,

    async *all<E extends Endpoint>(operation: Callable<E>, input: CallInput<E>, options?: CallOptions) {
      for await (const { data } of pages<{ data: ItemOf<Output<E>>[] }>(operation, input, options)) yield* data
    },

    stream: (operation, input, { signal } = {}) => readStream(sender, urlFor(operation, input), signal),
  }
}
