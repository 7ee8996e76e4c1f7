import { narrows } from '@kontor/contract'
import { createRemoteJWKSet, decodeJwt, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Database } from '../../db/tx.ts'
import type { Actor } from '../../kernel/actor.ts'
import type { Clock } from '../../kernel/clock.ts'
import { toFailure } from '../../kernel/database-failures.ts'
import { Failure, failure } from '../../kernel/errors.ts'
import { hashSecret, isId } from '../../kernel/ids.ts'
import { findPasswordTime } from '../sign-in/index.ts'
import { findUser, findUserByEmail, type UserRow } from '../users/index.ts'
import type { Issuer } from './issuer.ts'

/** An identity provider outside: its tokens are accepted for users whose e-mail address they carry. */
export type OutsideIssuer = { readonly issuer: string; readonly jwksUrl: string; readonly audience: string | undefined }

/** What people have allowed apps to do. */
type AppGrants = {
  /** What the grant is for that a token was made of, if it has neither ended nor been taken back; null: all workspaces. */
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
  /** Told of somebody whose address an identity provider has just shown to be theirs. */
  readonly onShown: (user: UserRow) => Promise<void>
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
    this.#outsideKeys = options.outside && createRemoteJWKSet(new URL(options.outside.jwksUrl))
    this.#cache = new LRUCache({ max: cachedMax, ttl: options.trustMs })
  }

  async authenticate(token: string): Promise<UserActor> {
    const key = hashSecret(token)
    const cached = this.#cache.get(key)
    const actor =
      cached !== undefined && cached.expiresAt > this.#options.clock.now() ? cached.actor : await this.#read(token, key)
    if (actor.app !== undefined) this.#options.apps.noteUse(actor.userId, actor.app, actor.onlyWorkspaceId ?? null)
    return actor
  }

  /** The grant that an app's access token was made of; undefined for what is no such token, or is none any more. */
  async grantOf(token: string): Promise<{ readonly grantId: string; readonly clientId: string } | undefined> {
    const payload = await this.#verify(token).catch((error: unknown) => {
      if (error instanceof Failure && error.status === 401) return undefined
      throw error
    })
    if (payload === undefined || this.#isOutside(payload)) return undefined
    const { grant, client_id: clientId } = payload
    return typeof grant === 'string' && typeof clientId === 'string' ? { grantId: grant, clientId } : undefined
  }

  /** Asks for every token anew: an app was taken its grant away, or somebody has a new password. */
  forget(): void {
    this.#changes++
    this.#cache.clear()
  }

  /** What was read while a grant changed is used for this request, but not kept. */
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

  /** The app that a token was given to, while the person lets it, and the workspace that it was let into. */
  async #app(payload: JWTPayload, userId: string): Promise<Pick<UserActor, 'app' | 'onlyWorkspaceId'> | undefined> {
    const { grant, client_id: clientId } = payload
    if (grant === undefined || this.#isOutside(payload)) return undefined
    const stands =
      typeof grant === 'string' && typeof clientId === 'string'
        ? await this.#options.apps.stands(grant, userId, clientId)
        : undefined
    if (stands === undefined) throw failure('unauthenticated', 'What the app was allowed has ended or was taken back.')
    return { app: clientId as string, ...(stands.workspaceId !== null && { onlyWorkspaceId: stands.workspaceId }) }
  }

  /** A new password ends the tokens of before too. They are dated by the second: one of the same second counts. */
  async #requireSincePassword(payload: JWTPayload, userId: string): Promise<void> {
    if (this.#isOutside(payload)) return
    const changedAt = await findPasswordTime(this.#options.database.reader, userId)
    if (changedAt !== undefined && (payload.iat ?? 0) < Math.floor(changedAt / 1000))
      throw failure('unauthenticated', 'The password was changed after this access token was made.')
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
        const audience = outside.audience === undefined ? {} : { audience: outside.audience }
        return (await jwtVerify(token, this.#outsideKeys, { ...common, issuer: outside.issuer, ...audience })).payload
      }
      // Whoever signed with a key of our database is us, whatever address the server had when the token was made. Those keys
      // sign ID tokens too, which tell an app who somebody is and open nothing.
      return (await jwtVerify(token, issuer.publicKey, { ...common, algorithms: ['ES256'], typ: 'at+jwt' })).payload
    } catch (error) {
      throw refusalOf(error)
    }
  }

  async #user(payload: JWTPayload): Promise<UserRow> {
    const { database } = this.#options
    const { sub, email, email_verified } = payload
    const isOutside = this.#isOutside(payload)
    const address = isOutside && email_verified !== false ? z.email().safeParse(email).data : undefined
    const byEmail = address === undefined ? undefined : await findUserByEmail(database.reader, address)
    const user = isOutside ? byEmail : isId(sub ?? '') ? await findUser(database.reader, sub as string) : undefined
    if (user === undefined) throw failure('unauthenticated', 'The access token names nobody who is known here.')
    if (isOutside && user.unverified_since !== null) await this.#options.onShown(user)
    return user
  }
}

/** Why a token was not accepted: it is no good, or nobody could be asked for the key that it was signed with. */
function refusalOf(error: unknown): unknown {
  if (error instanceof Failure || toFailure(error) !== error) return error
  if (error instanceof errors.JWTExpired) return failure('unauthenticated', 'The access token has expired.')
  if (!isIssuerAway(error)) return failure('unauthenticated', 'The access token is not valid.')
  return new Failure(
    {
      code: 'unavailable',
      detail: 'The identity provider does not answer, so its access tokens cannot be checked; try again.',
    },
    { cause: error, retryAfterSeconds: issuerAwaySeconds },
  )
}

const issuerAwaySeconds = 5

/** What jose throws where a set of keys cannot be fetched; what is wrong with a token has a code of its own. */
const isIssuerAway = (error: unknown): boolean =>
  error instanceof errors.JWKSTimeout ||
  (error instanceof TypeError && error.message === 'fetch failed') ||
  (error instanceof errors.JOSEError && error.code === errors.JOSEError.code)

/** Kontor's scopes among those of a token; those of OpenID Connect and of other services narrow nothing. */
function scopesOf({ scope }: JWTPayload): string[] {
  return typeof scope === 'string' ? scope.split(' ').filter((name) => narrows(name)) : []
}
