type Refused = 'wrong' | 'locked'

/** The operations of the pages on second factors; composed in `app/`. */
export type PageSecondFactor = {
  /** Takes the second step of a sign-in. */
  readonly finish: (
    pending: string,
    code: string,
    userAgent: string | undefined,
  ) => Promise<{ readonly token: string } | Refused | 'expired'>
  /** Undefined where it is off. Times are milliseconds since 1970. */
  readonly find: (userId: string) => Promise<{ readonly createdAt: number; readonly codesLeft: number } | undefined>
  readonly enrol: (
    userId: string,
    setup?: string,
  ) => Promise<{ readonly secret: string; readonly uri: string; readonly setup: string } | undefined>
  /** Returns the recovery codes, this once. */
  readonly confirm: (userId: string, setup: string, code: string) => Promise<readonly string[] | undefined>
  readonly remove: (userId: string, code: string) => Promise<'done' | Refused>
  readonly renewCodes: (userId: string, code: string) => Promise<{ readonly codes: readonly string[] } | Refused>
}
