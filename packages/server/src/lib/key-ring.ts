import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { invariant } from './guards.ts'
import { seal, unseal, type Sealed } from './sealing.ts'

/** A sealed value, and the id of the key that opens it. */
export type SealedByKey = Sealed & { readonly key: string }

const sealedByKey = z.object({ key: z.string(), iv: z.string(), tag: z.string(), text: z.string() })

/** Reads a sealed value that was written as JSON. */
export const readSealed = (text: string): SealedByKey => sealedByKey.parse(JSON.parse(text))

/** A value was sealed with a key that this server has not been given. */
export class KeyMissing extends Error {
  override readonly name = 'KeyMissing'
  constructor(key: string) {
    super(`A secret is encrypted with the key ${key}, which is not among ENCRYPTION_KEYS`)
  }
}

/** Tells keys apart without saying anything of them. */
const idOf = (key: string): string => Buffer.from(hkdfSync('sha256', key, '', 'key-ring.id', 6)).toString('base64url')

const signatureBytes = 16

/** The key that signs, derived from one that encrypts. */
const signingKeyOf = (key: string): Uint8Array => new Uint8Array(hkdfSync('sha256', key, '', 'key-ring.sign', 32))

const signatureOf = (signingKey: Uint8Array, content: Uint8Array, purpose: string): Buffer =>
  createHmac('sha256', signingKey).update(`${purpose}\0`).update(content).digest().subarray(0, signatureBytes)

/** The keys that secrets are encrypted with in the database: the first one seals, all of them open. */
export class KeyRing {
  readonly #keys: ReadonlyMap<string, string>
  readonly #newest: { readonly id: string; readonly key: string }
  /** The newest first. */
  readonly #signingKeys: readonly [Uint8Array, ...Uint8Array[]]

  constructor(keys: readonly string[]) {
    const [newest] = keys
    invariant(newest !== undefined, 'there is a key to encrypt secrets with')
    this.#keys = new Map(keys.map((key) => [idOf(key), key]))
    this.#newest = { id: idOf(newest), key: newest }
    this.#signingKeys = [signingKeyOf(newest), ...keys.slice(1).map(signingKeyOf)]
  }

  /** The id of the key that seals. */
  get newest(): string {
    return this.#newest.id
  }

  /** Encrypts a JSON value; `purpose` names its place, so that it cannot be moved to another one. */
  seal(value: unknown, purpose: string): SealedByKey {
    const { id, key } = this.#newest
    return { ...seal(value, key, purpose), key: id }
  }

  /** Decrypts a value; throws `KeyMissing` where its key is not here. */
  unseal(sealed: SealedByKey, purpose: string): unknown {
    const key = this.#keys.get(sealed.key)
    if (key === undefined) throw new KeyMissing(sealed.key)
    return unseal(sealed, key, purpose)
  }

  /** Returns the content behind its signature, as a token; `purpose` keeps it from being taken for another. */
  sign(content: Uint8Array, purpose: string): string {
    return Buffer.concat([signatureOf(this.#signingKeys[0], content, purpose), content]).toString('base64url')
  }

  /** The content of a token that a server with one of these keys has signed; undefined of any other text. */
  verify(token: string, purpose: string): Buffer | undefined {
    const bytes = Buffer.from(token, 'base64url')
    // One spelling alone: what differs from it was not sent by us.
    if (bytes.length < signatureBytes || bytes.toString('base64url') !== token) return undefined
    const [signature, content] = [bytes.subarray(0, signatureBytes), bytes.subarray(signatureBytes)]
    const isOurs = this.#signingKeys.some((key) => timingSafeEqual(signatureOf(key, content, purpose), signature))
    return isOurs ? content : undefined
  }
}
