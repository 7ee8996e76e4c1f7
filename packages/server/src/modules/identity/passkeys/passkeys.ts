import type { Database } from '../../../db/tx.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { hashSecret, isId } from '../../../kernel/ids.ts'
import type { KeyRing } from '../../../lib/key-ring.ts'
import { challengeOf, readRegistration, readSignIn } from './responses.ts'
import { deletePasskey, insertPasskey, listPasskeys, useChallenge, usePasskey } from './store.ts'
import { randomBytes } from 'node:crypto'
import { memberOf } from '../../../lib/guards.ts'

type Options = {
  readonly database: Database
  readonly clock: Clock
  readonly keys: KeyRing
  readonly authUrl: string
}

/** A passkey as its owner sees it. Times are milliseconds since 1970. */
type Passkey = {
  readonly id: string
  readonly name: string
  readonly createdAt: number
  readonly lastUsedAt: number | null
}

/** Loaded when the first passkey is used: these are 300 files, which each command of administration would read. */
const webauthn = () => import('@simplewebauthn/server')

/**
 * Ed25519, P-256 and RSA, which all authenticators support; the default of the library begins with one that
 * Node.js calls experimental.
 */
const algorithms = [-8, -7, -257]

/** Time that a person has to use their passkey. */
const challengeMs = 15 * 60_000

/** The time for which a used challenge is remembered: until it is too old on every node, though their clocks differ. */
const usedKeptMs = 4 * challengeMs

/** Passkeys of an account; people have a few devices. */
const passkeysMax = 20

/** Keys by which people sign in without a password (WebAuthn; docs/decisions/0357). */
export class Passkeys {
  readonly #options: Options
  readonly #challenges: Challenges
  readonly #rpId: string
  readonly #origin: string

  constructor(options: Options) {
    const { hostname, origin } = new URL(options.authUrl)
    this.#options = options
    this.#challenges = new Challenges(options.keys, options.clock)
    this.#rpId = hostname
    this.#origin = origin
  }

  async list(userId: string): Promise<Passkey[]> {
    const rows = await listPasskeys(this.#options.database.reader, userId)
    return rows.map(({ credential_id, name, created_at, last_used_at }) => ({
      id: credential_id,
      name,
      createdAt: created_at,
      lastUsedAt: last_used_at,
    }))
  }

  /** Returns what a browser needs to create a passkey, as JSON. */
  async registrationOptions({ id, email }: { readonly id: string; readonly email: string }): Promise<string> {
    const rows = await listPasskeys(this.#options.database.reader, id)
    const { generateRegistrationOptions } = await webauthn()
    const options = await generateRegistrationOptions({
      rpName: 'Kontor',
      rpID: this.#rpId,
      userName: email,
      userID: new Uint8Array(Buffer.from(id)),
      challenge: this.#challenges.create('passkey.register', id),
      attestationType: 'none',
      supportedAlgorithmIDs: algorithms,
      excludeCredentials: rows.map(({ credential_id }) => ({ id: credential_id })),
      // Found by the browser without a name, and worth two factors: the device verifies its holder.
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
    return JSON.stringify(options)
  }

  /** Adds the passkey that a browser has created; `full` if the account has as many as it can. */
  async add(userId: string, name: string, text: string): Promise<'added' | 'refused' | 'full'> {
    const { database, clock } = this.#options
    const response = readRegistration(text)
    if (response === undefined) return 'refused'
    const { verifyRegistrationResponse } = await webauthn()
    const verified = await verifyRegistrationResponse({
      response,
      expectedChallenge: (challenge) => this.#challenges.isCurrent(challenge, 'passkey.register', userId),
      expectedOrigin: this.#origin,
      expectedRPID: this.#rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    }).catch(refused)
    if (verified?.registrationInfo === undefined) return 'refused'
    const { id, publicKey, counter } = verified.registrationInfo.credential
    const row = {
      user_id: userId,
      credential_id: id,
      public_key: Buffer.from(publicKey).toString('base64url'),
      uses: counter,
      name,
      created_at: clock.now(),
      last_used_at: null,
    }
    return database.write(async (tx) => {
      if ((await listPasskeys(tx, userId)).length >= passkeysMax) return 'full'
      return (await insertPasskey(tx, row)) ? 'added' : 'refused'
    })
  }

  /** Returns whether the user had the passkey. */
  remove(userId: string, id: string): Promise<boolean> {
    return this.#options.database.write((tx) => deletePasskey(tx, userId, id))
  }

  /** Returns what a browser needs to sign in with any passkey of this server, as JSON. */
  async signInOptions(): Promise<string> {
    const { generateAuthenticationOptions } = await webauthn()
    const challenge = this.#challenges.create('passkey.sign-in')
    return JSON.stringify(
      await generateAuthenticationOptions({ rpID: this.#rpId, challenge, userVerification: 'required' }),
    )
  }

  /** Returns the user whose passkey has signed a challenge, which works once; undefined if nobody's has. */
  async signIn(text: string): Promise<string | undefined> {
    const { database, clock } = this.#options
    const response = readSignIn(text)
    if (response === undefined) return undefined
    const userId = Buffer.from(response.response.userHandle, 'base64url').toString()
    const rows = isId(userId) ? await listPasskeys(database.reader, userId) : []
    const row = rows.find(({ credential_id }) => credential_id === response.id)
    if (row === undefined) return undefined
    const challenge = challengeOf(response.response.clientDataJSON)
    if (!this.#challenges.isCurrent(challenge, 'passkey.sign-in')) return undefined
    const { user_id, credential_id, public_key, uses } = row
    const { verifyAuthenticationResponse } = await webauthn()
    const verified = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: this.#origin,
      expectedRPID: this.#rpId,
      credential: {
        id: credential_id,
        publicKey: new Uint8Array(Buffer.from(public_key, 'base64url')),
        counter: uses,
      },
      requireUserVerification: true,
    }).catch(refused)
    if (verified?.verified !== true) return undefined
    const now = clock.now()
    const { newCounter } = verified.authenticationInfo
    return database.write(async (tx) => {
      if (!(await useChallenge(tx, hashSecret(challenge), now, usedKeptMs))) return undefined
      await usePasskey(tx, { user_id, credential_id, uses: newCounter, last_used_at: now })
      return userId
    })
  }
}

/** The library throws for each fault of a response; it reads nothing else, so all of them are refusals. */
const refused = (): undefined => undefined

/** Random bytes of a challenge (WebAuthn §13.4.3). */
const nonceBytes = 16

type Purpose = 'passkey.register' | 'passkey.sign-in'

/** Challenges that the server signs, so that none is stored; each names the user it is for, if there is one. */
class Challenges {
  readonly #keys: KeyRing
  readonly #clock: Clock

  constructor(keys: KeyRing, clock: Clock) {
    this.#keys = keys
    this.#clock = clock
  }

  create(purpose: Purpose, userId = ''): Uint8Array<ArrayBuffer> {
    const nonce = randomBytes(nonceBytes).toString('base64url')
    const content = JSON.stringify({ at: this.#clock.now(), userId, nonce })
    return new Uint8Array(Buffer.from(this.#keys.sign(Buffer.from(content), purpose), 'base64url'))
  }

  /** Returns whether a challenge is ours, for this user, and not too old. */
  isCurrent(challenge: string, purpose: Purpose, userId = ''): boolean {
    const content = this.#keys.verify(challenge, purpose)
    if (content === undefined) return false
    const given: unknown = JSON.parse(content.toString())
    const age = this.#clock.now() - Number(memberOf(given, 'at'))
    return Math.abs(age) < challengeMs && memberOf(given, 'userId') === userId
  }
}
