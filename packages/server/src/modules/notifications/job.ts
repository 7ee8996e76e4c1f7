import type { Tx } from '../../db/tx.ts'
import type { JobKind } from '../../engine/types.ts'
import { newId } from '../../kernel/ids.ts'
import type { SchemaSets } from '../schemas/index.ts'
import { findSettings } from '../settings/index.ts'
import { audienceOf, keepSeen, type NoticeReader } from './audience.ts'
import { enqueueMessage } from './chat/job.ts'
import { messageOf } from './chat/message.ts'
import { noticeJobType, type NoticePayload } from './notices.ts'
import { listMuted } from './preferences/store.ts'
import { deleteOfUsers, insertNotifications, listMentioned, type NotificationRow } from './store.ts'

/** Writes what people are notified of, where they may see it and have not muted it. */
export const noticeJob = ({ schemaSets }: { readonly schemaSets: SchemaSets }): JobKind<NoticePayload> => ({
  ...noticeJobType,
  async run({ database, workspaceId, clock, conclude }, payload) {
    const { reader } = database
    const now = clock.now()
    const schemas = await schemaSets.readCurrent(reader, workspaceId)
    const audience = await audienceOf(reader, workspaceId, schemas, payload)
    const muted = await listMuted(reader, workspaceId, [...new Set(audience.map(({ userId }) => userId))])
    const wanted = audience.filter(({ userId, notice }) => muted.get(userId)?.includes(notice.kind) !== true)
    const told = await keepSeen(reader, { workspaceId, now }, schemas, wanted)
    const rows = told.map((one) => rowOf(one, payload, { workspaceId, now }))
    const { chat_webhook_url: chat } = await findSettings(reader, workspaceId)
    const message = chat === null ? undefined : await messageOf(reader, { workspaceId, now }, schemas, payload)
    return conclude(async (tx) => {
      await deleteOfUsers(tx, workspaceId, payload.left)
      await insertNotifications(tx, await withoutRepeats(tx, rows))
      if (message !== undefined) await enqueueMessage(tx, workspaceId, message, now)
      return { state: 'done' as const }
    })
  },
})

const keyOf = ({ user_id, comment_id }: Pick<NotificationRow, 'user_id' | 'comment_id'>): string =>
  `${user_id} ${comment_id}`

/** A mention that is dropped and added again has been told. */
async function withoutRepeats(tx: Tx, rows: readonly NotificationRow[]): Promise<NotificationRow[]> {
  const mentions = rows.filter(({ notification_kind: kind }) => kind === 'mention')
  const [first] = mentions
  if (first === undefined) return [...rows]
  const told = await listMentioned(
    tx,
    first.workspace_id,
    mentions.map(({ user_id }) => user_id),
    mentions.flatMap(({ comment_id }) => comment_id ?? []),
  )
  const known = new Set(told.map(keyOf))
  return rows.filter((row) => row.notification_kind !== 'mention' || !known.has(keyOf(row)))
}

const rowOf = (
  { notice: { kind, object, record_id, comment_id, run_id }, userId }: NoticeReader,
  { by }: NoticePayload,
  { workspaceId, now }: { readonly workspaceId: string; readonly now: number },
): NotificationRow => ({
  workspace_id: workspaceId,
  id: newId(now),
  user_id: userId,
  notification_kind: kind,
  object,
  record_id,
  comment_id,
  run_id,
  actor: by,
  read_at: null,
  digested_at: null,
  created_at: now,
})
