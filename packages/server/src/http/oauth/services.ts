import type { Clock } from '../../kernel/clock.ts'
import type { Actor } from '../../kernel/actor.ts'
import type { Browser } from '../pages/browser.ts'
import type { TokenLimits } from './token-limits.ts'

/** An app as it was registered. */
export type OAuthClient = {
  readonly id: string
  readonly name: string
  /** Null for an app that cannot keep a secret. */
  readonly secretHash: string | null
  readonly redirectUris: readonly string[]
  /** The workspace to whose members alone it is open; null if it is open to users of all workspaces. */
  readonly workspaceId: string | null
  /** What it may ask for of the API; null: everything but what is personal. */
  readonly scopes: readonly string[] | null
  /** Runs on a person's device, where any port of the loopback address will do. */
  readonly isNative: boolean
}

export type Person = {
  readonly id: string
  readonly name: string | null
  readonly email: string
  /** Nothing has shown that the address is theirs. */
  readonly isUnverified: boolean
}

export type SigningKey = { readonly kid: string; readonly private_jwk: Readonly<Record<string, unknown>> }

export type Workspace = { readonly id: string; readonly name: string }

/** What a person allows an app; null stands for all their workspaces, those of later too. */
export type Consent = { readonly workspaceId: string | null; readonly scopes: readonly string[] }

type Artifact = Readonly<Record<string, unknown>>

/** What the OAuth endpoints stand on; put together by `app.ts`. */
export type OAuthServices = {
  readonly authUrl: string
  /** The resource that tokens are for (RFC 8707). */
  readonly baseUrl: string
  readonly clock: Clock
  readonly browser: Browser
  /** Of requests with which an app proves itself, for each app at each address. */
  readonly tokenLimits: TokenLimits
  /** The one that signs first. */
  readonly signingKeys: () => Promise<readonly SigningKey[]>
  readonly findClient: (id: string) => Promise<OAuthClient | undefined>
  readonly isClientSecret: (secret: string, secretHash: string) => boolean
  readonly findPerson: (id: string) => Promise<Person | undefined>
  /** Where the protocol keeps what it hands out. */
  readonly artifacts: {
    readonly find: (model: string, id: string) => Promise<Artifact | undefined>
    readonly save: (model: string, id: string, artifact: Artifact, seconds: number) => Promise<void>
    readonly consume: (model: string, id: string) => Promise<boolean>
    /** Uses up a refresh token; the secret of its successor, or undefined where it was used before. */
    readonly rotate: (id: string) => Promise<string | undefined>
    readonly destroy: (model: string, id: string) => Promise<void>
    readonly revokeGrant: (grantId: string) => Promise<void>
  }
  readonly consents: {
    readonly find: (userId: string, clientId: string) => Promise<readonly Consent[]>
    readonly allow: (
      person: { readonly userId: string; readonly sessionId: string },
      clientId: string,
      consent: Consent,
    ) => Promise<void>
  }
  /** The workspaces of a person, by name. */
  readonly listWorkspaces: (userId: string) => Promise<readonly Workspace[]>
  /** Whose an access token is; throws for one that is not valid. */
  readonly authenticate: (token: string) => Promise<Actor>
  /** What an app's access token was made of; undefined for anything else. */
  readonly grantOf: (token: string) => Promise<{ readonly grantId: string; readonly clientId: string } | undefined>
  readonly onError: (error: unknown) => void
}
