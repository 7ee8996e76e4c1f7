import type { PageProviders } from './provider-services.ts'
import type { PageSecondFactor } from './second-factor-services.ts'

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
  /** Its permissions in words, for each workspace by name; null means all. */
  readonly allowed: readonly { readonly where: string | null; readonly what: readonly string[] }[]
  readonly grantedAt: number
  readonly lastUsedAt: number | null
}

export type AccountView = {
  readonly email: string
  readonly name: string | null
  readonly memberships: readonly { readonly workspaceName: string; readonly slug: string; readonly role: string }[]
  readonly sessions: readonly {
    readonly id: string
    readonly userAgent: string | null
    readonly createdAt: number
    readonly lastSeenAt: number
  }[]
  readonly keys: readonly {
    readonly id: string
    readonly name: string
    readonly prefix: string
    readonly workspaceName: string
    readonly lastUsedAt: number | null
  }[]
  readonly apps: readonly AppView[]
  readonly hasSecondFactor: boolean
  /** Where the person has an account that signs them in here. */
  readonly identities: readonly { readonly issuer: string; readonly createdAt: number }[]
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

/**
 * An API key as an admin of its workspace sees it; who owns it and what it may do are told in words. Times are
 * milliseconds since 1970.
 */
export type WorkspaceKeyView = {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly owner: string
  readonly scopes: readonly string[]
  readonly createdAt: number
  readonly lastUsedAt: number | null
  readonly expiresAt: number | null
}

/** A workspace, for one of its admins. */
export type Administered = { readonly id: string; readonly slug: string; readonly name: string }

/** The operations of the pages on API keys, as the signed-in person; workspaces are named by slug. */
export type PageKeys = {
  /** Returns the new key, or the faults by the name of the field. */
  readonly create: (
    userId: string,
    wish: KeyWish,
  ) => Promise<{ readonly key: string } | { readonly errors: Readonly<Record<string, string>> }>
  readonly list: (userId: string, workspace: string) => Promise<readonly WorkspaceKeyView[]>
  readonly revoke: (userId: string, workspace: string, id: string) => Promise<void>
  /**
   * Gives a key a new secret; `once` names the form, so that one that is sent twice gives one. `used`: it was sent with
   * another wish.
   */
  readonly rotate: (
    userId: string,
    wish: { readonly workspace: string; readonly id: string; readonly overlapHours: number; readonly once: string },
  ) => Promise<{ readonly key: string } | 'used'>
}

/**
 * An app as it is to be registered; scopes of null are all that do not outlive a consent, and `once` names the form.
 */
export type AppWish = {
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly type: 'public' | 'confidential'
  readonly scopes: readonly string[] | null
  readonly once: string
}

/** An app of a workspace as its admins see it; what it may ask for is told in words. */
export type WorkspaceAppView = Omit<AppWish, 'scopes' | 'once'> & {
  readonly id: string
  readonly scopes: readonly string[]
  readonly createdAt: number
  /** The number of people who have connected it. */
  readonly people: number
  /** Says which secret it has, and does not tell it. */
  readonly secretMark: string
}

/** Credentials of an app. */
export type RegisteredApp = {
  readonly clientId: string
  /** Of a confidential app. */ readonly secret: string | undefined
}

/** The operations of admins on the apps of their workspace; for anyone else neither exists. */
export type PageApps = {
  readonly list: (userId: string, workspace: string) => Promise<readonly WorkspaceAppView[]>
  readonly register: (
    userId: string,
    workspace: string,
    wish: AppWish,
  ) => Promise<RegisteredApp | { readonly errors: Readonly<Record<string, string>> }>
  /** `changed`: it has no longer the secret that the mark is of. */
  readonly rotate: (
    userId: string,
    workspace: string,
    wish: { readonly id: string; readonly secretMark: string; readonly once: string },
  ) => Promise<RegisteredApp | 'changed'>
  readonly remove: (userId: string, workspace: string, id: string) => Promise<void>
}

/** The person whom a link to set a password belongs to. */
export type LinkOwner = { readonly email: string; readonly hasPassword: boolean }

/** Services behind the account pages; composed by `app.ts`. */
export type PageAccounts = {
  /** The time for which a browser keeps a session. */
  readonly sessionSeconds: number
  /** A session's token; `pending` where the second factor is still to be given. */
  readonly signIn: (
    email: string,
    password: string,
    userAgent: string | undefined,
  ) => Promise<SignIn | { readonly pending: string }>
  readonly secondFactor: PageSecondFactor
  readonly providers: PageProviders
  readonly passkeys: PagePasskeys
  readonly startSession: (userId: string, userAgent: string | undefined) => Promise<string>
  readonly endSession: (token: string) => Promise<void>
  /** Has a link sent to the holder of the address, and does not tell whether there is one. */
  readonly requestLink: (email: string) => void
  readonly findLinkOwner: (token: string) => Promise<LinkOwner | undefined>
  /** Returns who has set a password, and whether it was their first; undefined where the link does not work. */
  readonly usePasswordLink: (
    token: string,
    password: string,
  ) => Promise<{ readonly userId: string; readonly isFirst: boolean } | undefined>
  /** Returns the fault of a new password. */
  readonly passwordFault: (password: string, email: string) => Promise<string | undefined>
  readonly changePassword: (
    userId: string,
    given: { readonly current: string; readonly next: string },
    userAgent: string | undefined,
  ) => Promise<SignIn>
  readonly findInvitation: (token: string) => Promise<InvitationView | undefined>
  readonly acceptInvitation: (token: string, userId: string) => Promise<boolean>
  /** The id of the new user. */
  readonly signUp: (
    token: string,
    given: { readonly name: string; readonly password: string },
  ) => Promise<string | undefined>
  readonly findAccount: (userId: string) => Promise<AccountView | undefined>
  readonly rename: (userId: string, name: string) => Promise<void>
  readonly endOwnSession: (userId: string, sessionId: string) => Promise<void>
  readonly revokeKey: (userId: string, keyId: string) => Promise<void>
  /** The address of the API. */
  readonly apiUrl: string
  /** Returns whether a password was given so short a time ago that no other person is likely to sit there. */
  readonly isRecent: (authTime: number) => boolean
  readonly keys: PageKeys
  readonly workspaceApps: PageApps
  /** A workspace of which a person is an admin, by its slug. */
  readonly findAdministered: (userId: string, slug: string) => Promise<Administered | undefined>
  /** All personal ones, in all workspaces. */
  readonly revokeKeys: (userId: string) => Promise<void>
  readonly revokeApp: (userId: string, appId: string) => Promise<void>
  /** The name of the app for which a person signs in, by the path at which they continue. */
  readonly requestingApp: (returnTo: string) => Promise<string | undefined>
}

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
