import { narrows } from '@kontor/contract'
import {
  decodeJwt,
  errors,
  jwtVerify,
  createRemoteJWKSet,
  customFetch,
  type JWTPayload,
  type JWTVerifyGetKey,
  type FetchImplementation,
} from 'jose'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { isString } from '../../../lib/guards.ts'
import type { Database } from '../../../db/tx.ts'
import type { Actor } from '../../../kernel/actor.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { toFailure } from '../../../kernel/invoke/database-failures.ts'
import { Failure, failure } from '../../../kernel/errors.ts'
import { hashSecret, isId } from '../../../kernel/ids.ts'
import { roomFor } from '../../../lib/caches.ts'
import { isSubject, type ProviderIdentity } from '../providers/index.ts'
import { findPasswordTime } from '../sign-in/index.ts'
import { findUser, type UserRow } from '../users/index.ts'
import type { Issuer } from './issuer.ts'

/**
 * An external identity provider: its tokens are accepted for users whose e-mail address they carry, if they were issued
 * for this audience. Those for other applications of the provider would let these act as their users.
 */
type OutsideIssuer = { readonly issuer: string; readonly jwksUrl: string; readonly audience: string }

/** The grants that people have given to apps. */
type AppGrants = {
  /**
   * The workspace of the grant behind a token, if it has neither expired nor been revoked; null stands for all
   * workspaces.
   */
  readonly stands: (
    grantId: string,
    userId: string,
    clientId: string,
  ) => Promise<{ readonly workspaceId: string | null } | undefined>
  readonly noteUse: (userId: string, clientId: string, workspaceId: string | null) => void
}

type Options = {
  readonly database: Database
  readonly clock: Clock
  readonly issuer: Issuer
  readonly apps: AppGrants
  readonly outside: OutsideIssuer | undefined
  readonly trustMs: number
  /** Finds the user of an identity at the external provider, by its subject or an address that was verified there. */
  readonly findIdentified: (
    identity: ProviderIdentity,
    verifiedEmail: string | undefined,
  ) => Promise<UserRow | 'other' | undefined>
}

type UserActor = Extract<Actor, { readonly kind: 'user' }>

const cachedMax = 10_000

/** Turns a Bearer token into a user. A verified token is trusted for `trustMs` before its user is looked up again. */
export class TokenAuthenticator {
  readonly #options: Options
  readonly #outsideKeys: JWTVerifyGetKey | undefined
  readonly #cache: LRUCache<string, { readonly actor: UserActor; readonly expiresAt: number }>
  #changes = 0

