/** The messages between the server and a reader process; a reader has one request at a time. */
export type ReadRequest = {
  readonly text: string
  readonly values: readonly unknown[]
  /** On the connection that may write. */
  readonly writes?: boolean
  /** Begins or ends a transaction: it answers no rows. */
  readonly isBoundary?: boolean
}
/** Rows, of many bytes the first of several messages; or why there are none. */
export type ReadAnswer =
  | { readonly rows: unknown[]; readonly hasMore?: true }
  | { readonly error: { readonly message: string; readonly code?: string } }

/** The code of an answer whose rows have more bytes than the server may hold. */
export const rowsTooLarge = 'ROWS_TOO_LARGE'
/** A reader's first message. */
export type ReaderReady = { readonly ready: true }
