/** The functions of passkeys that the pages use; composed in `app/`. Times are milliseconds since 1970. */
export type PagePasskeys = {
  readonly list: (userId: string) => Promise<
    readonly {
      readonly id: string
      readonly name: string
      readonly createdAt: number
      readonly lastUsedAt: number | null
    }[]
  >
  /** Returns the options for the browser as JSON; undefined if the user is gone. */
  readonly registrationOptions: (userId: string) => Promise<string | undefined>
  readonly add: (userId: string, name: string, response: string) => Promise<'added' | 'refused' | 'full'>
  readonly remove: (userId: string, id: string) => Promise<void>
  readonly signInOptions: () => Promise<string>
  /** Starts a session for the owner of the passkey. */
  readonly signIn: (response: string, userAgent: string | undefined) => Promise<string | undefined>
}
