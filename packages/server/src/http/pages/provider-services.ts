/** The functions of sign-in by other providers that the pages use; composed in `app/`. */
export type PageProviders = {
  readonly all: readonly { readonly id: string; readonly name: string }[]
  readonly begin: (
    id: string,
    visit: { readonly returnTo: string | undefined; readonly again: boolean },
  ) => Promise<{ readonly url: string; readonly kept: string } | undefined>
  /** Unlinks an account from the person's account at a provider. */
  readonly disconnect: (userId: string, issuer: string) => Promise<void>
  /** Starts a session for the account of the person at the provider. */
  readonly finish: (
    id: string,
    query: URLSearchParams,
    kept: string,
    userAgent: string | undefined,
  ) => Promise<
    | { readonly token: string; readonly returnTo: string | undefined }
    | { readonly pending: string; readonly returnTo: string | undefined }
    | { readonly refused: 'failed' | 'unverified' }
    | { readonly refused: 'unknown' | 'other'; readonly email: string }
  >
}
