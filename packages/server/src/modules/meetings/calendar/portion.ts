import { isDeepStrictEqual } from 'node:util'
import type { WorkspaceSettings } from '@kontor/contract'
import { SerialisationFailure } from '../../../db/errors.ts'
import { isoTime } from '../../../kernel/clock.ts'
import { Failure } from '../../../kernel/errors.ts'
import { mayTouch } from '../../../kernel/authorise.ts'
import { defined, isString } from '../../../lib/guards.ts'
import { atLeast, levelsOn } from '../../access/index.ts'
import { lockRecords, type RecordRow } from '../../objects/index.ts'
import {
  createRecords,
  removeRecords,
  wholeDiffs,
  restoreRecords,
  updateRecords,
  type Dependent,
  type WriteTarget,
} from '../../records/index.ts'
import { isMember } from '../people.ts'
import { objectName } from '../recordings.ts'
import type { ImportContext, ImportOutcome } from './outcome.ts'
import { idOf, type Step } from './plan.ts'
import type { Occurrence, Series } from './read.ts'
import { forgetImported, listCalledOff, rememberImported, updateImported, type CalendarEntry } from './store.ts'

type Change = Extract<Step, { readonly kind: 'change' }>

/** A step about a meeting that the caller may change. */
type OnRow = { readonly step: Exclude<Step, { readonly kind: 'create' }>; readonly row: RecordRow }

type Attributes = Partial<ReturnType<typeof attributesOf>>

type RecordingScope = WorkspaceSettings['meetingRecordingScope']

type Parts = {
  readonly dependents: readonly Dependent[]
  readonly outcome: ImportOutcome
  readonly recordingScope: RecordingScope
}

/** A part of an import that is written at once. */
export class Portion {
  readonly #ctx: ImportContext
  readonly #target: WriteTarget
  readonly #dependents: readonly Dependent[]
  readonly #outcome: ImportOutcome
  readonly #recordingScope: RecordingScope

  constructor(ctx: ImportContext, target: WriteTarget, { dependents, outcome, recordingScope }: Parts) {
    this.#ctx = ctx
    this.#target = target
    this.#dependents = dependents
    this.#outcome = outcome
    this.#recordingScope = recordingScope
  }

