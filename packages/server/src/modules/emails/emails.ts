import type { Database, Tx } from '../../db/tx.ts'
import { unnarrowed, type Actor } from '../../kernel/actor.ts'
import type { Clock } from '../../kernel/clock.ts'
import { defined, isOneOf } from '../../lib/guards.ts'
import { storableText } from '../../lib/storable-text.ts'
import type { FileStorage } from '../files/index.ts'
import { MailFailure, messageIdOf, type Mailer } from '../mail/index.ts'
import type { Links } from './links/links.ts'
import type { ReplyAddresses } from './links/reply-addresses.ts'
import { decorate } from './render/decorate.ts'
import type { RenderedLetter } from './render/letter.ts'
import type { Responses } from './responses.ts'
import {
  acceptedStates,
  insertEmail,
  lockEmail,
  lockKeyed,
  lockPerson,
  updateEmail,
  type EmailHead,
  type EmailRow,
  type LetterFile,
} from './store.ts'
import { listRefused } from './suppressions/store.ts'
import type { TellingServices } from './telling.ts'
import { storeAcceptance } from './acceptance.ts'

/** A letter to be sent. */
export type SendRequest = {
  readonly workspaceId: string
  /** Names the letter: what is sent under the same key is the same letter, and is accepted once. */
  readonly key: string
  /** As whom it is sent. */
  readonly actor: Actor
  /** The run that writes it, and its workflow; a test of one has no run. */
  readonly run: { readonly id: string | null; readonly workflowId: string; readonly block: string } | null
  /** The record of whom it goes to. */
  readonly personId: string | null
  /** One of many: it says how to get no more of them. It has one recipient. */
  readonly inSequence: boolean
  readonly recipients: readonly string[]
  readonly letter: RenderedLetter
  readonly files: readonly LetterFile[]
  readonly tracksOpens: boolean
  readonly tracksClicks: boolean
}

/** What became of a letter. It was accepted where it is `sent`, or `kept` by a server that has no mail server. */
type SendOutcome = {
  readonly state: Exclude<EmailRow['email_state'], 'sending' | 'deferred' | 'refused'>
  readonly emailId: string
  readonly messageId: string
  /** Recipients that may not be written to. */
  readonly suppressed: readonly string[]
  /** Recipients that the mail server has refused, where it has accepted others. */
  readonly rejected: readonly string[]
}

type EmailServices = TellingServices & {
  readonly database: Database
  readonly clock: Clock
  readonly newId: (nowMs: number) => string
  /** Without one, letters are kept in the database and shown. */
  readonly mailer: Mailer | undefined
  /** The sender of letters. */
  readonly from: string
  readonly links: Links
  readonly replyAddresses: ReplyAddresses
  readonly responses: Responses
  readonly storage: Pick<FileStorage, 'read'>
}

/** Sends letters, once each, and keeps them. */
export class Emails {
  readonly #services: EmailServices

  constructor(services: EmailServices) {
    this.#services = services
  }

