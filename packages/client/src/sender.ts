import { authorization, refusedToken, type Connection } from './connection.ts'
import { ConnectionFailed } from './errors.ts'
import { pause } from './pause.ts'
import { waitBefore } from './retries.ts'

const positionHeader = 'X-Svc-Position'

/**
 * The latest position that a change of a connection has returned, of REST and tRPC alike: later requests see the change
 * on any server. Positions sort as texts.
 */
const positions = new WeakMap<Connection, string>()

/** A request; its body is text, so that it can be sent again. */
export type Request = {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal | undefined
}

/** An answer, and what its body was read as. */
export type Received<T> = { readonly response: Response; readonly body: T }

/** Sends requests as one caller, and again while the API is busy or does not answer. */
export class Sender {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /**
   * Returns the answer, whatever its status; throws ConnectionFailed without one. The request must be safe to repeat:
   * it reads, or it has an Idempotency-Key.
   */
  async send<T>(url: string, request: Request, read: (response: Response) => Promise<T>): Promise<Received<T>> {
    const { retries = 3 } = this.#connection
    for (let failures = 0; ; failures++) {
      const outcome = await this.#sendOnce(url, request, read)
      const waitMs = failures < retries ? waitBefore(failures, outcome) : undefined
      if (waitMs === undefined) {
        if (outcome instanceof Error) throw outcome
        return outcome
      }
      await pause(waitMs, request.signal)
    }
  }

  async #sendOnce<T>(
    url: string,
    request: Request,
    read: (response: Response) => Promise<T>,
  ): Promise<Received<T> | ConnectionFailed> {
    const header = await authorization(this.#connection)
    const outcome = await this.#fetch(url, request, header, read)
    const refused = refusedToken(this.#connection, header)
    if (refused === undefined || outcome instanceof Error || outcome.response.status !== 401) return outcome
    const other = await authorization(this.#connection, refused)
    return other === header ? outcome : this.#fetch(url, request, other, read)
  }

  async #fetch<T>(
    url: string,
    { headers, signal, ...rest }: Request,
    header: string,
    read: (response: Response) => Promise<T>,
  ): Promise<Received<T> | ConnectionFailed> {
    const { fetch: send = fetch } = this.#connection
    try {
      const before = positions.get(this.#connection)
      const seen = before !== undefined && { [positionHeader]: before }
      const init = { ...rest, headers: { ...headers, ...seen, Authorization: header }, signal: signal ?? null }
      const response = await send(url, init)
      const position = response.headers.get(positionHeader)
      if (position !== null && position > (positions.get(this.#connection) ?? '')) {
        positions.set(this.#connection, position)
      }
      return { response, body: await read(response) }
    } catch (error) {
      // A caller who aborts a request knows why; that it took too long is news.
      if (signal?.aborted === true && !isTimeout(signal.reason)) throw signal.reason
      return new ConnectionFailed(withoutQuery(url), error)
    }
  }
}

const isTimeout = (reason: unknown): boolean => reason instanceof DOMException && reason.name === 'TimeoutError'

/** Removes the query, which contains what people search for, so that a URL may be shown and logged. */
export const withoutQuery = (url: string): string => url.split('?', 1)[0] as string
