import { exportJWK, generateKeyPair, importJWK, SignJWT, type JWK, type JWTVerifyGetKey } from 'jose'
import type { Database } from '../../db/tx.ts'
import type { Clock } from '../../kernel/clock.ts'
import { newSecret } from '../../kernel/ids.ts'
import { insertSigningKey, listSigningKeys, type SigningKeyRow } from './store.ts'

const algorithm = 'ES256'

const accessTokenSeconds = 3600

/** Kontor's own issuer of access tokens: ES256 keys in the database, so that every node signs and knows them. */
export class Issuer {
  readonly #database: Database
  readonly #clock: Clock
  readonly #url: string
  #known: SigningKeyRow[] = []

  constructor(database: Database, clock: Clock, url: string) {
    this.#database = database
    this.#clock = clock
    this.#url = url
  }

  /** An access token for a user, valid for one hour. */
  async mint(userId: string, scopes: readonly string[] = []): Promise<{ access_token: string; expires_in: number }> {
    const { kid, private_jwk } = await this.#signingKey()
    const issuedAt = Math.floor(this.#clock.now() / 1000)
    const token = new SignJWT(scopes.length === 0 ? {} : { scope: scopes.join(' ') })
      .setProtectedHeader({ alg: algorithm, kid, typ: 'at+jwt' })
      .setIssuer(this.#url)
      .setSubject(userId)
      .setJti(newSecret(12))
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + accessTokenSeconds)
    return { access_token: await token.sign(await importJWK(private_jwk, algorithm)), expires_in: accessTokenSeconds }
  }

  /** The public key of one of our tokens; throws for a key that is not ours. */
  readonly publicKey: JWTVerifyGetKey = async ({ kid }) => {
    const find = () => this.#known.find((row) => row.kid === kid)
    if (find() === undefined) this.#known = await listSigningKeys(this.#database.reader)
    const row = find()
    if (row === undefined) throw new Error('The token was signed by another issuer')
    return importJWK(withoutSecret(row.private_jwk), algorithm)
  }

  async #signingKey(): Promise<SigningKeyRow> {
    const [newest] = await listSigningKeys(this.#database.reader)
    return newest ?? this.#createKey()
  }

  async #createKey(): Promise<SigningKeyRow> {
    const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
    const row = { kid: newSecret(12), private_jwk: await exportJWK(privateKey), created_at: this.#clock.now() }
    await this.#database.write((tx) => insertSigningKey(tx, row))
    return row
  }
}

function withoutSecret(jwk: JWK): JWK {
  const { d: _secret, ...publicPart } = jwk
  return publicPart
}
