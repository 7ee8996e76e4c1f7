import type { KeyRing } from '../../../lib/key-ring.ts'

const purpose = 'email.reply'

/** Base 32 (RFC 4648): mail servers may write an address in lower case. */
const letters = 'abcdefghijklmnopqrstuvwxyz234567'

/** The addresses that letters are answered to: the configured one, with a token that says which letter it is. */
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

  /** Undefined where none is configured. */
  of(emailId: string): string | undefined {
    if (this.#domain === '') return undefined
    const token = this.#keys.sign(Buffer.from(emailId.replaceAll('-', ''), 'hex'), purpose)
    return `${this.#local}+${toBase32(Buffer.from(token, 'base64url'))}@${this.#domain}`
  }

  /** The letter that an address is of, whatever the domain that it was led to. */
  read(address: string): string | undefined {
    const token = /\+([a-z2-7]{50,54})@/.exec(address.toLowerCase())?.[1]
    const id = token && this.#keys.verify(fromBase32(token).toString('base64url'), purpose)?.toString('hex')
    return id?.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
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
