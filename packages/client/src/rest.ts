import { pathParameters, type CallInput, type Endpoint, type ErrorBody, type Output } from '@kontor/contract'
import { authorization, baseOf, type Connection } from './credential.ts'
import { ConnectionFailed, KontorError } from './errors.ts'
import { queryString } from './query-string.ts'

export type CallOptions = {
  /** The same key again gives the first answer again, and changes nothing twice. */
  readonly idempotencyKey?: string
  /** Changes only this version; 412 otherwise. */
  readonly ifMatch?: string
  readonly signal?: AbortSignal
}

export type Answer<T> = { readonly status: number; readonly headers: Headers; readonly body: T }

type PageOf = { readonly links: { readonly next: string | null } }

/** REST, typed by the contract's endpoints; throws KontorError and ConnectionFailed. */
export type RestClient = {
  /** One request: path and query parameters flat, the body under `body`, as in tRPC. */
  readonly call: <E extends Endpoint>(
    endpoint: E,
    input: CallInput<E>,
    options?: CallOptions,
  ) => Promise<Answer<Output<E>>>
  /** Page after page of a list, following `links.next`. */
  readonly pages: <E extends Endpoint>(
    endpoint: E,
    input: CallInput<E>,
    options?: CallOptions,
  ) => AsyncGenerator<Output<E> & PageOf, void, undefined>
}

/** A client of the REST API for one caller. */
export function createRestClient(connection: Connection): RestClient {
  const base = baseOf(connection)

  async function send<T>(
    method: string,
    url: string,
    body: unknown,
    { idempotencyKey, ifMatch, signal }: CallOptions = {},
  ): Promise<Answer<T>> {
    const headers = {
      Authorization: authorization(connection),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
    }
    const { response, text } = await fetchText(url, {
      method,
      headers,
      signal: signal ?? null,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const parsed = parseJson(text)
    if (response.ok && (text === '' || parsed !== undefined))
      return { status: response.status, headers: response.headers, body: parsed as T }
    throw refusal(`${method} ${withoutQuery(url)}`, response, parsed)
  }

  const urlFor = (endpoint: Endpoint, input: Readonly<Record<string, unknown>>): string => {
    const names = new Set(pathParameters(endpoint.path))
    const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])))
    const query = Object.entries(input).filter(([name]) => name !== 'body' && !names.has(name))
    return `${base}${path}${queryString(Object.fromEntries(query))}`
  }

  return {
    call: (endpoint, input, options) =>
      send(endpoint.method, urlFor(endpoint, input), (input as { body?: unknown }).body, options),

    async *pages<E extends Endpoint>(endpoint: E, input: CallInput<E>, options?: CallOptions) {
      let next: string | null = urlFor(endpoint, input)
      while (next !== null) {
        const page: Output<E> & PageOf = (await send<Output<E> & PageOf>('GET', next, undefined, options)).body
        yield page
        next = page.links.next
      }
    },
  }
}

/** What may be shown and logged: queries hold what people search for. */
const withoutQuery = (url: string): string => url.split('?', 1)[0] as string

async function fetchText(url: string, init: RequestInit): Promise<{ response: Response; text: string }> {
  try {
    const response = await fetch(url, init)
    return { response, text: await response.text() }
  } catch (error) {
    throw new ConnectionFailed(withoutQuery(url), error)
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function refusal(request: string, { status, headers }: Response, body: unknown): KontorError {
  const { errors } = (body ?? {}) as Partial<ErrorBody>
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN)
  return new KontorError(
    request,
    status,
    Array.isArray(errors) ? errors : [],
    Number.isNaN(retryAfter) ? undefined : retryAfter,
  )
}
