import { withBackgroundWrites } from '../db/background-writes.ts'
import type { LetterServices } from '../http/email/routes.ts'
import { newId } from '../kernel/ids.ts'
import type { Runtime } from '../kernel/invoke/runtime.ts'
import type { KeyRing } from '../lib/key-ring.ts'
import { Emails, Inbound, Links, ReplyAddresses, Responses, type EngagementListener } from '../modules/emails/index.ts'
import type { Pool } from '../pool/index.ts'
import type { FileStorage } from '../modules/files/index.ts'
import { findWorkspaceName } from '../modules/workspaces/index.ts'
import type { Mailer } from '../modules/mail/index.ts'
import type { AppOptions } from './options.ts'

/** Sender of a server without settings for e-mail. */
const defaultSender = 'Kontor <kontor@localhost>'

type Parts = {
  readonly mailer: Mailer | undefined
  readonly keys: KeyRing
  readonly writeEvents: Runtime['writeEvents']
  readonly onEngagement: EngagementListener
  readonly storage: FileStorage
  readonly pool: Pool
}

/** Services that send e-mails and receive the replies. */
export type Letters = {
  readonly emails: Emails
  readonly inboundUrl: Links['inboundUrl']
  readonly services: LetterServices
}

export function createLetters(
  {
    database,
    clock,
    authUrl,
    mail,
    mailFrom = defaultSender,
    mailReplyTo,
    workflowEmailsPerDay = 0,
    nextId,
  }: AppOptions,
  { mailer, keys, writeEvents, onEngagement, storage, pool }: Parts,
): Letters {
  const links = new Links(keys, authUrl)
  const replyAddresses = new ReplyAddresses(keys, mailReplyTo)
  const telling = { clock, writeEvents, onEngagement }
  const responses = new Responses({ ...telling, database })
  const emails = new Emails({
    ...telling,
    database: withBackgroundWrites(database),
    mailer,
    from: mail?.from ?? mailFrom,
    links,
    replyAddresses,
    responses,
    storage,
    pool,
    workflowEmailsPerDay,
    newId: (nowMs) => nextId?.() ?? newId(nowMs),
  })
  const inbound = new Inbound({ database, responses, replyAddresses, pool })
  return {
    emails,
    inboundUrl: (address) => links.inboundUrl(address),
    services: {
      read: (kind, token) => links.read(kind, token),
      opened: (link, visitor) => responses.opened(link, visitor),
      clicked: (link, visitor) => responses.clicked(link, link.url, visitor),
      unsubscribed: (link) => responses.unsubscribed(link, link.url),
      findSender: (workspaceId) => findWorkspaceName(database.reader, workspaceId),
      readInbound: (token) => inbound.workspaceOf(links.readInbound(token)),
      take: (workspaceId, raw) => inbound.take(workspaceId, raw),
    },
  }
}
