import { isId } from '../../../kernel/ids.ts'
import type { KeyRing } from '../../../lib/key-ring.ts'

/** The effect of a link in a letter. */
export type LinkKind = 'open' | 'click' | 'unsubscribe'

/**
 * The contents of a link: its letter, and its target. A link to unsubscribe has the address of the reader
 * there: it works when the letter is gone.
 */
export type Link = { readonly workspaceId: string; readonly emailId: string; readonly url: string }

export type InboundAddress = { readonly workspaceId: string; readonly rotation: number }

const purposeOf = (kind: LinkKind): string => `email.${kind}`

const inboundPurpose = 'email.inbound'

const idBytes = 16

const bytesOf = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex')

const idOf = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/** Makes the links of letters, and reads those that come back. They are signed: no one else makes one that works. */
export class Links {
  readonly #keys: KeyRing
  readonly #origin: string

  /** `origin` is the public address of the pages. */
  constructor(keys: KeyRing, origin: string) {
    this.#keys = keys
    this.#origin = origin
  }

  urlOf(kind: LinkKind, { workspaceId, emailId, url }: Link): string {
    const content = Buffer.concat([bytesOf(workspaceId), bytesOf(emailId), Buffer.from(url)])
    return `${this.#origin}/email/${kind}/${this.#keys.sign(content, purposeOf(kind))}`
  }

  /** Undefined of a token that was not signed for this. */
  read(kind: LinkKind, token: string): Link | undefined {
    const content = this.#keys.verify(token, purposeOf(kind))
    if (content === undefined || content.length < 2 * idBytes) return undefined
    const workspaceId = idOf(content.subarray(0, idBytes))
    const emailId = idOf(content.subarray(idBytes, 2 * idBytes))
    const url = content.subarray(2 * idBytes).toString()
    return isId(workspaceId) && isId(emailId) ? { workspaceId, emailId, url } : undefined
  }

  /**
   * The address to which a mail server sends what comes in for a workspace; it is its own credential. `rotation` is how
   * often it has replaced another.
   */
  inboundUrl({ workspaceId, rotation }: InboundAddress): string {
    const content = Buffer.concat([bytesOf(workspaceId), Buffer.from(rotation === 0 ? '' : String(rotation))])
    return `${this.#origin}/email/inbound/${this.#keys.sign(content, inboundPurpose)}`
  }

  /** Returns the contents of such an address. */
  readInbound(token: string): InboundAddress | undefined {
    const content = this.#keys.verify(token, inboundPurpose)
    if (content === undefined || content.length < idBytes) return undefined
    return { workspaceId: idOf(content.subarray(0, idBytes)), rotation: Number(content.subarray(idBytes).toString()) }
  }
}
