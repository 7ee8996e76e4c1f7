import { isUtf8 } from 'node:buffer'
import type { meetings } from '@kontor/contract'
import { nextTurn } from '../../../lib/portions.ts'
import { inTwoParts, type Handlers, type WorkspaceReadContext } from '../../../kernel/implement.ts'
import { invariant, defined } from '../../../lib/guards.ts'
import type { OutboundClient } from '../../../lib/outbound/client.ts'
import type { Pool } from '../../../pool/index.ts'
import { OutboundFailure } from '../../../lib/outbound/failure.ts'
import { dryRunMeta, findTarget, type Dependent, type WriteTarget } from '../../records/index.ts'
import { findSettings } from '../../settings/index.ts'
import { objectName } from '../recordings.ts'
import { withoutUniques } from '../without-uniques.ts'
import { listKnown } from './known.ts'
import { noOutcome, type ImportContext, type ImportOutcome } from './outcome.ts'
import { idOf, planSeries, type Step } from './plan.ts'
import { Portion } from './portion.ts'
import type { Calendar, Series } from './read.ts'
import { readInPool } from './read-in-pool.ts'
import { applyReplies } from './replies.ts'

/** Bytes that a calendar may have which is fetched. */
const calendarBytesMax = 10 * 1024 * 1024

/** Imports a calendar: what has been imported before is brought up to date, so that each event exists once. */
export const calendarImport = (
  { outbound, pool }: { readonly outbound: OutboundClient; readonly pool: Pool },
  dependents: readonly Dependent[],
): Handlers<typeof meetings>['importCalendar'] =>
  inTwoParts(async (read, { body: { ics, url }, dry_run }) => {
    const text = ics ?? (await fetchCalendar(read, outbound, defined(url)))
    const settings = await findSettings(read.tx, read.workspace.workspaceId)
    const { time_zone, meetingRecordingScope: recordingScope } = settings
    const file = { text, timeZone: time_zone }
    const calendar = await readSent(read, pool, file, ics === undefined ? '/url' : '/ics')
    return async (ctx) => {
      const { diffs, ...outcome } = await importCalendar(withoutUniques(ctx), calendar, { dependents, recordingScope })
      const rejected = calendar.rejected.slice(0, rejectedMax).map(({ uid, ...rest }) => ({ ical_uid: uid, ...rest }))
      return { body: { data: { ...outcome, rejected }, ...(await dryRunMeta(ctx, dry_run, diffs)) } }
    }
  })

/** Events that an answer tells of one by one. */
const rejectedMax = 1000

/** The text of a calendar, whose lines may be folded within a character (RFC 5545 §3.1). */
const textOfCalendar = (bytes: Buffer): string =>
  isUtf8(bytes)
    ? bytes.toString()
    : Buffer.from(bytes.toString('latin1').replaceAll(/\r?\n[ \t](?=[\x80-\xBF])/g, ''), 'latin1').toString()

async function fetchCalendar(ctx: WorkspaceReadContext, outbound: OutboundClient, url: string): Promise<string> {
  const refuse = (detail: string) => ctx.fail('invalid_body', { detail, source: { pointer: '/url' } })
  const headers = { accept: 'text/calendar' }
  const answer = await outbound
    .send({ method: 'GET', url, headers, answerBytesMax: calendarBytesMax, decode: textOfCalendar })
    .catch((error: unknown) => {
      if (error instanceof OutboundFailure) throw refuse(error.message)
      throw error
    })
  if (answer.status !== 200) throw refuse(`The URL responded with status ${answer.status}.`)
  if (answer.isCut) throw refuse(`The calendar has more than ${calendarBytesMax} bytes.`)
  return answer.body
}

async function readSent(
  ctx: WorkspaceReadContext,
  pool: Pool,
  file: { readonly text: string; readonly timeZone: string },
  pointer: string,
): Promise<Calendar> {
  const read = await readInPool(pool, ctx.workspace.workspaceId, { ...file, now: ctx.now })
  const fault = 'fault' in read ? read.fault : noneRead(read.calendar)
  if (fault !== undefined) throw ctx.fail('invalid_body', { detail: fault, source: { pointer } })
  invariant('calendar' in read, 'a calendar without a fault was read')
  return read.calendar
}

function noneRead({ rejected: [first], series }: Calendar): string | undefined {
  if (first === undefined || series.length > 0) return undefined
  return `None of its events can be read. The one in line ${first.line}: ${first.detail}`
}

/** Occurrences that are written before other requests have their turn, and events that are planned at once. */
const portionSize = 100

/** Imports a calendar in portions: other requests are served between them. */
async function importCalendar(
  ctx: ImportContext,
  { series, replies, ignored }: Calendar,
  parts: Pick<ConstructorParameters<typeof Portion>[2], 'dependents' | 'recordingScope'>,
): Promise<ImportOutcome> {
  const outcome = noOutcome(ignored)
  const target = await findTarget(ctx, objectName)
  const steps: Step[] = []
  // In one order, so that two imports at once do not wait for each other in a circle.
  const ordered = series.toSorted((one, other) => (one.uid < other.uid ? -1 : 1))
  for (let at = 0; at < ordered.length; at += portionSize) {
    steps.push(...(await plan(ctx, target, ordered.slice(at, at + portionSize), outcome)))
    await nextTurn()
  }
  const portion = new Portion(ctx, target, { ...parts, outcome })
  for (const some of portionsOf(steps)) {
    await portion.apply(some)
    await nextTurn()
  }
  for (let at = 0; at < replies.length; at += portionSize) {
    await applyReplies(ctx, target, replies.slice(at, at + portionSize), outcome)
    await nextTurn()
  }
  return outcome
}

async function plan(
  ctx: ImportContext,
  { object }: WriteTarget,
  series: readonly Series[],
  outcome: ImportOutcome,
): Promise<Step[]> {
  const entries = await listKnown(ctx.tx, ctx.workspace.workspaceId, object, {
    ids: series.flatMap(({ uid, occurrences }) => [idOf(uid), ...occurrences.map(({ key }) => idOf(key))]),
    uids: series.map(({ uid }) => uid),
  })
  const byUid = Map.groupBy(entries, ({ uid }) => uid)
  const unnamed = new Map((byUid.get(null) ?? []).map((entry) => [entry.id, entry]))
  return series.flatMap((one) => {
    const older = [one.uid, ...one.occurrences.map(({ key }) => key)].flatMap((key) => unnamed.get(idOf(key)) ?? [])
    const { steps, skipped } = planSeries(one, [...(byUid.get(one.uid) ?? []), ...older])
    outcome.skipped += skipped
    return steps
  })
}

/** Weight of a step, whose work grows with the people of the meeting: ten of them count as a meeting. */
const weightOf = (step: Step): number => 1 + ('occurrence' in step ? step.occurrence.participants.length / 10 : 0)

/** Splits by meeting, so that each is in one portion: a merge may have put two occurrences into it. */
function portionsOf(steps: readonly Step[]): Step[][] {
  const byMeeting = Map.groupBy(steps, (step) => (step.kind === 'create' ? step : step.entry.meeting_id))
  const portions: Step[][] = []
  let current: Step[] = []
  let weight = 0
  for (const group of byMeeting.values()) {
    current.push(...group)
    weight += group.reduce((sum, step) => sum + weightOf(step), 0)
    if (weight < portionSize) continue
    portions.push(current)
    current = []
    weight = 0
  }
  return current.length === 0 ? portions : [...portions, current]
}
