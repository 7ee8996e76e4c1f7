import type { Database } from '../../../db/tx.ts'
import { isId } from '../../../kernel/ids.ts'
import type { Pool } from '../../../pool/index.ts'
import { normaliseEmail } from '../../fields/index.ts'
import type { InboundAddress } from '../links/links.ts'
import { findRotation } from '../links/store.ts'
import type { ReplyAddresses } from '../links/reply-addresses.ts'
import type { Responses } from '../responses.ts'
import { findEmail, type EmailHead } from '../store.ts'
import type { InboundMessage } from './read.ts'
import { readInPool } from './reading.ts'

/** What a message was taken for. `unknown`: it concerns no letter of the workspace. */
export type TakenAs = 'reply' | 'bounce' | 'complaint' | 'ignored' | 'unknown'

type Services = {
  readonly database: Database
  readonly responses: Responses
  readonly replyAddresses: ReplyAddresses
  readonly pool: Pool
}

/** Takes messages that come in: answers of people, and reports of mail servers. */
export class Inbound {
  readonly #services: Services

  constructor(services: Services) {
    this.#services = services
  }

  /** The workspace of an address; undefined of one that was not signed, or that another has replaced. */
  async workspaceOf(address: InboundAddress | undefined): Promise<string | undefined> {
    if (address === undefined) return undefined
    const rotation = await findRotation(this.#services.database.reader, address.workspaceId)
    return rotation === address.rotation ? address.workspaceId : undefined
  }

  /** Takes a message; the same one again changes nothing that was not changed before. */
  async take(workspaceId: string, raw: Buffer): Promise<TakenAs> {
    const message = await readInPool(this.#services.pool, workspaceId, raw)
    if (message.kind === 'ignored') return 'ignored'
    const letter = await this.#letterOf(workspaceId, message)
    if (letter === undefined) return 'unknown'
    const named = { workspaceId, emailId: letter.id }
    const { responses } = this.#services
    if (message.kind === 'bounce') {
      for (const { kind, recipient, detail } of message.bounces)
        await responses.bounced(named, { kind, recipient: recipient && normaliseEmail(recipient), detail })
      return 'bounce'
    }
    if (message.kind === 'complaint') {
      await responses.unsubscribed(named)
      return 'complaint'
    }
    // Our own letter has come back to us: no reader has answered.
    if (message.from !== undefined && letter.sender.toLowerCase().includes(message.from)) return 'ignored'
    await responses.replied(named)
    return 'reply'
  }

  /** The letter that a message concerns: by the Message-IDs and the address in it. Its sender says nothing: forged. */
  async #letterOf(workspaceId: string, message: InboundMessage): Promise<EmailHead | undefined> {
    const { database, replyAddresses } = this.#services
    const { reader } = database
    for (const reference of message.refersTo) {
      const id = /^<([0-9a-f-]{36})@/i.exec(reference)?.[1]?.toLowerCase() ?? ''
      const found = isId(id) ? await findEmail(reader, workspaceId, id) : undefined
      if (found?.message_id.toLowerCase() === reference.toLowerCase()) return found
    }
    for (const address of message.sentTo) {
      const id = replyAddresses.read(address)
      const found = id === undefined ? undefined : await findEmail(reader, workspaceId, id)
      if (found !== undefined) return found
    }
    return undefined
  }
}