  constructor(options: Options) {
    this.#options = options
    this.#outsideKeys = options.outside && outsideKeys(options.outside.jwksUrl)
    this.#cache = new LRUCache({
      ...roomFor(cachedMax),
      ttl: options.trustMs,
      perf: { now: () => options.clock.monotonicMs() },
    })
  }

  async authenticate(token: string): Promise<UserActor> {
    const key = hashSecret(token)
    const cached = this.#cache.get(key)
    const actor =
      cached !== undefined && cached.expiresAt > this.#options.clock.now() ? cached.actor : await this.#read(token, key)
    if (actor.app !== undefined) this.#options.apps.noteUse(actor.userId, actor.app, actor.onlyWorkspaceId ?? null)
    return actor
  }

  /** The grant behind an app's access token; undefined if it is not an app's token, or no longer valid. */
  async grantOf(token: string): Promise<{ readonly grantId: string; readonly clientId: string } | undefined> {
    const payload = await this.#verify(token).catch((error: unknown) => {
      if (error instanceof Failure && error.status === 401) return undefined
      throw error
    })
    if (payload === undefined || this.#isOutside(payload)) return undefined
    const { grant, client_id: clientId } = payload
    return typeof grant === 'string' && typeof clientId === 'string' ? { grantId: grant, clientId } : undefined
  }

  /** Invalidates all cached tokens: an app's grant was revoked, or a user has a new password. */
  forget(): void {
    this.#changes++
    this.#cache.clear()
  }

  /** If a grant changed while it was read, the result is used for this request but not cached. */
  async #read(token: string, key: string): Promise<UserActor> {
    const changesBefore = this.#changes
    const payload = await this.#verify(token)
    const user = await this.#user(payload)
    const app = await this.#app(payload, user.id)
    if (app === undefined) await this.#requireSincePassword(payload, user.id)
    const actor: UserActor = { kind: 'user', userId: user.id, scopes: scopesOf(payload), ...app }
    if (changesBefore === this.#changes) this.#cache.set(key, { actor, expiresAt: (payload.exp ?? 0) * 1000 })
    return actor
  }

  /** The app that a token was issued to, while the person's consent lasts, and the workspace that it may enter. */
  async #app(payload: JWTPayload, userId: string): Promise<Pick<UserActor, 'app' | 'onlyWorkspaceId'> | undefined> {
    const { grant, client_id: clientId } = payload
    if (grant === undefined || this.#isOutside(payload)) return undefined
    const app = isString(clientId) ? clientId : undefined
    const stands =
      isString(grant) && app !== undefined ? await this.#options.apps.stands(grant, userId, app) : undefined
    if (stands === undefined || app === undefined)
      throw failure('unauthenticated', 'The access of the app has ended or was withdrawn.')
    return { app, ...(stands.workspaceId !== null && { onlyWorkspaceId: stands.workspaceId }) }
  }

  /** A new password also revokes earlier tokens. Tokens are dated to the second; one of the same second is valid. */
  async #requireSincePassword(payload: JWTPayload, userId: string): Promise<void> {
    if (this.#isOutside(payload)) return
    const changedAt = await findPasswordTime(this.#options.database.reader, userId)
    if (changedAt !== undefined && (payload.iat ?? 0) < Math.floor(changedAt / 1000))
      throw failure('unauthenticated', 'The password was changed after this access token was issued.')
  }

  #isOutside({ iss }: JWTPayload): boolean {
    const { outside } = this.#options
    return outside !== undefined && iss === outside.issuer
  }

  async #verify(token: string): Promise<JWTPayload> {
    const { clock, outside, issuer } = this.#options
    const common = { currentDate: new Date(clock.now()), requiredClaims: ['exp', 'sub'] }
    try {
      if (outside !== undefined && this.#outsideKeys !== undefined && decodeJwt(token).iss === outside.issuer) {
        const { issuer: name, audience } = outside
        return (await jwtVerify(token, this.#outsideKeys, { ...common, issuer: name, audience })).payload
      }
      // A token signed with a key of this database is ours, whatever address the server had when the token was made.
      // The same keys sign ID tokens, which tell an app the identity of a user and grant no access.
      return (await jwtVerify(token, issuer.publicKey, { ...common, algorithms: ['ES256'], typ: 'at+jwt' })).payload
    } catch (error) {
      throw refusalOf(error)
    }
  }

  async #user(payload: JWTPayload): Promise<UserRow> {
    const { database, outside } = this.#options
    const { sub = '' } = payload
    const user =
      outside !== undefined && this.#isOutside(payload)
        ? await this.#outsideUser(outside, payload)
        : isId(sub)
          ? await findUser(database.reader, sub)
          : undefined
    if (user === undefined)
      throw failure('unauthenticated', 'The access token belongs to a person without an account on this server.')
    return user
  }

  /** The user of an identity at the external provider; its tokens are those of one audience, as of one client. */
  async #outsideUser({ issuer, audience }: OutsideIssuer, payload: JWTPayload): Promise<UserRow | undefined> {
    const { sub, email, email_verified } = payload
    if (!isSubject(sub)) return undefined
    const address = isVerified(email_verified) ? z.email().safeParse(email).data : undefined
    const identity = { issuer, audience, subject: sub }
    const user = await this.#options.findIdentified(identity, address)
    if (user !== 'other') return user
    throw failure(
      'unauthenticated',
      'The user with this address is connected to another subject of the identity provider. An operator disconnects ' +
        'them with "kontor user provider-disconnect".',
    )
  }
}

/** Returns whether an address counts as verified. Some providers send the claim as a text, and some do not send it. */
const isVerified = (claim: unknown): boolean => claim === undefined || claim === true || claim === 'true'

/** The reason why a token was refused: it is invalid, or its signing key could not be fetched. */
function refusalOf(error: unknown): unknown {
  if (error instanceof Failure || toFailure(error) !== error) return error
  if (error instanceof errors.JWTExpired) return failure('unauthenticated', 'The access token has expired.')
  if (!isIssuerAway(error)) return failure('unauthenticated', 'The access token is not valid.')
  return new Failure(
    {
      code: 'unavailable',
      detail: 'The identity provider does not respond, so its access tokens cannot be checked; try again.',
    },
    { cause: error, retryAfterSeconds: issuerAwaySeconds },
  )
}

const issuerAwaySeconds = 5

/** The errors of jose when a key set cannot be fetched; invalid tokens have error codes of their own. */
const isIssuerAway = (error: unknown): boolean =>
  error instanceof errors.JWKSTimeout ||
  (error instanceof TypeError && error.message === 'fetch failed') ||
  (error instanceof errors.JOSEError && error.code === errors.JOSEError.code)

/** Kontor's scopes among those of a token; scopes of OpenID Connect and of other services limit nothing. */
function scopesOf({ scope }: JWTPayload): string[] {
  return typeof scope === 'string' ? scope.split(' ').filter((name) => narrows(name)) : []
}

/** Key sets of large providers have a few KiB; nothing that another server sends may fill our memory. */
const keySetBytesMax = 256 * 1024

const none: readonly Uint8Array[] = []

/** Fetches a key set, no longer than the bound. */
const fetchBounded: FetchImplementation = async (url, options) => {
  const response = await fetch(url, options)
  const parts: Uint8Array[] = []
  let bytes = 0
  const body: AsyncIterable<Uint8Array> | null = response.body
  for await (const part of body ?? none) {
    bytes += part.length
    if (bytes > keySetBytesMax)
      throw new errors.JOSEError(`The key set at ${url} is larger than ${keySetBytesMax} bytes`)
    parts.push(part)
  }
  return new Response(Buffer.concat(parts), { status: response.status })
}

/** The keys of an outside identity provider, fetched when a token needs them. */
const outsideKeys = (jwksUrl: string): JWTVerifyGetKey =>
  createRemoteJWKSet(new URL(jwksUrl), { [customFetch]: fetchBounded })
