import type { SqliteConnection } from './sqlite-connection.ts'

/**
 * The writing connection as one request has it. It keeps the first failure, since a failed statement dooms its
 * request here as it does on Postgres, and it ends with the request: a statement that comes later, from a promise
 * that nobody awaited, would otherwise land in the next request's savepoint.
 */
export class RequestConnection implements Pick<SqliteConnection, 'all' | 'first' | 'run'> {
  readonly #connection: SqliteConnection
  #failure: { readonly error: unknown } | undefined
  #ended = false

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  all(text: string, values: readonly unknown[]): Record<string, unknown>[] {
    this.#assertUsable()
    try {
      return this.#connection.all(text, values)
    } catch (error) {
      throw this.#failed(error)
    }
  }

  first(text: string, values: readonly unknown[]): Record<string, unknown> | undefined {
    this.#assertUsable()
    try {
      return this.#connection.first(text, values)
    } catch (error) {
      throw this.#failed(error)
    }
  }

  run(text: string, values: readonly unknown[]): number {
    this.#assertUsable()
    try {
      return this.#connection.run(text, values)
    } catch (error) {
      throw this.#failed(error)
    }
  }

  end(): void {
    this.#ended = true
  }

  /** Throws the first failure, whether or not the request caught it. */
  assertSound(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }

  /** A statement after a failed one is refused: SQLite may have rolled everything back, and would commit it alone. */
  #assertUsable(): void {
    if (this.#ended) throw new Error('The transaction has ended: a statement was not awaited')
    this.assertSound()
  }

  #failed(error: unknown): unknown {
    this.#failure ??= { error }
    return error
  }
}
