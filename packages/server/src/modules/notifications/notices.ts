import { z } from 'zod'
import { notificationKind } from '@kontor/contract'
import type { Tx } from '../../db/tx.ts'
import { enqueue } from '../../engine/store.ts'
import type { JobType } from '../../engine/types.ts'
import { actorUserId, agentOf, doerOf, holderId, type Actor } from '../../kernel/actor.ts'
import type { DomainEvent } from '../../kernel/events.ts'

const noticeShape = z.object({
  kind: notificationKind,
  object: z.string(),
  record_id: z.string(),
  comment_id: z.string().nullable(),
  run_id: z.string().nullable(),
  /** The users to notify; for a comment they are found with its record. */
  user_ids: z.array(z.string()),
})

/** Something that people are notified of. */
export type Notice = z.infer<typeof noticeShape>

const by = z.object({
  id: z.string(),
  kind: z.string(),
  /** Whom a workflow acts for, who is not notified of what it does. */
  for: z.string().optional(),
})

const payloadShape = z.object({ by, notices: z.array(noticeShape), left: z.array(z.string()) })

export type NoticePayload = z.infer<typeof payloadShape>

/** Tells people of what a change has done; `left` are members who have been removed. */
export const noticeJobType: JobType<NoticePayload> = { name: 'notifications.write', payload: payloadShape }

type Source = { readonly workspaceId: string; readonly actor: Actor; readonly silent: boolean; readonly now: number }

/** Has people notified of events, in the transaction that makes them; most events concern no person in particular. */
export async function enqueueNotices(tx: Tx, source: Source, events: readonly DomainEvent[]): Promise<void> {
  const { workspaceId, actor, silent, now } = source
  const notices = silent ? [] : events.flatMap((event) => noticesOf(event, actor))
  const left = events.flatMap(({ type, recordId }) => (type === 'member.removed' ? [recordId] : []))
  if (notices.length === 0 && left.length === 0) return
  const { id, kind: doer } = doerOf(actor)
  const kind = doer === 'personal-key' ? 'user' : doer
  const what = { by: { id, kind, ...(doer === 'workflow' && { for: holderId(actor) }) }, notices, left }
  await enqueue(tx, { workspaceId, kind: noticeJobType, payload: what, now })
}

/** Returns the notices of an event; none for most. */
function noticesOf(event: DomainEvent, actor: Actor): Notice[] {
  const { type, object, recordId, payload, named = [] } = event
  const about = { object, record_id: recordId, comment_id: null, run_id: null, user_ids: [] }
  const owner = actorUserId(actor)
  // A change by an agent is not a change by its owner.
  const doer = agentOf(actor) === undefined ? owner : null
  const others = named.filter((id) => id !== doer)
  if (type === 'comment.created' || type === 'comment.updated') {
    const comment = { ...about, comment_id: payload.comment_id }
    const mentions = addressed({ ...comment, kind: 'mention', user_ids: others })
    return type === 'comment.created' ? [...mentions, { ...comment, kind: 'comment' }] : mentions
  }
  if (type === 'record.created' || type === 'record.updated')
    return addressed({ ...about, kind: 'assignment', user_ids: others })
  if (type === 'access.granted') {
    const { grantee_id: grantee, notify } = payload
    const isTold = notify !== false && grantee !== null && grantee !== doer
    return isTold ? [{ ...about, kind: 'share', user_ids: [grantee] }] : []
  }
  const told = [...new Set([...(owner === null ? [] : [owner]), ...named])]
  return told.length === 0 ? [] : ownersNotices(event, { ...about, user_ids: told })
}

/** Returns the notices for the owner of a workflow or webhook, or for the admins if it has no owner. */
function ownersNotices({ type, payload }: DomainEvent, about: Omit<Notice, 'kind'>): Notice[] {
  if (type === 'workflow.run_failed') return [{ ...about, kind: 'workflow_failure', run_id: payload.run_id }]
  if (type === 'workflow.stopped') return [{ ...about, kind: 'workflow_failure' }]
  if (type === 'webhook.failing' || type === 'webhook.disabled') return [{ ...about, kind: 'webhook_failure' }]
  return type === 'webhook.recovered' ? [{ ...about, kind: 'webhook_recovery' }] : []
}

const addressed = (notice: Notice): Notice[] => (notice.user_ids.length === 0 ? [] : [notice])