  async apply(steps: readonly Step[]): Promise<void> {
    const changes = steps.filter((step) => step.kind === 'change')
    const restored = await this.#bringBack(changes)
    const known = await this.#known(steps.filter((step) => step.kind !== 'create'))
    // Of two occurrences in one meeting, which a merge has made, the last one is taken, of those that take place.
    const goingOn = new Map(
      known.flatMap(({ step, row }) => (isOff(step) ? [] : [[row.id, attributesOf(step.occurrence)]])),
    )
    const { marked, removed } = await this.#callOff(
      known.filter(({ step, row }) => isOff(step) && !goingOn.has(row.id)),
    )
    const attributes = new Map<string, Attributes>([...goingOn, ...marked])
    const updated = await this.#update(attributes)
    await this.#create(steps.filter((step) => step.kind === 'create'))
    await this.#remember(known, new Set(removed))
    this.#outcome.unchanged += attributes.size - new Set([...updated, ...restored]).size
    const done = new Set(known.map(({ step }) => step))
    this.#outcome.skipped += changes.filter((step) => !done.has(step)).length
  }

  /** Finds the meetings of steps as they are now, as far as the caller may change them. */
  async #known(steps: readonly OnRow['step'][]): Promise<OnRow[]> {
    const { tx, workspace } = this.#ctx
    const { object, principal } = this.#target
    const ids = [...new Set(steps.map(({ entry }) => entry.meeting_id))].toSorted()
    if (ids.length === 0) return []
    const rows = await lockRecords(tx, workspace.workspaceId, object.key, ids, 'change')
    const levelOf = await levelsOn(tx, workspace.workspaceId, principal, rows, 'edit')
    const editable = new Map(rows.filter((row) => atLeast(levelOf(row), 'edit')).map((row) => [row.id, row]))
    return steps.flatMap((step) => {
      const row = editable.get(step.entry.meeting_id)
      return row === undefined ? [] : [{ step, row }]
    })
  }

  /**
   * Restores the meetings that an earlier version of the calendar had deleted; what a person has deleted stays so. One
   * that cannot come back, since it does not fit its schema any more for one, is left out.
   */
  async #bringBack(changes: readonly Change[]): Promise<string[]> {
    const { tx, workspace } = this.#ctx
    const back = changes.filter(({ occurrence, entry }) => !occurrence.isCancelled && entry.called_off_at !== null)
    if (back.length === 0) return []
    const ids = back.map(({ entry }) => entry.id)
    const rows = await listCalledOff(tx, workspace.workspaceId, ids)
    const levelOf = await levelsOn(tx, workspace.workspaceId, this.#target.principal, rows, 'edit')
    const restored: string[] = []
    for (const row of rows) {
      if (!atLeast(levelOf(row), 'edit')) continue
      try {
        await this.#ctx.attempt((inner) => restoreRecords(refusing(inner), objectName, [row.id], this.#dependents))
        restored.push(row.id)
      } catch (error) {
        if (!(error instanceof Failure) || error.status >= 500) throw error
      }
    }
    this.#outcome.restored.push(...restored)
    this.#outcome.diffs.push(...restored.map(wholeDiffs.restored))
    return restored
  }

  /**
   * Deletes the meetings of events that were cancelled. Those to which people have attached something stay and say so
   * in their title, as do all where the credential may delete none.
   */
  async #callOff(
    cancelled: readonly OnRow[],
  ): Promise<{ readonly marked: ReadonlyMap<string, Attributes>; readonly removed: string[] }> {
    const { tx, workspace, actor } = this.#ctx
    const rows = new Map(cancelled.map(({ row }) => [row.id, row]))
    // The order of entries says nothing: their ids are hashes.
    const ids = [...rows.keys()].toSorted()
    if (ids.length === 0) return { marked: new Map(), removed: [] }
    const kept = new Set<string>()
    for (const { keep } of this.#dependents)
      for (const id of (await keep?.(tx, workspace.workspaceId, ids)) ?? []) kept.add(id)
    const texts = ['notes', 'summary'].flatMap((name) => this.#target.object.fields.get(name)?.key ?? [])
    const isKept = ({ id, data }: RecordRow): boolean =>
      !mayTouch(actor, 'delete', objectName) || kept.has(id) || texts.some((key) => data[key] != null)
    const title = this.#target.object.fields.get('title')?.key ?? ''
    const marked = new Map(
      [...rows.values()].filter(isKept).map((row) => [row.id, { title: asCancelled(row.data[title]) }]),
    )
    const removed = ids.filter((id) => !marked.has(id))
    if (removed.length > 0) await removeRecords(this.#ctx, objectName, removed, this.#dependents)
    this.#outcome.deleted.push(...removed)
    this.#outcome.diffs.push(...removed.map(wholeDiffs.deleted))
    return { marked, removed }
  }

  async #update(changes: ReadonlyMap<string, Attributes>): Promise<string[]> {
    if (changes.size === 0) return []
    const given = [...changes].map(([id, attributes]) => ({ id, type: objectName, attributes, path: [] }))
    const { updated } = await updateRecords(this.#ctx, objectName, given, undefined)
    const changed = updated.filter(({ diff }) => diff.length > 0)
    const ids = changed.map(({ row }) => row.id)
    this.#outcome.updated.push(...ids)
    this.#outcome.diffs.push(...changed.map(({ diff }) => diff))
    return ids
  }

  async #create(steps: readonly Extract<Step, { readonly kind: 'create' }>[]): Promise<void> {
    if (steps.length === 0) return
    const recorded = await this.#toRecord(steps.map(({ occurrence }) => occurrence))
    const given = steps.map(({ occurrence }) => ({
      type: objectName,
      attributes: { ...attributesOf(occurrence), ...(recorded.has(occurrence) && { recording_enabled: true }) },
      path: [],
    }))
    const { written } = await createRecords(this.#ctx, objectName, given, {})
    const rows = steps.map(({ occurrence, series }, index) =>
      this.#entryOf(occurrence, series, { meeting_id: defined(written[index]).row.id, called_off_at: null }),
    )
    if (!(await rememberImported(this.#ctx.tx, rows))) throw new SerialisationFailure('Another import was faster')
    this.#outcome.created.push(...written.map(({ row }) => row.id))
    this.#outcome.diffs.push(...written.map(({ diff }) => diff))
  }

  /** The occurrences that are to be recorded, as the workspace wishes: none that is over. */
  async #toRecord(occurrences: readonly Occurrence[]): Promise<ReadonlySet<Occurrence>> {
    const scope = this.#recordingScope
    const { tx, workspace, now } = this.#ctx
    const found = new Set(scope === 'none' ? [] : occurrences.filter(({ endsAt }) => endsAt > now))
    if (scope !== 'external') return found
    const external = new Map<string, boolean>()
    for (const occurrence of found) {
      const emails = occurrence.participants.filter(({ type }) => type === undefined).map(({ email }) => email)
      for (const email of emails)
        if (!external.has(email)) external.set(email, !(await isMember(tx, workspace.workspaceId, email)))
      if (!emails.some((email) => external.get(email))) found.delete(occurrence)
    }
    return found
  }

  #entryOf(
    occurrence: Occurrence,
    { uid, version }: Series,
    rest: Pick<CalendarEntry, 'meeting_id' | 'called_off_at'> & Partial<CalendarEntry>,
  ): CalendarEntry {
    return {
      workspace_id: this.#ctx.workspace.workspaceId,
      series_sequence: version?.sequence ?? null,
      series_stamped_at: version?.stampedAt ?? null,
      ...rest,
      id: idOf(occurrence.key),
      uid,
      original: occurrence.original,
      sequence: occurrence.sequence,
      stamped_at: occurrence.stampedAt,
    }
  }

  /** Remembers the versions that are in force, and the names that occurrences have now. */
  async #remember(known: readonly OnRow[], removed: ReadonlySet<string>): Promise<void> {
    const rows = known.map(({ step, row }) => {
      const before = step.entry
      const called_off_at = removed.has(row.id) ? this.#ctx.now : null
      if (step.kind === 'callOff') {
        const { sequence, stampedAt } = step.version
        return { before, after: { ...before, sequence, stamped_at: stampedAt, called_off_at } }
      }
      const { version } = step.series
      const ofSeries = version && { series_sequence: version.sequence, series_stamped_at: version.stampedAt }
      const after = this.#entryOf(step.occurrence, step.series, { ...before, ...ofSeries, called_off_at })
      return { before, after }
    })
    const { tx } = this.#ctx
    const renamed = rows.filter(({ before, after }) => before.id !== after.id)
    await forgetImported(
      tx,
      renamed.map(({ before }) => before),
    )
    if (
      !(await rememberImported(
        tx,
        renamed.map(({ after }) => after),
      ))
    )
      throw new SerialisationFailure('Another import was faster')
    const changed = rows.filter(({ before, after }) => before.id === after.id && !isDeepStrictEqual(before, after))
    await updateImported(
      tx,
      changed.map(({ after }) => after),
    )
  }
}

const isOff = (step: OnRow['step']): step is Exclude<OnRow['step'], Change> =>
  step.kind === 'callOff' || step.occurrence.isCancelled

/** A meeting that comes back may have values of its workspace's own fields that must be unique. */
const refusing = (ctx: ImportContext): ImportContext => ({
  ...ctx,
  fail: (code, fault) => new Failure({ code, ...fault }),
})

/** As calendars do that keep what was cancelled. */
const asCancelled = (given: unknown): string => {
  const title = isString(given) ? given : ''
  return /^cancell?ed(:|$)/i.test(title) ? title : `Canceled: ${title}`.trim().slice(0, 500).toWellFormed()
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
