/** The functions of sign-in by other providers that the pages use; composed in `app/`. */
export type PageProviders = {
  readonly all: readonly { readonly id: string; readonly name: string }[]
  readonly begin: (
    id: string,
    visit: { readonly returnTo: string | undefined; readonly again: boolean },
  ) => Promise<{ readonly url: string; readonly kept: string } | undefined>
  /** Starts a session for the account with the address that the provider has verified. */
  readonly finish: (
    id: string,
    query: URLSearchParams,
    kept: string,
    userAgent: string | undefined,
  ) => Promise<
    | { readonly token: string; readonly returnTo: string | undefined }
    | { readonly pending: string; readonly returnTo: string | undefined }
    | { readonly refused: 'failed' | 'unverified' }
    | { readonly refused: 'unknown'; readonly email: string }
  >
}
