import { isId } from '../../../kernel/ids.ts'
import type { KeyRing } from '../../../lib/key-ring.ts'

const purpose = 'email.reply'

const copyPurpose = (recipient: string): string => `${purpose} ${recipient.toLowerCase()}`

/** Base 32 (RFC 4648): mail servers may write an address in lower case. */
const letters = 'abcdefghijklmnopqrstuvwxyz234567'

const idBytes = 16

/** A letter that something sent back names. Nothing is proven before `copyAmong` says so. */
export type NamedLetter = {
  readonly emailId: string
  /**
   * Returns whose copy is named, among the recipients of the letter, or none where the letter as a whole is; undefined
   * if the name was not made by us.
   */
  readonly copyAmong: (recipients: readonly string[]) => { readonly recipient: string | undefined } | undefined
}

/**
 * The addresses that letters are answered to: the configured one, with a token that says which letter it is, and whose
 * copy where it has several. No recipient can make the token of another copy (0172).
 */
export class ReplyAddresses {
  readonly #keys: KeyRing
  readonly #local: string
  readonly #domain: string

  /** Without an address there is none to say it. */
  constructor(keys: KeyRing, address: string | undefined) {
    this.#keys = keys
    const at = address?.lastIndexOf('@') ?? -1
    this.#local = address?.slice(0, Math.max(0, at)).toLowerCase() ?? ''
    this.#domain = address?.slice(at + 1).toLowerCase() ?? ''
  }

  /** Returns the address to which a letter, or one copy of it, is answered; undefined where none is configured. */
  of(emailId: string, recipient?: string): string | undefined {
    return this.#domain === '' ? undefined : `${this.#local}+${this.tokenOf(emailId, recipient)}@${this.#domain}`
  }

  /** Returns the token of a letter, or of one copy of it. Both are as long: an address has room for no more. */
  tokenOf(emailId: string, recipient?: string): string {
    const id = Buffer.from(emailId.replaceAll('-', ''), 'hex')
    const token = this.#keys.sign(id, recipient === undefined ? purpose : copyPurpose(recipient))
    return toBase32(Buffer.from(token, 'base64url'))
  }

  /** The letter that an address is of, whatever the domain that it was led to. */
  read(address: string): NamedLetter | undefined {
    const token = /\+([a-z2-7]{52})@/.exec(address.toLowerCase())?.[1]
    return token === undefined ? undefined : this.readToken(token)
  }

  /** The letter that a token is of. */
  readToken(token: string): NamedLetter | undefined {
    const bytes = fromBase32(token)
    const signed = bytes.toString('base64url')
    const emailId = bytes
      .subarray(-idBytes)
      .toString('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    if (!isId(emailId)) return undefined
    const isSignedFor = (what: string): boolean => this.#keys.verify(signed, what) !== undefined
    return {
      emailId,
      copyAmong(recipients) {
        if (isSignedFor(purpose)) return { recipient: undefined }
        const recipient = recipients.find((one) => isSignedFor(copyPurpose(one)))
        return recipient === undefined ? undefined : { recipient }
      },
    }
  }
}

function toBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => letters[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => letters.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
