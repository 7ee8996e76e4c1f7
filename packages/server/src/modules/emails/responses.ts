import type { bounceKinds } from '@kontor/contract'
import type { Database, Tx, ReadTx } from '../../db/tx.ts'
import type { Actor } from '../../kernel/actor.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { DomainEvent } from '../../kernel/events.ts'
import { storableText } from '../../lib/texts.ts'
import { storeAcceptance } from './acceptance.ts'
import type { EngagementKind } from './engagement.ts'
import { findEmail, lockEmail, lockPerson, updateEmail, type EmailHead, type EmailRow } from './store.ts'
import { findHolder } from './suppressions/store.ts'
import { suppressAddresses, suppressReader } from './suppressions/suppress.ts'
import { findSlug } from '../workspaces/index.ts'
import { payloadOf, tell, type TellingServices } from './telling.ts'
import { findMember, findUserByEmail } from '../identity/users/index.ts'

/** Anyone who has a link may follow it over and over: what follows the last time within this time is the same visit. */
const visitMs = 1000

/**
 * An open or a click shows that a letter has arrived, unless the mail server may still be scanning it:
 * some follow links before they answer, and then refuse.
 */
const conversationMs = 60_000

/** Longest text of a mail server that is kept. */
const detailMax = 2000

type Services = TellingServices & { readonly database: Database; readonly clock: Clock }

/** A letter, by its ids. */
type EmailKey = { readonly workspaceId: string; readonly emailId: string }

/** A bounce of a letter. */
type Bounce = {
  readonly kind: (typeof bounceKinds)[number]
  /** The recipient whom it did not reach, as far as the answer says. */
  readonly recipient: string | undefined
  readonly detail: string
}

/** A stored response, and its event if it is the first of its kind. */
type Noted = {
  readonly change: Partial<EmailRow>
  readonly event?: ((recordId: string) => DomainEvent) | undefined
  /** It is no doing of the reader: neither the log nor who listens is told. */
  readonly isUntold?: true
}

/** Notes what comes back of letters. Each answers false where there is no such letter. */
export class Responses {
  readonly #services: Services

  constructor(services: Services) {
    this.#services = services
  }

