import type { ErrorCode, ErrorObject } from '@kontor/contract'

/** A rejection by the API: every fault that it named, with the status of its response. */
export type Refusal = {
  readonly status: number
  readonly errors: readonly ErrorObject[]
  /** The code of the first fault; undefined when the answer did not come from Kontor (a proxy, say). */
  readonly code: ErrorCode | undefined
  /** Seconds after which the same request may be sent again, where the API says so. */
  readonly retryAfterSeconds: number | undefined
}

/** The API refused a request over REST. */
export class KontorError extends Error implements Refusal {
  override readonly name = 'KontorError'
  readonly status: number
  readonly errors: readonly ErrorObject[]
  readonly retryAfterSeconds: number | undefined
  /** The request, without its query: `GET http://…`. */
  readonly request: string

  constructor(request: string, status: number, errors: readonly ErrorObject[], retryAfterSeconds?: number) {
    super(errors.map(({ detail }) => detail).join(' ') || `The API returned ${status}.`)
    this.request = request
    this.status = status
    this.errors = errors
    this.retryAfterSeconds = retryAfterSeconds
  }

  get code(): ErrorCode | undefined {
    return this.errors[0]?.code
  }
}

const refusals = new Set(['KontorError', 'KontorTrpcError'])

/** Tells whether the API refused, over REST or tRPC; with a code, whether it refused for this reason. */
export const isKontorError = <C extends ErrorCode>(
  error: unknown,
  code?: C,
): error is Error & Refusal & { readonly code: C } =>
  error instanceof Error && refusals.has(error.name) && (code === undefined || (error as Error & Refusal).code === code)

/** No answer came: nothing listens there, the name is unknown, the connection broke or took too long. */
export class ConnectionFailed extends Error {
  override readonly name = 'ConnectionFailed'
  readonly url: string

  constructor(url: string, cause: unknown) {
    super(`No response from ${url}: ${reasonOf(cause)}`, { cause })
    this.url = url
  }
}

/** `fetch` hides what happened in the cause of its error. */
function reasonOf(error: unknown): string {
  const { cause, message, code } = error as Error & { code?: unknown }
  if (cause !== undefined) return reasonOf(cause)
  return typeof code === 'string' && !message.includes(code) ? `${message} (${code})`.trim() : message
}
