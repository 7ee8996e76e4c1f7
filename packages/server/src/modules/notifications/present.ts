import type { NotificationResource } from '@kontor/contract'
import { isoTime, isoTimeOrNull } from '../../kernel/clock.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { resource } from '../../kernel/resource.ts'
import { listMemberNames } from '../identity/users/index.ts'
import { listTitles } from '../query/index.ts'
import type { NotificationRow } from './store.ts'

/** Presents notifications with the names that the caller sees now. */
export async function presentNotifications(
  ctx: WorkspaceReadContext,
  rows: readonly NotificationRow[],
): Promise<NotificationResource[]> {
  const [titles, names] = await Promise.all([
    listTitles(
      ctx,
      rows.map(({ object, record_id: id }) => ({ object, id })),
    ),
    listMemberNames(
      ctx.tx,
      ctx.workspace.workspaceId,
      rows.map(({ actor }) => actor.id),
    ),
  ])
  return rows.map(
    ({ id, notification_kind: kind, object, record_id, comment_id, run_id, actor, read_at, created_at }) =>
      resource('notification', id, {
        _id: id,
        kind,
        object,
        record_id,
        record_name: titles.get(record_id) ?? null,
        comment_id,
        run_id,
        actor: { type: actor.kind, id: actor.id, name: names.get(actor.id) ?? null },
        read_at: isoTimeOrNull(read_at),
        _created_at: isoTime(created_at),
      }),
  )
}
