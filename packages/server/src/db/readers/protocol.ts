/** What the main thread and a reader thread tell each other. */
export type ReadRequest = { readonly id: number; readonly text: string; readonly values: unknown[] }
export type ReadAnswer = { readonly id: number; readonly rows: unknown[] } | { readonly id: number; readonly error: string }
export type ReaderData = { readonly path: string }
