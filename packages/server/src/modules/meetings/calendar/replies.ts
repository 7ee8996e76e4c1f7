import { itemsOf, isRecord, memberOf } from '../../../lib/guards.ts'
import { atLeast, levelsOn } from '../../access/index.ts'
import { lockRecords } from '../../objects/index.ts'
import { updateRecords, type WriteTarget } from '../../records/index.ts'
import { objectName } from '../recordings.ts'
import { originalNamed } from './instance-keys.ts'
import type { ImportContext, ImportOutcome } from './outcome.ts'
import type { Reply } from './read.ts'
import { listImported, type CalendarEntry } from './store.ts'

/** Stores what participants answer (METHOD:REPLY): the status of each in their meetings, and nothing else. */
export async function applyReplies(
  ctx: ImportContext,
  { object, principal }: WriteTarget,
  replies: readonly Reply[],
  outcome: ImportOutcome,
): Promise<void> {
  const { tx, workspace } = ctx
  const entries = await listImported(
    tx,
    workspace.workspaceId,
    [],
    replies.map(({ uid }) => uid),
  )
  const meetingIds = [...new Set(entries.map(({ meeting_id }) => meeting_id))].toSorted()
  const rows = await lockRecords(tx, workspace.workspaceId, object.key, meetingIds, 'change')
  const levelOf = await levelsOn(tx, workspace.workspaceId, principal, rows, 'edit')
  const field = object.fields.get('participants')?.key ?? ''
  const participants = new Map(
    rows.filter((row) => atLeast(levelOf(row), 'edit')).map((row) => [row.id, itemsOf(row.data[field])]),
  )
  for (const reply of replies) {
    const answered = aboutWhich(reply, entries).filter(({ meeting_id: id }) => participants.has(id))
    const changed = answered.filter(({ meeting_id: id }) => participants.get(id)?.some((one) => isOf(reply, one)))
    for (const { meeting_id: id } of changed)
      participants.set(
        id,
        (participants.get(id) ?? []).map((one) =>
          isRecord(one) && isOf(reply, one) ? { ...one, status: reply.status } : one,
        ),
      )
    if (changed.length === 0) outcome.skipped++
  }
  const given = [...participants].map(([id, items]) => ({
    id,
    type: objectName,
    attributes: { participants: { items: [...items] } },
    path: [],
  }))
  if (given.length === 0) return
  const { updated } = await updateRecords(ctx, objectName, given, undefined)
  for (const { row, diff } of updated.filter((one) => one.diff.length > 0)) {
    outcome.updated.push(row.id)
    outcome.diffs.push(diff)
  }
}

/** Returns the occurrences that a reply is about, in a version that it has not gone beyond. */
function aboutWhich({ uid, name, sequence }: Reply, entries: readonly CalendarEntry[]): CalendarEntry[] {
  const own = entries.filter((entry) => entry.uid === uid)
  const original =
    name === null ? undefined : originalNamed(name, new Set(own.flatMap((entry) => entry.original ?? [])))
  if (name !== null && original === undefined) return []
  return own.filter((entry) => sequence >= entry.sequence && (name === null || entry.original === original))
}

const isOf = ({ email }: Reply, participant: unknown): boolean => memberOf(participant, 'email') === email
