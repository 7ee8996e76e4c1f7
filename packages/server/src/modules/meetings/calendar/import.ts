import { isDeepStrictEqual } from 'node:util'
import type { Change, meetings } from '@kontor/contract'
import { SerialisationFailure } from '../../../db/errors.ts'
import { isoTime } from '../../../kernel/clock.ts'
import { Failure } from '../../../kernel/errors.ts'
import { inTwoParts, type Handlers, type WorkspaceReadContext, type WriteContext } from '../../../kernel/implement.ts'
import { derivedId } from '../../../kernel/ids.ts'
import { mayTouch } from '../../../kernel/scopes.ts'
import { defined } from '../../../lib/guards.ts'
import type { OutboundClient } from '../../../lib/outbound/client.ts'
import type { Pool } from '../../../pool/index.ts'
import { OutboundFailure } from '../../../lib/outbound/failure.ts'
import { atLeast, levelsOn } from '../../access/index.ts'
import { lockRecords, type ObjectModel, type RecordRow } from '../../objects/index.ts'
import {
  createRecords,
  dryRunMeta,
  findTarget,
  removalDiff,
  removeRecords,
  restorationDiff,
  restoreRecords,
  updateRecords,
  type Dependent,
  type WriteTarget,
} from '../../records/index.ts'
import { findSettings } from '../../settings/index.ts'
import { objectName } from '../recordings.ts'
import { listRecorded } from '../store.ts'
import { withoutUniques } from '../without-uniques.ts'
import type { Occurrence } from './read.ts'
import { readInPool } from './reading.ts'
import { isOlder } from './versions.ts'
import { findImported, listCalledOff, rememberImported, updateVersions, type CalendarEntry } from './store.ts'

/** Bytes that a calendar may have which is fetched. */
const calendarBytesMax = 10 * 1024 * 1024

