import type { Database } from '../../db/tx.ts'
import type { FileStorage } from '../files/index.ts'
import { MailFailure, type Mailer } from '../mail/index.ts'
import { findSettings } from '../settings/index.ts'
import type { TrackedRequest } from './request.ts'
import type { Links } from './links/links.ts'
import { messageIdOfCopy } from './links/message-ids.ts'
import type { ReplyAddresses } from './links/reply-addresses.ts'
import { decorate } from './render/decorate.ts'
import { updateEmail, type EmailHead } from './store.ts'

type Services = {
  readonly database: Database
  readonly links: Links
  readonly replyAddresses: ReplyAddresses
  readonly storage: Pick<FileStorage, 'read'>
}

/** A recipient that the mail server has refused for good. */
export type RefusedCopy = { readonly address: string; readonly failure: MailFailure }

/**
 * Sends a letter to each of its recipients whom it has not reached, one after another. Each gets a copy with a
 * Message-ID and an address for replies of its own, by which what comes back is known to concern them alone (0172).
 * Returns who was refused; rejects if nobody was reached, or somebody has to be tried again.
 */
export async function sendCopies(
  services: Services,
  mailer: Mailer,
  request: TrackedRequest,
  row: EmailHead,
): Promise<readonly RefusedCopy[]> {
  const { postal_address: postalAddress } = await findSettings(services.database.reader, request.workspaceId)
  const copyFor = copiesOf(services, request, row, postalAddress)
  const refusals: RefusedCopy[] = []
  const reached = [...row.reached]
  let deferral: MailFailure | undefined
  for (const recipient of row.recipients.filter((one) => !reached.includes(one))) {
    try {
      await mailer(copyFor(recipient))
      reached.push(recipient)
      if (row.recipients.length > 1) await storeReached(services.database, row, reached)
    } catch (error) {
      if (!(error instanceof MailFailure)) throw error
      if (error.isPermanent) refusals.push({ address: recipient, failure: error })
      // Another recipient may be taken; a mail server that is away takes none.
      else if (error.isOfRecipient) deferral ??= error
      else throw error
    }
  }
  const failure = deferral ?? (reached.length === 0 ? refusals[0]?.failure : undefined)
  if (failure !== undefined) throw failure
  return refusals
}

const storeReached = (database: Database, { workspace_id, id }: EmailHead, reached: readonly string[]) =>
  database.write((tx) => updateEmail(tx, { workspace_id, id, reached: [...reached] }))

/** Returns the copy of a letter for one of its recipients. */
function copiesOf(
  { links, replyAddresses, storage }: Services,
  request: TrackedRequest,
  row: EmailHead,
  postalAddress: string | null,
) {
  const { workspaceId, letter } = request
  const { text, html, unsubscribeUrl } = decorate(
    letter,
    links,
    { workspaceId, emailId: row.id },
    {
      tracksOpens: request.tracksOpens,
      trackedLinks: request.trackedLinks,
      unsubscribes: request.inSequence ? row.recipients[0] : undefined,
      postalAddress,
    },
  )
  const mail = {
    to: row.recipients,
    subject: letter.subject,
    text,
    ...(html !== null && { html }),
    wantsReplies: true as const,
    ...(unsubscribeUrl !== undefined && { unsubscribeUrl }),
    files: row.files.map(({ id, name, mime_type }) => ({
      name,
      mimeType: mime_type,
      open: () => storage.read({ workspaceId, id }),
    })),
  }
  const isOne = request.recipients.length === 1
  return (recipient: string) => {
    const replyTo = replyAddresses.of(row.id, isOne ? undefined : recipient)
    return {
      ...mail,
      recipient,
      messageId: isOne ? row.message_id : messageIdOfCopy(replyAddresses, row, recipient),
      ...(replyTo !== undefined && { replyTo }),
    }
  }
}
