import type { Change, meetings } from '@kontor/contract'
import { SerialisationFailure } from '../../../db/errors.ts'
import { isoTime } from '../../../kernel/clock.ts'
import { inTwoParts, type Handlers, type WorkspaceReadContext, type WriteContext } from '../../../kernel/implement.ts'
import { derivedId } from '../../../kernel/ids.ts'
import { defined } from '../../../lib/guards.ts'
import type { OutboundClient } from '../../../lib/outbound/client.ts'
import { OutboundFailure } from '../../../lib/outbound/failure.ts'
import { atLeast, levelsOn } from '../../access/index.ts'
import { lockRecords } from '../../objects/index.ts'
import { createRecords, dryRunMeta, findTarget, updateRecords } from '../../records/index.ts'
import { findSettings } from '../../settings/index.ts'
import { objectName } from '../recordings.ts'
import { withoutUniques } from '../without-uniques.ts'
import { CalendarFault, readCalendar, type Occurrence } from './read.ts'
import { findImported, rememberImported } from './store.ts'

/** Bytes that a calendar may have which is fetched. */
const calendarBytesMax = 10 * 1024 * 1024

/** Imports a calendar: what has been imported before is brought up to date, so that each event exists once. */
export const calendarImport = (outbound: OutboundClient): Handlers<typeof meetings>['importCalendar'] =>
  inTwoParts(async (read, { body: { ics, url }, dry_run }) => {
    const text = ics ?? (await fetchCalendar(read, outbound, defined(url)))
    const { time_zone } = await findSettings(read.tx, read.workspace.workspaceId)
    const entries = readEntries(read, text, time_zone, ics === undefined ? '/url' : '/ics')
    return async (ctx) => {
      const { diffs, ...counts } = await importEntries(withoutUniques(ctx), entries)
      return { body: { data: counts, ...(await dryRunMeta(ctx, dry_run, diffs)) } }
    }
  })

async function fetchCalendar(ctx: WorkspaceReadContext, outbound: OutboundClient, url: string): Promise<string> {
  const refuse = (detail: string) => ctx.fail('invalid_body', { detail, source: { pointer: '/url' } })
  const headers = { accept: 'text/calendar' }
  const answer = await outbound
    .send({ method: 'GET', url, headers, answerBytesMax: calendarBytesMax })
    .catch((error: unknown) => {
      if (error instanceof OutboundFailure) throw refuse(error.message)
      throw error
    })
  if (answer.status !== 200) throw refuse(`The URL has answered with the status ${answer.status}.`)
  if (answer.isCut) throw refuse(`The calendar has more than ${calendarBytesMax} bytes.`)
  return answer.body
}

function readEntries(
  ctx: WorkspaceReadContext,
  text: string,
  timeZone: string,
  pointer: string,
): readonly Occurrence[] {
  try {
    const entries = readCalendar(text, { now: ctx.now, timeZone })
    // An event that a file has twice is what it says last.
    return [...new Map(entries.map((entry) => [entry.key, entry])).values()]
  } catch (error) {
    if (error instanceof CalendarFault) throw ctx.fail('invalid_body', { detail: error.message, source: { pointer } })
    throw error
  }
}

type ImportContext = WriteContext<'unique_violation' | 'match_ambiguous'>

type Imported = {
  readonly created: string[]
  readonly updated: string[]
  readonly unchanged: number
  readonly skipped: number
  readonly diffs: Change[][]
}

const idOf = ({ key }: Occurrence): string => derivedId('calendar', key)

async function importEntries(ctx: ImportContext, entries: readonly Occurrence[]): Promise<Imported> {
  const { workspaceId } = ctx.workspace
  const target = await findTarget(ctx, objectName)
  const known = await findImported(ctx.tx, workspaceId, entries.map(idOf))
  const meetingIds = [...new Set(known.values())]
  const rows = await lockRecords(ctx.tx, workspaceId, target.object.key, meetingIds, 'change')
  const levelOf = await levelsOn(ctx.tx, workspaceId, target.principal, rows, 'edit')
  const editable = new Set(rows.filter((row) => atLeast(levelOf(row), 'edit')).map(({ id }) => id))
  const fresh = entries.filter((entry) => !known.has(idOf(entry)) && !entry.isCancelled)
  // Of two occurrences in one meeting, which a merge has made, the last one is taken.
  const changes = new Map(
    entries.flatMap((entry) => {
      const id = known.get(idOf(entry))
      return id !== undefined && editable.has(id) && !entry.isCancelled ? [[id, attributesOf(entry)] as const] : []
    }),
  )
  const { updated, diffs } = await update(ctx, changes)
  const created = await create(ctx, fresh)
  return {
    created: created.map(({ row }) => row.id),
    updated,
    unchanged: changes.size - updated.length,
    skipped: entries.length - changes.size - created.length,
    diffs: [...created.map(({ diff }) => diff), ...diffs],
  }
}

async function update(ctx: ImportContext, changes: ReadonlyMap<string, ReturnType<typeof attributesOf>>) {
  if (changes.size === 0) return { updated: [], diffs: [] }
  const given = [...changes].map(([id, attributes]) => ({ id, type: objectName, attributes, path: [] }))
  const { updated } = await updateRecords(ctx, objectName, given, undefined)
  const changed = updated.filter(({ diff }) => diff.length > 0)
  return { updated: changed.map(({ row }) => row.id), diffs: changed.map(({ diff }) => diff) }
}

async function create(ctx: ImportContext, entries: readonly Occurrence[]) {
  if (entries.length === 0) return []
  const given = entries.map((entry) => ({ type: objectName, attributes: attributesOf(entry), path: [] }))
  const { written } = await createRecords(ctx, objectName, given, {})
  const rows = entries.map((entry, index) => ({
    workspace_id: ctx.workspace.workspaceId,
    id: idOf(entry),
    meeting_id: defined(written[index]).row.id,
  }))
  if (!(await rememberImported(ctx.tx, rows))) throw new SerialisationFailure('Another import was faster')
  return written
}

const attributesOf = ({ key, uid, title, startsAt, endsAt, isAllDay, participants }: Occurrence) => ({
  title: title === '' ? null : title,
  start: isoTime(startsAt),
  end: isoTime(endsAt),
  all_day: isAllDay,
  participants: { items: [...participants] },
  event_id: key.slice(0, 1000),
  ical_uid: uid,
})
