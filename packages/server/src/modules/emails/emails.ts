import type { Database } from '../../db/tx.ts'
import { Places } from '../../lib/places.ts'
import { storableText } from '../../lib/texts.ts'
import type { Pool } from '../../pool/index.ts'
import type { FileStorage } from '../files/index.ts'
import { MailFailure, sendingMax, type Mailer } from '../mail/index.ts'
import { beginLetter, type BeginServices } from './begin.ts'
import { sendCopies, type RefusedCopy } from './copies.ts'
import type { Links } from './links/links.ts'
import type { LinkPlace } from './render/link-places.ts'
import { findLinks } from './render/tracked-links.ts'
import type { SendRequest, TrackedRequest } from './request.ts'
import type { Responses } from './responses.ts'
import { hasSent, lockEmail, lockPerson, updateEmail, type EmailHead, type EmailRow } from './store.ts'
import type { TellingServices } from './telling.ts'
import { storeAcceptance } from './acceptance.ts'

/** A letter that may not go out now. */
type Held = { readonly state: 'held' }

/** The outcome of a letter. It was accepted where it is `sent`, or `kept` by a server that has no mail server. */
type SendOutcome = {
  readonly state: Exclude<EmailRow['email_state'], 'sending' | 'deferred' | 'refused'>
  readonly emailId: string
  readonly messageId: string
  /** True if its run has sent no other. */
  readonly isFirst: boolean
  /** Recipients that may not be written to. */
  readonly suppressed: readonly string[]
  /** Recipients that the mail server has refused, where it has accepted others. */
  readonly rejected: readonly string[]
}

type EmailServices = TellingServices &
  BeginServices & {
    readonly database: Database
    /** Without one, letters are kept in the database and shown. */
    readonly mailer: Mailer | undefined
    readonly links: Links
    readonly responses: Responses
    readonly storage: Pick<FileStorage, 'read'>
    readonly pool: Pool
  }

/** Sends letters, once each, and keeps them. */
export class Emails {
  readonly #services: EmailServices
  /** A letter is in flight until its acceptance is stored: if the server dies, so many may be sent again (0172). */
  readonly #flights = new Places(sendingMax)

  constructor(services: EmailServices) {
    this.#services = services
  }

  /**
   * Sends a letter, unless one with its key has been accepted before: then it returns what became of that one. Rejects
   * with a `MailFailure` if the mail server does not take it, with `EmailLimitReached`, and with `LinksUnreadable`;
   * where no process is free, with `PoolBusy`. The same call may then be made again. Never call it in a transaction.
   */
  async send(request: SendRequest): Promise<SendOutcome | Held> {
    // A place would be kept from others while this waits for a process.
    const trackedLinks = await this.#trackedLinksOf(request)
    return this.#flights.run(() => this.#send({ ...request, trackedLinks }), request.signal)
  }

  async #trackedLinksOf({ workspaceId, letter, tracksClicks, signal }: SendRequest): Promise<readonly LinkPlace[]> {
    const { mailer, pool } = this.#services
    if (mailer === undefined || letter.html === null || !tracksClicks) return []
    return findLinks(pool, workspaceId, letter.html, signal)
  }

  async #send(request: TrackedRequest): Promise<SendOutcome | Held> {
    const { database, mailer } = this.#services
    const row = await database.write((tx) => beginLetter(tx, this.#services, request))
    if (row === undefined) return { state: 'held' }
    if (row.email_state === 'suppressed') return outcomeOf(row, [], !(await hasSent(database.reader, row)))
    if (row.email_state !== 'sending') return outcomeOf(row)
    if (mailer === undefined) return this.#accept(request, row, 'kept', [])
    const refusals = await sendCopies(this.#services, mailer, request, row).catch((error: unknown) =>
      this.#refuse(row, error),
    )
    const outcome = await this.#accept(
      request,
      row,
      'sent',
      refusals.map(({ address }) => address),
    )
    for (const refusal of refusals) await this.#noteUnknown(row, refusal)
    return outcome
  }

  /** Stores that the mail server has taken a letter: from then on it is never sent again. */
  #accept(
    { actor }: SendRequest,
    row: EmailHead,
    state: 'sent' | 'kept',
    rejected: readonly string[],
  ): Promise<SendOutcome> {
    const { database, clock } = this.#services
    return database.write(async (tx) => {
      const now = clock.now()
      // The person first, as in `Responses`.
      const hasPerson = row.person_id !== null && (await lockPerson(tx, row.workspace_id, row.person_id))
      await storeAcceptance(tx, this.#services, row, { state, now, actor, hasPerson })
      return outcomeOf({ ...row, email_state: state }, rejected)
    })
  }

  async #refuse(row: EmailHead, error: unknown): Promise<never> {
    const { database, clock } = this.#services
    const { workspace_id, id } = row
    if (error instanceof MailFailure) {
      const state = error.isPermanent ? 'refused' : error.isInDoubt ? 'sending' : 'deferred'
      const isStored = await database.write(async (tx) => {
        const current = await lockEmail(tx, workspace_id, id)
        if (current?.email_state !== 'sending') return false
        const failure_detail = storableText(error.message)
        await updateEmail(tx, { workspace_id, id, email_state: state, failure_detail, updated_at: clock.now() })
        return true
      })
      if (isStored && state === 'refused')
        for (const address of row.recipients.length === 1 ? row.recipients : [])
          await this.#noteUnknown(row, { address, failure: error })
    }
    throw error
  }

  /** Notes that there is no such recipient: a report would say the same a little later. */
  async #noteUnknown({ workspace_id, id }: EmailHead, { address, failure }: RefusedCopy): Promise<void> {
    if (!failure.isUnknownRecipient) return
    await this.#services.responses.bounced(
      { workspaceId: workspace_id, emailId: id },
      { kind: 'hard', recipient: address, detail: failure.message },
    )
  }
}

function outcomeOf(row: EmailHead, rejected: readonly string[] = [], isFirst = false): SendOutcome {
  const { email_state: state, id, message_id, left_out } = row
  if (state === 'sending' || state === 'deferred' || state === 'refused') throw new Error('a letter was not accepted')
  return { state, emailId: id, messageId: message_id, isFirst, suppressed: left_out, rejected }
}
