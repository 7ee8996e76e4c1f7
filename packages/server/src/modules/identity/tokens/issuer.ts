import { importJWK, SignJWT, type JWK, type JWTVerifyGetKey } from 'jose'
import { defined } from '../../../lib/guards.ts'
import type { Database } from '../../../db/tx.ts'
import { accessTokenSeconds } from '../../../kernel/actor.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { failure } from '../../../kernel/errors.ts'
import { newSecret } from '../../../kernel/ids.ts'
import { findPasswordTime } from '../sign-in/index.ts'
import { newSigningKey } from './signing-keys.ts'
import { insertSigningKey, listSigningKeys, type SigningKeyRow } from './store.ts'

const algorithm = 'ES256'

/** The time for which public keys are cached, and a removed key is trusted at most (docs/decisions/0024). */
const knownMs = 5000

/**
 * Kontor's own issuer of access tokens: its ES256 keys are in the database, so every node signs with them and verifies
 * them.
 */
export class Issuer {
  readonly #database: Database
  readonly #clock: Clock
  readonly #url: string
  #known: SigningKeyRow[] = []
  #readMs = Number.NEGATIVE_INFINITY

  constructor(database: Database, clock: Clock, url: string) {
    this.#database = database
    this.#clock = clock
    this.#url = url
  }

  /** An access token for a user, valid for one hour. */
  async mint(userId: string, scopes: readonly string[] = []): Promise<{ access_token: string; expires_in: number }> {
    const { kid, private_jwk } = await this.#signingKey()
    const now = Math.floor(this.#clock.now() / 1000)
    // Another node, whose clock is ahead, may just have stored the password that revokes all earlier tokens.
    const passwordAt = Math.floor(((await findPasswordTime(this.#database.reader, userId)) ?? 0) / 1000)
    const token = new SignJWT(scopes.length === 0 ? {} : { scope: scopes.join(' ') })
      .setProtectedHeader({ alg: algorithm, kid, typ: 'at+jwt' })
      .setIssuer(this.#url)
      .setSubject(userId)
      .setJti(newSecret(12))
      .setIssuedAt(Math.max(now, passwordAt))
      .setExpirationTime(now + accessTokenSeconds)
    return { access_token: await token.sign(await importJWK(private_jwk, algorithm)), expires_in: accessTokenSeconds }
  }

  /** The public key of a Kontor token; throws for an unknown key. */
  readonly publicKey: JWTVerifyGetKey = async ({ kid }) => {
    const find = () => this.#known.find((row) => row.kid === kid)
    if (find() === undefined || this.#clock.monotonicMs() - this.#readMs >= knownMs) await this.#read()
    const row = find()
    if (row === undefined) throw failure('unauthenticated', 'The access token is not valid.')
    return importJWK(withoutSecret(row.private_jwk), algorithm)
  }

  /** The keys with their secrets, the signing one first; the very first is created on demand. */
  async signingKeys(): Promise<readonly SigningKeyRow[]> {
    const rows = await listSigningKeys(this.#database.reader)
    return rows.length > 0 ? rows : [await this.#createKey()]
  }

  async #signingKey(): Promise<SigningKeyRow> {
    return defined((await this.signingKeys())[0])
  }

  async #read(): Promise<void> {
    const readMs = this.#clock.monotonicMs()
    this.#known = await listSigningKeys(this.#database.reader)
    this.#readMs = readMs
  }

  async #createKey(): Promise<SigningKeyRow> {
    const row = await newSigningKey(this.#clock.now())
    await this.#database.write((tx) => insertSigningKey(tx, row))
    return row
  }
}

function withoutSecret(jwk: JWK): JWK {
  const { d: _secret, ...publicPart } = jwk
  return publicPart
}
