import { newId, type RecordRows, type Row, type Writer } from './rows.ts'

/** A record that was changed after it was made, with what each change left in its feed. */
export type Changed = { readonly record: RecordRows['record']; readonly activity: readonly Row[] }

/** Changes further apart than a minute, so that each is an activity of its own. */
export const changesApartMs = 61_000

/**
 * The rows that as many changes of the job title leave of a record, exactly as the server's own update does; their
 * events have been trimmed.
 */
export function changedRows({ workspaceId, userId }: Writer, { record }: RecordRows, changes: number): Changed {
  const activity: Row[] = []
  const titleOf = (change: number) =>
    change === 0 ? record.data['job_title'] : `${String(record.data['job_title'])} ${change}`
  for (let change = 1; change <= changes; change++) {
    const now = record.created_at + change * changesApartMs
    const diff = [{ op: 'update', path: ['job_title'], val: titleOf(change), oldVal: titleOf(change - 1) }]
    activity.push({
      workspace_id: workspaceId,
      record_id: record.id,
      position: change + 1,
      place: 1,
      id: newId(now),
      type: 'svc:update',
      object: 'person',
      actor_id: userId,
      actor_entity: 'user',
      source_id: userId,
      diff,
      began_at: now,
      created_at: now,
    })
  }
  const at = record.created_at + changes * changesApartMs
  const last = { kind: 'svc:update', actor: userId, position: changes + 1, place: 1, began_at: at }
  const changed = {
    version: changes + 1,
    updated_at: at,
    feed_end: { top: changes + 1, at, open: [last] },
    data: { ...record.data, job_title: titleOf(changes) as string },
  }
  return { record: { ...record, ...changed }, activity }
}