  /**
   * Sends a letter, unless one with its key has been accepted before: then it answers what became of that one. Rejects
   * with a `MailFailure` if the mail server does not take it; the same call may then be made again. Never call it
   * inside a transaction.
   */
  async send(request: SendRequest): Promise<SendOutcome> {
    const { database, mailer, links, replyAddresses, storage } = this.#services
    const { workspaceId, letter } = request
    const row = await database.write((tx) => this.#begin(tx, request))
    if (row.email_state !== 'sending') return outcomeOf(row)
    if (mailer === undefined) return this.#accept(request, row, 'kept', [])
    const { text, html, unsubscribeUrl } = decorate(
      letter,
      links,
      { workspaceId, emailId: row.id },
      {
        tracksOpens: request.tracksOpens,
        tracksClicks: request.tracksClicks,
        unsubscribes: request.inSequence ? row.recipients[0] : undefined,
      },
    )
    const replyTo = replyAddresses.of(row.id)
    const mail = {
      to: row.recipients,
      subject: letter.subject,
      text,
      ...(html !== null && { html }),
      messageId: row.message_id,
      wantsReplies: true as const,
      ...(replyTo !== undefined && { replyTo }),
      ...(unsubscribeUrl !== undefined && { unsubscribeUrl }),
      files: row.files.map(({ id, name, mime_type }) => ({
        name,
        mimeType: mime_type,
        open: () => storage.read({ workspaceId, id }),
      })),
    }
    const { rejected } = await mailer(mail).catch((error: unknown) => this.#refuse(row, error))
    return this.#accept(request, row, 'sent', rejected)
  }

  /** Finds the letter, or writes it down before it goes out: what comes back may be faster than the answer. */
  async #begin(tx: Tx, request: SendRequest): Promise<EmailHead> {
    const { clock, from, newId } = this.#services
    const { workspaceId, key, actor, run, personId, inSequence, recipients, letter, files } = request
    const now = clock.now()
    const id = newId(now)
    const written = {
      email_state: 'sending' as const,
      recipients,
      left_out: [],
      sender: from,
      message_id: messageIdOf(id, from),
      subject: letter.subject,
      body_text: letter.text,
      body_html: letter.html,
      files,
      failure_detail: null,
      updated_at: now,
    }
    const row: EmailRow = {
      ...written,
      workspace_id: workspaceId,
      id,
      letter_key: key,
      in_sequence: inSequence,
      person_id: personId,
      workflow_id: run?.workflowId ?? null,
      run_id: run?.id ?? null,
      block: run?.block ?? '',
      actor: unnarrowed(actor),
      bounce: null,
      opens: 0,
      clicks: 0,
      machine_opens: 0,
      machine_clicks: 0,
      created_at: now,
      sent_at: null,
      opened_at: null,
      clicked_at: null,
      machine_opened_at: null,
      machine_clicked_at: null,
      replied_at: null,
      bounced_at: null,
      unsubscribed_at: null,
    }
    // Most letters are new, and their recipients may be written to: the rest is seen to afterwards.
    const [refused, isNew] = await Promise.all([
      listRefused(tx, workspaceId, recipients, personId),
      insertEmail(tx, row),
    ])
    const before = isNew ? row : defined(await lockKeyed(tx, workspaceId, key))
    if (isAccepted(before) || (isNew && refused.size === 0)) return before
    const left = recipients.filter((address) => !refused.has(address))
    // What a reader has done with it stays: it may have arrived although the mail server never said so.
    const again = {
      ...written,
      email_state: left.length === 0 ? ('suppressed' as const) : written.email_state,
      recipients: left,
      left_out: recipients.filter((address) => refused.has(address)),
      message_id: before.message_id,
    }
    await updateEmail(tx, { workspace_id: workspaceId, id: before.id, ...again })
    return { ...before, ...again }
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

  async #refuse({ workspace_id, id }: EmailHead, error: unknown): Promise<never> {
    const { database, clock, responses } = this.#services
    if (error instanceof MailFailure) {
      const state = error.isPermanent ? 'refused' : error.isInDoubt ? 'sending' : 'deferred'
      const isStored = await database.write(async (tx) => {
        const current = await lockEmail(tx, workspace_id, id)
        if (current?.email_state !== 'sending') return false
        const failure_detail = storableText(error.message)
        await updateEmail(tx, { workspace_id, id, email_state: state, failure_detail, updated_at: clock.now() })
        return true
      })
      // A report would say the same a little later.
      if (isStored && state === 'refused' && error.isUnknownRecipient)
        await responses.bounced(
          { workspaceId: workspace_id, emailId: id },
          { kind: 'hard', recipient: undefined, detail: error.message },
        )
    }
    throw error
  }
}

const isAccepted = ({ email_state: state }: EmailHead): boolean => isOneOf(acceptedStates, state)

function outcomeOf(row: EmailHead, rejected: readonly string[] = []): SendOutcome {
  const { email_state: state, id, message_id, left_out } = row
  if (state === 'sending' || state === 'deferred' || state === 'refused') throw new Error('a letter was not accepted')
  return { state, emailId: id, messageId: message_id, suppressed: left_out, rejected }
}
