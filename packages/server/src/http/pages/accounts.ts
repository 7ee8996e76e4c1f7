/** A new session's token, or why there is none: what was given is wrong, or there were too many tries. */
type SignIn = { readonly token: string } | 'wrong' | 'locked'

export type InvitationView = {
  readonly email: string
  readonly name: string | null
  readonly role: string
  readonly workspaceName: string
  readonly inviter: string | null
  readonly hasAccount: boolean
}

/** An app that acts for a person with their consent. Times are milliseconds since 1970. */
export type AppView = {
  readonly id: string
  readonly name: string
  /** What it may do, in words, for each workspace by name; null stands for all. */
  readonly allowed: readonly { readonly where: string | null; readonly what: readonly string[] }[]
  readonly grantedAt: number
  readonly lastUsedAt: number | null
}

export type AccountView = {
  readonly email: string
  readonly name: string | null
  readonly memberships: readonly { readonly workspaceName: string; readonly slug: string; readonly role: string }[]
  readonly sessions: readonly { readonly id: string; readonly userAgent: string | null; readonly createdAt: number; readonly lastSeenAt: number }[]
  readonly keys: readonly { readonly id: string; readonly name: string; readonly prefix: string; readonly workspaceName: string; readonly lastUsedAt: number | null }[]
  readonly apps: readonly AppView[]
}

/** A key as a person asks for it; `once` names the form, so that one that is sent twice makes one key. */
export type KeyWish = {
  readonly workspace: string
  readonly name: string
  readonly kind: 'user' | 'workspace'
  readonly scopes: readonly string[]
  readonly days: number | undefined
  readonly once: string
}

/** What the pages do with accounts; handed over by `app.ts`. */
export type PageAccounts = {
  /** How long a browser keeps a session. */
  readonly sessionSeconds: number
  readonly signIn: (email: string, password: string, userAgent: string | undefined) => Promise<SignIn>
  readonly startSession: (userId: string, userAgent: string | undefined) => Promise<string>
  readonly endSession: (token: string) => Promise<void>
  /** Has a link sent to whoever has the address, and says nothing about whether anybody has. */
  readonly requestLink: (email: string) => void
  readonly findLinkOwner: (token: string) => Promise<{ readonly email: string } | undefined>
  readonly usePasswordLink: (token: string, password: string) => Promise<boolean>
  /** What is wrong with a new password. */
  readonly passwordFault: (password: string, email: string) => string | undefined
  readonly changePassword: (userId: string, given: { readonly current: string; readonly next: string }, userAgent: string | undefined) => Promise<SignIn>
  readonly findInvitation: (token: string) => Promise<InvitationView | undefined>
  readonly acceptInvitation: (token: string, userId: string) => Promise<boolean>
  /** The id of the new user. */
  readonly signUp: (token: string, given: { readonly name: string; readonly password: string }) => Promise<string | undefined>
  readonly findAccount: (userId: string) => Promise<AccountView | undefined>
  readonly rename: (userId: string, name: string) => Promise<void>
  readonly endOwnSession: (userId: string, sessionId: string) => Promise<void>
  readonly revokeKey: (userId: string, keyId: string) => Promise<void>
  /** The address of the API. */
  readonly apiUrl: string
  /** Whether a password was given so short a time ago that nobody else is likely to sit there. */
  readonly isRecent: (authTime: number) => boolean
  /** Makes a key as its owner would by the API; what is wrong, by the name of the field, where there is something. */
  readonly createKey: (userId: string, wish: KeyWish) => Promise<{ readonly key: string } | { readonly errors: Readonly<Record<string, string>> }>
  /** All personal ones, in all workspaces. */
  readonly revokeKeys: (userId: string) => Promise<void>
  readonly revokeApp: (userId: string, appId: string) => Promise<void>
}