/** Imports a calendar: what has been imported before is brought up to date, so that each event exists once. */
export const calendarImport = (
  { outbound, pool }: { readonly outbound: OutboundClient; readonly pool: Pool },
  dependents: readonly Dependent[],
): Handlers<typeof meetings>['importCalendar'] =>
  inTwoParts(async (read, { body: { ics, url }, dry_run }) => {
    const text = ics ?? (await fetchCalendar(read, outbound, defined(url)))
    const { time_zone } = await findSettings(read.tx, read.workspace.workspaceId)
    const entries = await readEntries(read, pool, { text, timeZone: time_zone }, ics === undefined ? '/url' : '/ics')
    return async (ctx) => {
      const { diffs, ...counts } = await importEntries(withoutUniques(ctx), entries, dependents)
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

async function readEntries(
  ctx: WorkspaceReadContext,
  pool: Pool,
  file: { readonly text: string; readonly timeZone: string },
  pointer: string,
): Promise<readonly Occurrence[]> {
  const read = await readInPool(pool, ctx.workspace.workspaceId, { ...file, now: ctx.now })
  if ('fault' in read) throw ctx.fail('invalid_body', { detail: read.fault, source: { pointer } })
  const newest = new Map<string, Occurrence>()
  for (const entry of read.occurrences) {
    const before = newest.get(entry.key)
    if (before === undefined || !isOlder(entry, before)) newest.set(entry.key, entry)
  }
  return [...newest.values()]
}

type ImportContext = WriteContext<'unique_violation' | 'match_ambiguous'>

type Imported = {
  readonly created: string[]
  readonly updated: string[]
  readonly deleted: string[]
  readonly restored: string[]
  readonly unchanged: number
  readonly skipped: number
  readonly diffs: Change[][]
}

const idOf = ({ key }: Occurrence): string => derivedId('calendar', key)

/** An occurrence that a meeting of the caller's shows, in this version or an older one. */
type Known = { readonly entry: Occurrence; readonly row: RecordRow; readonly before: CalendarEntry }

/** Whether a later version of it is known. */
const isStale = (entry: Occurrence, last: CalendarEntry | undefined): boolean =>
  last !== undefined && isOlder(entry, { sequence: last.sequence, stampedAt: last.stamped_at })

async function importEntries(
  ctx: ImportContext,
  entries: readonly Occurrence[],
  dependents: readonly Dependent[],
): Promise<Imported> {
  const { workspaceId } = ctx.workspace
  const target = await findTarget(ctx, objectName)
  const before = await findImported(ctx.tx, workspaceId, entries.map(idOf))
  const current = entries.filter((entry) => !isStale(entry, before.get(idOf(entry))))
  const restored = await bringBack(
    ctx,
    target,
    current.filter(({ isCancelled }) => !isCancelled).flatMap((entry) => before.get(idOf(entry)) ?? []),
    dependents,
  )
  const meetingIds = [...new Set([...before.values()].map(({ meeting_id }) => meeting_id))]
  const rows = await lockRecords(ctx.tx, workspaceId, target.object.key, meetingIds, 'change')
  const levelOf = await levelsOn(ctx.tx, workspaceId, target.principal, rows, 'edit')
  const editable = new Map(rows.filter((row) => atLeast(levelOf(row), 'edit')).map((row) => [row.id, row]))
  const known = current.flatMap((entry): Known[] => {
    const last = before.get(idOf(entry))
    const row = last && editable.get(last.meeting_id)
    return last === undefined || row === undefined ? [] : [{ entry, row, before: last }]
  })
  const fresh = entries.filter((entry) => !before.has(idOf(entry)) && !entry.isCancelled)
  // Of two occurrences in one meeting, which a merge has made, the last one is taken, of those that take place.
  const goingOn = new Map(known.flatMap(({ entry, row }) => (entry.isCancelled ? [] : [[row.id, attributesOf(entry)]])))
  const cancelled = known.filter(({ entry, row }) => entry.isCancelled && !goingOn.has(row.id))
  const { marked, removed } = await callOff(ctx, target.object, cancelled, dependents)
  const calledOff = new Set(removed)
  const changes = new Map<string, Attributes>([...goingOn, ...marked])
  const { updated, diffs } = await update(ctx, changes)
  const created = await create(ctx, fresh)
  await updateVersions(
    ctx.tx,
    known
      .map(({ entry, before: row }) => ({
        ...row,
        sequence: entry.sequence,
        stamped_at: entry.stampedAt,
        called_off_at: calledOff.has(row.meeting_id) ? ctx.now : null,
      }))
      .filter((row, index) => !isDeepStrictEqual(row, known[index]?.before)),
  )
  return {
    created: created.map(({ row }) => row.id),
    updated,
    deleted: removed,
    restored,
    unchanged: changes.size - new Set([...updated, ...restored]).size,
    skipped: entries.length - changes.size - created.length - removed.length,
    diffs: [
      ...created.map(({ diff }) => diff),
      ...restored.map(restorationDiff),
      ...diffs,
      ...removed.map(removalDiff),
    ],
  }
}

/**
 * Restores the meetings that an earlier version of the calendar had deleted; what a person has deleted stays so. One
 * that cannot come back, since it does not fit its schema any more for one, is left out.
 */
async function bringBack(
  ctx: ImportContext,
  { principal }: WriteTarget,
  entries: readonly CalendarEntry[],
  dependents: readonly Dependent[],
): Promise<string[]> {
  const { workspaceId } = ctx.workspace
  const ids = entries.flatMap(({ id, called_off_at }) => (called_off_at === null ? [] : [id]))
  if (ids.length === 0) return []
  const rows = await listCalledOff(ctx.tx, workspaceId, ids)
  const levelOf = await levelsOn(ctx.tx, workspaceId, principal, rows, 'edit')
  const restored: string[] = []
  for (const row of rows) {
    if (!atLeast(levelOf(row), 'edit')) continue
    try {
      await ctx.attempt((inner) => restoreRecords(refusing(inner), objectName, [row.id], dependents))
      restored.push(row.id)
    } catch (error) {
      if (!(error instanceof Failure) || error.status >= 500) throw error
    }
  }
  return restored
}

/** A meeting that comes back may have values of its workspace's own fields that must be unique. */
const refusing = (ctx: ImportContext): ImportContext => ({
  ...ctx,
  fail: (code, fault) => new Failure({ code, ...fault }),
})

type Attributes = Partial<ReturnType<typeof attributesOf>>

/**
 * Deletes the meetings of events that were cancelled. Those that have something to keep stay and say so in their title,
 * as do all where the credential may delete none.
 */
async function callOff(
  ctx: ImportContext,
  { fields }: ObjectModel,
  cancelled: readonly Known[],
  dependents: readonly Dependent[],
): Promise<{ readonly marked: ReadonlyMap<string, Attributes>; readonly removed: string[] }> {
  const ids = [...new Set(cancelled.map(({ row }) => row.id))]
  const recorded = await listRecorded(ctx.tx, ctx.workspace.workspaceId, ids)
  const kept = ['notes', 'summary'].flatMap((name) => fields.get(name)?.key ?? [])
  const isKept = ({ row }: Known): boolean =>
    !mayTouch(ctx.actor, 'delete', objectName) || recorded.has(row.id) || kept.some((key) => row.data[key] != null)
  const marked = new Map(
    cancelled.filter(isKept).map(({ entry, row }) => [row.id, { title: asCancelled(entry.title) }]),
  )
  const removed = ids.filter((id) => !marked.has(id))
  if (removed.length > 0) await removeRecords(ctx, objectName, removed, dependents)
  return { marked, removed }
}

/** As calendars do that keep what was cancelled. */
const asCancelled = (title: string): string =>
  /^cancell?ed:/i.test(title) ? title : `Canceled: ${title}`.slice(0, 500).toWellFormed()

async function update(ctx: ImportContext, changes: ReadonlyMap<string, Attributes>) {
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
    sequence: entry.sequence,
    stamped_at: entry.stampedAt,
    called_off_at: null,
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
