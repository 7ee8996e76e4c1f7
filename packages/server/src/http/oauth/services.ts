import type { Clock } from '../../kernel/clock.ts'
import type { RateLimiter } from '../../kernel/rate-limit.ts'
import type { Actor } from '../../kernel/actor.ts'
import type { Browser } from '../pages/browser.ts'

/** An app as it was registered. */
export type OAuthClient = {
  readonly id: string
  readonly name: string
  /** Null for an app that cannot keep a secret. */
  readonly secretHash: string | null
  readonly redirectUris: readonly string[]
  /** Runs on a person's device, where any port of the loopback address will do. */
  readonly isNative: boolean
}

export type Person = { readonly id: string; readonly name: string | null; readonly email: string }

export type SigningKey = { readonly kid: string; readonly private_jwk: Readonly<Record<string, unknown>> }

type Artifact = Readonly<Record<string, unknown>>

/** What the OAuth endpoints stand on; put together by `app.ts`. */
export type OAuthServices = {
  readonly authUrl: string
  /** The resource that tokens are for (RFC 8707). */
  readonly baseUrl: string
  readonly clock: Clock
  readonly browser: Browser
  /** Of the token endpoint, for each address; undefined: no limit. */
  readonly rateLimiter: RateLimiter | undefined
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
    readonly destroy: (model: string, id: string) => Promise<void>
    readonly revokeGrant: (grantId: string) => Promise<void>
  }
  readonly consents: {
    readonly scopes: (userId: string, clientId: string) => Promise<readonly string[]>
    readonly allow: (userId: string, clientId: string, scopes: readonly string[]) => Promise<void>
  }
  /** Whose an access token is; throws for one that is not valid. */
  readonly authenticate: (token: string) => Promise<Actor>
  /** What an app's access token was made of; undefined for anything else. */
  readonly grantOf: (token: string) => Promise<{ readonly grantId: string; readonly clientId: string } | undefined>
  readonly onError: (error: unknown) => void
}
