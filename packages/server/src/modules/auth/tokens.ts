import { hash } from 'node:crypto'
import { scopePattern } from '@kontor/contract'
import { createRemoteJWKSet, decodeJwt, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Database } from '../../db/tx.ts'
import type { Actor } from '../../kernel/actor.ts'
import type { Clock } from '../../kernel/clock.ts'
import { failure } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { findUser, findUserByEmail } from '../users/index.ts'
import type { Issuer } from './issuer.ts'

/** An identity provider outside: its tokens are accepted for users whose e-mail address they carry. */
export type OutsideIssuer = { readonly issuer: string; readonly jwksUrl: string; readonly audience: string | undefined }

type Options = { readonly database: Database; readonly clock: Clock; readonly issuer: Issuer; readonly outside: OutsideIssuer | undefined; readonly trustMs: number }

const cachedMax = 10_000

/** Turns a Bearer token into a user. A verified token is trusted for `trustMs` before its user is looked up again. */
export class TokenAuthenticator {
  readonly #options: Options
  readonly #outsideKeys: JWTVerifyGetKey | undefined
  readonly #cache: LRUCache<string, { readonly actor: Actor; readonly expiresAt: number }>

  constructor(options: Options) {
    this.#options = options
    this.#outsideKeys = options.outside && createRemoteJWKSet(new URL(options.outside.jwksUrl))
    this.#cache = new LRUCache({ max: cachedMax, ttl: options.trustMs })
  }

  async authenticate(token: string): Promise<Actor> {
    const key = hash('sha256', token, 'base64url')
    const cached = this.#cache.get(key)
    if (cached !== undefined && cached.expiresAt > this.#options.clock.now()) return cached.actor
    const payload = await this.#verify(token)
    const actor: Actor = { kind: 'user', userId: await this.#userId(payload), scopes: scopesOf(payload) }
    this.#cache.set(key, { actor, expiresAt: (payload.exp ?? 0) * 1000 })
    return actor
  }

  async #verify(token: string): Promise<JWTPayload> {
    const { clock, outside, issuer } = this.#options
    const common = { currentDate: new Date(clock.now()), requiredClaims: ['exp', 'sub'] }
    try {
      if (outside !== undefined && this.#outsideKeys !== undefined && decodeJwt(token).iss === outside.issuer) {
        const audience = outside.audience === undefined ? {} : { audience: outside.audience }
        return (await jwtVerify(token, this.#outsideKeys, { ...common, issuer: outside.issuer, ...audience })).payload
      }
      // Whoever signed with a key of our database is us, whatever address the server had when the token was made.
      return (await jwtVerify(token, issuer.publicKey, { ...common, algorithms: ['ES256'] })).payload
    } catch (error) {
      throw failure('unauthenticated', error instanceof errors.JWTExpired ? 'The access token has expired.' : 'The access token is not valid.')
    }
  }

  async #userId({ iss, sub, email, email_verified }: JWTPayload): Promise<string> {
    const { database, outside } = this.#options
    const isOutside = outside !== undefined && iss === outside.issuer
    const address = isOutside && email_verified !== false ? z.email().safeParse(email).data : undefined
    const byEmail = address === undefined ? undefined : await findUserByEmail(database.reader, address)
    const user = isOutside ? byEmail : isId(sub ?? '') ? await findUser(database.reader, sub as string) : undefined
    if (user === undefined) throw failure('unauthenticated', 'The access token names nobody who is known here.')
    return user.id
  }
}

/** Kontor's scopes among those of a token; those of OpenID Connect and of other services narrow nothing. */
function scopesOf({ scope }: JWTPayload): string[] {
  return typeof scope === 'string' ? scope.split(' ').filter((name) => scopePattern.test(name)) : []
}
