/** The messages between the server and a reader process; a reader has one request at a time. */
export type ReadRequest = {
  readonly text: string
  readonly values: readonly unknown[]
  /** On the connection that may write. */
  readonly writes?: boolean
  /** Begins or ends a transaction: it answers no rows. */
  readonly isBoundary?: boolean
}
export type ReadAnswer =
  | { readonly rows: unknown[] }
  | { readonly error: { readonly message: string; readonly code?: string } }
/** A reader's first message. */
export type ReaderReady = { readonly ready: true }
