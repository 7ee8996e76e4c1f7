import { itemsOf, isRecord } from '../../../lib/guards.ts'
import { atLeast, levelsOn } from '../../access/index.ts'
import { lockRecords } from '../../objects/index.ts'
import { updateRecords, type WriteTarget } from '../../records/index.ts'
import { objectName } from '../recordings.ts'
import { originalNamed } from './instance-keys.ts'
import { listKnown } from './known.ts'
import type { ImportContext, ImportOutcome } from './outcome.ts'
import type { Reply } from './read.ts'
import type { CalendarEntry } from './store.ts'

/** Stores what participants answer (METHOD:REPLY): the status of each in their meetings, and nothing else. */
export async function applyReplies(
  ctx: ImportContext,
  { object, principal }: WriteTarget,
  replies: readonly Reply[],
  outcome: ImportOutcome,
): Promise<void> {
  const { tx, workspace } = ctx
  const uids = [...new Set(replies.map(({ uid }) => uid))]
  const entries = await listKnown(tx, workspace.workspaceId, object, { ids: [], uids })
  const meetingIds = [...new Set(entries.map(({ meeting_id }) => meeting_id))].toSorted()
  const rows = await lockRecords(tx, workspace.workspaceId, object.key, meetingIds, 'change')
  const levelOf = await levelsOn(tx, workspace.workspaceId, principal, rows, 'edit')
  const field = object.fields.get('participants')?.key ?? ''
  const participants = new Map<string, unknown[]>(
    rows.filter((row) => atLeast(levelOf(row), 'edit')).map((row) => [row.id, [...itemsOf(row.data[field])]]),
  )
  const invitations = invitationsOf(entries, participants)
  const originals = originalsOf(entries)
  for (const reply of newestOf(replies)) {
    const answered = repliedTo(reply, invitations, originals)
    for (const { items, at } of answered) items[at] = { ...members(items[at]), status: reply.status }
    if (answered.length === 0) outcome.skipped++
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

const members = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {})

type Entry = Pick<CalendarEntry, 'uid' | 'original' | 'sequence' | 'meeting_id'>

/** A participant of an occurrence: their place among the participants of its meeting. */
type Invitation = { readonly entry: Entry; readonly items: unknown[]; readonly at: number }

/** Names what is indexed: an event and an address, perhaps with an instance. */
const keyOf = (...parts: readonly unknown[]): string => JSON.stringify(parts)

/** Indexes participants by event and address, and by instance as well: a file may have thousands of replies. */
function invitationsOf(
  entries: readonly Entry[],
  participants: ReadonlyMap<string, unknown[]>,
): ReadonlyMap<string, readonly Invitation[]> {
  const found = entries.flatMap((entry) => {
    const items = participants.get(entry.meeting_id) ?? []
    return items.flatMap((one, at) => (isRecord(one) ? { email: one['email'], invitation: { entry, items, at } } : []))
  })
  const index = new Map<string, Invitation[]>()
  for (const { email, invitation } of found) {
    const { uid, original } = invitation.entry
    for (const key of [keyOf(uid, email), keyOf(uid, email, original)]) {
      const known = index.get(key)
      if (known === undefined) index.set(key, [invitation])
      else known.push(invitation)
    }
  }
  return index
}

type Originals = ReadonlyMap<unknown, ReadonlySet<number>>

/** Lists the originals of the instances of each event. */
const originalsOf = (entries: readonly Entry[]): Originals =>
  new Map(
    [...Map.groupBy(entries, ({ uid }) => uid)].map(([uid, own]) => [
      uid,
      new Set(own.flatMap(({ original }) => original ?? [])),
    ]),
  )

const noOriginals: ReadonlySet<number> = new Set()

/** Returns the invitations that a reply is about, in a version that it has not gone beyond. */
function repliedTo(
  { uid, email, name, sequence }: Reply,
  invitations: ReadonlyMap<string, readonly Invitation[]>,
  originals: Originals,
): readonly Invitation[] {
  const original = name === null ? undefined : originalNamed(name, originals.get(uid) ?? noOriginals)
  if (name !== null && original === undefined) return []
  const key = name === null ? keyOf(uid, email) : keyOf(uid, email, original)
  return (invitations.get(key) ?? []).filter(({ entry }) => sequence >= entry.sequence)
}

/** Of several replies of one person about the same, the one with the highest SEQUENCE counts, then the last. */
function newestOf(replies: readonly Reply[]): readonly Reply[] {
  const newest = new Map<string, Reply>()
  for (const reply of replies) {
    const key = JSON.stringify([reply.uid, reply.email, reply.name])
    if ((newest.get(key)?.sequence ?? 0) > reply.sequence) continue
    // At the end, behind what it comes after.
    newest.delete(key)
    newest.set(key, reply)
  }
  return [...newest.values()]
}