  opened(named: EmailKey, visitor: Visitor): Promise<boolean> {
    return this.#note('open', named, async (email, now, tx) => {
      if (await isMachine(tx, email, visitor, now)) {
        if (isSameVisit(email.machine_opened_at, now)) return undefined
        return { change: { machine_opened_at: now, machine_opens: email.machine_opens + 1 }, isUntold: true }
      }
      if (isSameVisit(email.opened_at, now)) return undefined
      const event = email.opened_at === null ? eventOf('email.opened', email) : undefined
      return { change: { opened_at: now, opens: email.opens + 1 }, event }
    })
  }

  clicked(named: EmailKey, url: string, visitor: Visitor): Promise<boolean> {
    return this.#note('click', named, async (email, now, tx) => {
      if (await isMachine(tx, email, visitor, now)) {
        if (isSameVisit(email.machine_clicked_at, now)) return undefined
        return { change: { machine_clicked_at: now, machine_clicks: email.machine_clicks + 1 }, isUntold: true }
      }
      if (isSameVisit(email.clicked_at, now)) return undefined
      const payload = { ...payloadOf(email), url }
      const event = (recordId: string): DomainEvent => ({ type: 'email.clicked', object: 'person', recordId, payload })
      return {
        change: { clicked_at: now, clicks: email.clicks + 1 },
        event: email.clicked_at === null ? event : undefined,
      }
    })
  }

  replied(named: EmailKey): Promise<boolean> {
    return this.#note('reply', named, (email, now) => ({
      change: { replied_at: now },
      event: email.replied_at === null ? eventOf('email.replied', email) : undefined,
    }))
  }

  /**
   * A recipient wants no more letters, of this workspace; requested again, it changes nothing. `address` says which one
   * where the letter has several.
   */
  async unsubscribed(named: EmailKey, address?: string): Promise<boolean> {
    const isKnown = await this.#note('unsubscribe', named, async (email, now, tx) => {
      const one = recipientOf(email, address)
      if (one === undefined) return undefined
      const personId = email.person_id ?? (await findHolder(tx, email.workspace_id, one))
      const isNew = await suppressReader(tx, email, { address: one, personId, now })
      if (!isNew && email.unsubscribed_at !== null) return undefined
      return { change: { unsubscribed_at: now }, event: eventOf('email.unsubscribed', email) }
    })
    // The letter went with its person, or with the years: the wish holds all the same.
    if (!isKnown && address !== undefined && address !== '') await this.#suppressAlone(named, address)
    return isKnown
  }

  /** A letter came back. Where it did so for good, the workspace writes to the address no more. */
  bounced(named: EmailKey, { kind, recipient, detail }: Bounce): Promise<boolean> {
    return this.#note('bounce', named, async (email, now, tx) => {
      const unreached = recipientOf(email, recipient)
      if (unreached === undefined) return undefined
      if (kind === 'hard') await suppressAddresses(tx, email, [unreached], now)
      if (email.bounce === 'hard' || email.bounce === kind) return undefined
      const payload = { ...payloadOf(email), bounce: kind }
      return {
        change: { bounced_at: now, bounce: kind, failure_detail: storableText(detail.slice(0, detailMax)) },
        event: (recordId) => ({ type: 'email.bounced', object: 'person', recordId, payload }),
      }
    })
  }

  async #suppressAlone({ workspaceId, emailId }: EmailKey, address: string): Promise<void> {
    const { database, clock } = this.#services
    await database.write(
      async (tx) => {
        if ((await findSlug(tx, workspaceId)) === undefined) return
        const personId = await findHolder(tx, workspaceId, address)
        const letter = { workspace_id: workspaceId, id: emailId }
        await suppressReader(tx, letter, { address, personId, now: clock.now() })
      },
      { party: workspaceId },
    )
  }

  async #note(
    kind: EngagementKind,
    { workspaceId, emailId }: EmailKey,
    note: (email: EmailHead, now: number, tx: Tx) => Noted | undefined | Promise<Noted | undefined>,
  ): Promise<boolean> {
    const { database, clock } = this.#services
    return database.write(
      async (tx) => {
        // The person first, as every change of a record does that takes along what hangs on it.
        const { person_id: personId } = (await findEmail(tx, workspaceId, emailId)) ?? {}
        const hasPerson = personId != null && (await lockPerson(tx, workspaceId, personId))
        const email = await lockEmail(tx, workspaceId, emailId)
        if (email === undefined) return false
        const now = clock.now()
        const noted = await note(email, now, tx)
        if (noted === undefined) return true
        const actor = senderOf(email)
        if (isUnconfirmed(email) && showsArrival(kind, noted, email, now))
          await storeAcceptance(tx, this.#services, email, { state: 'sent', now, actor, hasPerson })
        await updateEmail(tx, { workspace_id: workspaceId, id: emailId, ...noted.change, updated_at: now })
        if (noted.isUntold === true) return true
        const { bounce } = noted.change
        await tell(tx, this.#services, email, { kind, bounce, now, actor, hasPerson, event: noted.event })
        return true
      },
      { party: workspaceId },
    )
  }
}

/** Returns the sender of a letter: the workflow, as the person it runs as. It continues no chain of changes. */
const senderOf = ({ actor, workflow_id: workflow }: EmailHead): Actor =>
  workflow === null ? actor : { ...actor, workflow }

/** The recipient whom a response concerns: the one that it names, or the only one. */
const recipientOf = ({ recipients }: EmailHead, named: string | undefined): string | undefined =>
  recipients.length === 1 ? recipients[0] : recipients.find((one) => one === named)

/** The mail server's answer to a letter was lost, or is still to come. */
const isUnconfirmed = ({ email_state: state }: EmailHead): boolean => state === 'sending' || state === 'deferred'

/** Returns whether what came back of a letter can only come of one that was accepted. */
const showsArrival = (kind: EngagementKind, { isUntold }: Noted, { updated_at }: EmailHead, now: number): boolean =>
  kind === 'open' || kind === 'click' ? isUntold !== true && now - updated_at >= conversationMs : true

const isSameVisit = (last: number | null, now: number): boolean => last !== null && now - last < visitMs

type PlainType = 'email.opened' | 'email.replied' | 'email.unsubscribed'

const eventOf =
  (type: PlainType, email: EmailHead) =>
  (recordId: string): DomainEvent => ({ type, object: 'person', recordId, payload: payloadOf(email) })

/** The facts about a client that loads the picture of a letter, or follows a link in it. */
type Visitor = {
  /** A program by its own account. */
  readonly isProgram: boolean
  /** The user who is signed in where the request comes from. */
  readonly userId: string | undefined
}

/** Scanners on the way to a mailbox open a letter within this time; readers do not. */
const scansMs = 5000

/**
 * Returns whether a visit says nothing of the reader of a letter: by a program, or by a member of the workspace (0173).
 */
async function isMachine(
  tx: ReadTx,
  { workspace_id, recipients, created_at, sent_at }: EmailHead,
  { isProgram, userId }: Visitor,
  now: number,
): Promise<boolean> {
  // Another node may have sent it, whose clock is ahead.
  if (isProgram || Math.abs(now - (sent_at ?? created_at)) < scansMs) return true
  const [only = ''] = recipients
  const readers = recipients.length === 1 ? (await findUserByEmail(tx, only))?.id : undefined
  for (const id of [userId, readers])
    if (id !== undefined && (await findMember(tx, workspace_id, id)) !== undefined) return true
  return false
}
