import type { Database } from '../../../db/tx.ts'
import { defineTask, TaskFailure, type Pool } from '../../../pool/index.ts'
import { normaliseEmail } from '../../fields/index.ts'
import type { InboundAddress } from '../links/links.ts'
import { findInboundRotation } from '../../workspaces/index.ts'
import { messageIdOfCopy, readMessageId } from '../links/message-ids.ts'
import type { NamedLetter, ReplyAddresses } from '../links/reply-addresses.ts'
import type { Responses } from '../responses.ts'
import { findEmail, type EmailHead } from '../store.ts'
import type { InboundMessage } from './read.ts'

const readTask = defineTask<Buffer, InboundMessage>({
  name: 'inbound e-mail',
  module: new URL('read.task.ts', import.meta.url),
  limits: {
    // 15 MB of quoted-printable take some seconds on a slow machine.
    cpuMs: 20_000,
    wallMs: 60_000,
    heapMiB: 256,
    inputBytes: 32 << 20,
    outputBytes: 1 << 20,
  },
})

/** Reads a message in a process of the pool; one that takes too much is ignored. */
const readInPool = (pool: Pool, workspaceId: string, raw: Buffer): Promise<InboundMessage> =>
  pool.run(workspaceId, readTask, raw).catch((error: unknown) => {
    if (error instanceof TaskFailure) return { refersTo: [], sentTo: [], from: undefined, kind: 'ignored' }
    throw error
  })

/** The kind of an inbound message. `unknown`: it concerns no letter of the workspace. */
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
    const rotation = await findInboundRotation(this.#services.database.reader, address.workspaceId)
    return rotation === address.rotation ? address.workspaceId : undefined
  }

  /** Takes a message; the same one again changes nothing that was not changed before. */
  async take(workspaceId: string, raw: Buffer): Promise<TakenAs> {
    const message = await readInPool(this.#services.pool, workspaceId, raw)
    if (message.kind === 'ignored') return 'ignored'
    const found = await this.#copyOf(workspaceId, message)
    if (found === undefined) return 'unknown'
    const { letter } = found
    const named = { workspaceId, emailId: letter.id }
    const { responses } = this.#services
    if (message.kind === 'bounce') {
      for (const { kind, recipient, detail } of message.bounces)
        await responses.bounced(named, { kind, recipient: concernedBy(found, recipient), detail })
      return 'bounce'
    }
    if (message.kind === 'complaint') {
      const recipients = message.recipients.length === 0 ? [undefined] : message.recipients
      for (const recipient of recipients) await responses.unsubscribed(named, concernedBy(found, recipient))
      return 'complaint'
    }
    // Our own letter has come back to us: no reader has answered.
    if (message.from !== undefined && letter.sender.toLowerCase().includes(message.from)) return 'ignored'
    await responses.replied(named)
    return 'reply'
  }

  /** The letter that a message concerns: by the Message-IDs and the address in it. Its sender says nothing: forged. */
  async #copyOf(workspaceId: string, { refersTo, sentTo }: InboundMessage): Promise<Copy | undefined> {
    const { replyAddresses } = this.#services
    for (const reference of refersTo) {
      const found = await this.#find(workspaceId, readMessageId(replyAddresses, reference))
      const own = found && messageIdOf(replyAddresses, found)
      if (own?.toLowerCase() === reference.toLowerCase()) return found
    }
    for (const address of sentTo) {
      const found = await this.#find(workspaceId, replyAddresses.read(address))
      if (found !== undefined) return found
    }
    return undefined
  }

  async #find(workspaceId: string, named: NamedLetter | undefined): Promise<Copy | undefined> {
    if (named === undefined) return undefined
    const letter = await findEmail(this.#services.database.reader, workspaceId, named.emailId)
    const copy = letter && named.copyAmong(letter.recipients)
    return copy && { letter, owner: copy.recipient }
  }
}

/** A letter that a message names, and whose copy of it that is, where it names one. */
type Copy = { readonly letter: EmailHead; readonly owner: string | undefined }

const messageIdOf = (tokens: ReplyAddresses, { letter, owner }: Copy): string =>
  owner === undefined ? letter.message_id : messageIdOfCopy(tokens, letter, owner)

/**
 * The recipient that a report may act on: the one that it names. What came of the copy of one recipient speaks of no
 * other, whatever it names.
 */
function concernedBy({ letter, owner }: Copy, reported: string | undefined): string | undefined {
  const named = reported && normaliseEmail(reported)
  if (owner === undefined) return named
  const isOfAnother = named !== undefined && named !== owner && letter.recipients.includes(named)
  return isOfAnother ? undefined : owner
}
