import type { Tx } from '../../db/tx.ts'
import { unnarrowed } from '../../kernel/actor.ts'
import type { Clock } from '../../kernel/clock.ts'
import { defined, isOneOf } from '../../lib/guards.ts'
import { countOnDay } from './daily-bound.ts'
import type { SendRequest } from './request.ts'
import { messageIdOfLetter } from './links/message-ids.ts'
import type { ReplyAddresses } from './links/reply-addresses.ts'
import { acceptedStates, insertEmail, lockKeyed, updateEmail, type EmailHead, type EmailRow } from './store.ts'
import { listRefused } from './suppressions/store.ts'

/** BeginServices that an e-mail is begun with. */
export type BeginServices = {
  readonly clock: Clock
  readonly newId: (nowMs: number) => string
  readonly from: string
  readonly replyAddresses: ReplyAddresses
  /** Recipients whom the plain workflows of a workspace may e-mail in a day; 0 is no limit. */
  readonly workflowEmailsPerDay: number
}

const blank = {
  bounce: null,
  opens: 0,
  clicks: 0,
  machine_opens: 0,
  machine_clicks: 0,
  sent_at: null,
  opened_at: null,
  clicked_at: null,
  machine_opened_at: null,
  machine_clicked_at: null,
  replied_at: null,
  bounced_at: null,
  unsubscribed_at: null,
} as const

/**
 * Finds the letter, or writes it down before it goes out: what comes back may be faster than the answer. Returns
 * undefined where it may not go out now.
 */
export async function beginLetter(
  tx: Tx,
  services: BeginServices,
  request: SendRequest,
): Promise<EmailHead | undefined> {
  if (request.mayGoOut !== undefined && !(await request.mayGoOut(tx))) return undefined
  const { clock, from, newId, replyAddresses } = services
  const { workspaceId, key, actor, run, personId, inSequence, recipients, letter, files } = request
  const now = clock.now()
  const id = newId(now)
  const written = {
    email_state: 'sending' as const,
    recipients,
    left_out: [],
    sender: from,
    message_id: messageIdOfLetter(replyAddresses, { id, from, isToSeveral: recipients.length > 1 }),
    subject: letter.subject,
    body_text: letter.text,
    body_html: letter.html,
    files,
    failure_detail: null,
    updated_at: now,
  }
  const row: EmailRow = {
    ...blank,
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
    reached: [],
    created_at: now,
  }
  // Most letters are new, and their recipients may be written to: the rest is seen to afterwards.
  const [refused, isNew] = await Promise.all([listRefused(tx, workspaceId, recipients, personId), insertEmail(tx, row)])
  const before = isNew ? row : defined(await lockKeyed(tx, workspaceId, key))
  if (isAccepted(before)) return before
  const left = recipients.filter((address) => !refused.has(address) || before.reached.includes(address))
  if (isNew && !inSequence && run?.id != null)
    await countOnDay(tx, { workspaceId, recipients: left.length, limit: services.workflowEmailsPerDay, now })
  if (isNew && refused.size === 0) return before
  // Opens and clicks stay: the e-mail may have arrived although the mail server never confirmed it.
  const again = {
    ...written,
    email_state: left.length === 0 ? ('suppressed' as const) : written.email_state,
    recipients: left,
    left_out: recipients.filter((address) => !left.includes(address)),
    message_id: before.message_id,
  }
  await updateEmail(tx, { workspace_id: workspaceId, id: before.id, ...again })
  return { ...before, ...again }
}

const isAccepted = ({ email_state: state }: EmailHead): boolean => isOneOf(acceptedStates, state)
