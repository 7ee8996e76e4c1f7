import type { Clock } from '../../kernel/clock.ts'
import type { Actor } from '../../kernel/actor.ts'
import { RateLimiter } from '../../kernel/rate-limit.ts'
import type { Browser } from '../pages/browser.ts'
import type { TokenLimits } from './token-limits.ts'
import { isRecord, isString } from '../../lib/guards.ts'
import { routes } from './routes.ts'

/** An app as it was registered. */
export type OAuthClient = {
  readonly id: string
  readonly name: string
  /** Null for an app that cannot keep a secret. */
  readonly secretHash: string | null
  readonly redirectUris: readonly string[]
  /** The workspace to whose members alone it is open; null if it is open to users of all workspaces. */
  readonly workspaceId: string | null
  /** Scopes of the API that it may request; null: all but the personal ones. */
  readonly scopes: readonly string[] | null
  /** It registered itself: no operator and no admin has looked at it. */
  readonly isSelfRegistered: boolean
  /** Runs on a person's device, where any port of the loopback address will do. */
  readonly isNative: boolean
}

/** An app that registers itself. */
export type Registration = {
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly type: 'public' | 'confidential'
  /** Scopes that it will request; null: all but the personal ones. */
  readonly scopes: readonly string[] | null
}

/** Credentials that are shown to it once (RFC 7591 §3.2.1); times in seconds since 1970, 0 is never. */
type Registered = {
  readonly client_id: string
  readonly client_id_issued_at: number
  readonly client_secret?: string
  readonly client_secret_expires_at?: 0
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

/** Consent of a person to an app; null means all their workspaces, later ones included. */
export type Consent = { readonly workspaceId: string | null; readonly scopes: readonly string[] }

type Artifact = Readonly<Record<string, unknown>>

/** Services behind the OAuth endpoints; composed by `app.ts`. */
export type OAuthServices = {
  readonly authUrl: string
  /** The resource that tokens are for (RFC 8707). */
  readonly baseUrl: string
  readonly clock: Clock
  readonly browser: Browser
  /** Of requests with which an app proves itself, for each app at each address. */
  readonly tokenLimits: TokenLimits
  readonly devices: DeviceLimits
  /** The one that signs first. */
  readonly signingKeys: () => Promise<readonly SigningKey[]>
  /** Of apps that register themselves, for each address; undefined where they may not. */
  readonly registrations: RateLimiter | undefined
  readonly registerClient: (wish: Registration) => Promise<Registered>
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
  /** Ends a session of the pages, by its secret. */
  readonly endSession: (token: string) => Promise<unknown>
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
  /** Returns the grant and client of an app's access token; undefined for anything else. */
  readonly grantOf: (token: string) => Promise<{ readonly grantId: string; readonly clientId: string } | undefined>
  readonly onError: (error: unknown) => void
}

/** The time for which a device waits between two questions (RFC 8628 §3.2). */
export const pollSeconds = 5

/** Limits of the device flow: polls for each code, and codes that each person types. */
type DeviceLimits = { readonly polls: RateLimiter; readonly tries: RateLimiter }

/**
 * One question in `pollSeconds`, and one that comes a little early. Of 20^8 codes a person tries ten a minute, so that
 * guessing at one that another person is about to type comes to nothing.
 */
export const deviceLimits = (clock: Clock): DeviceLimits => ({
  polls: new RateLimiter({ name: 'device-poll', limit: 2, windowSeconds: 2 * pollSeconds }, clock),
  tries: new RateLimiter({ name: 'device-code', limit: 10, windowSeconds: 60 }, clock),
})

/**
 * Returns the name of the app whose request continues at a path. Read without the library, which a sign-in page does
 * not load; that the request began in this browser is checked where it continues, since the cookie is sent only there.
 */
export async function requestingApp(
  { browser, artifacts, findClient }: OAuthServices,
  returnTo: string,
): Promise<string | undefined> {
  const start = browser.path(`${routes.interaction}/`)
  if (!returnTo.startsWith(start)) return undefined
  const found = await artifacts.find('Interaction', returnTo.slice(start.length))
  const clientId = isRecord(found?.['params']) ? found['params']['client_id'] : undefined
  return isString(clientId) ? (await findClient(clientId))?.name : undefined
}
