import type { Suppression, WorkflowGraph } from '@kontor/contract'
import type { Tx } from '../../db/tx.ts'
import { enqueueNew } from '../../engine/store.ts'
import { newId } from '../../kernel/ids.ts'
import { addToCounts } from '../counters/index.ts'
import type { Workflow } from '../definitions/index.ts'
import { keepPeople } from '../enrolments/index.ts'
import { Enrolments, type Enrollee } from '../enrolments/index.ts'
import { runsCounter } from './counter.ts'
import { runKind } from './kind.ts'
import { takePlace } from './pace/store.ts'
import { insertRuns, runsOfRecord, type RunRow } from './store.ts'
import { insertWaits, type WaitRow } from './waits/store.ts'

/** A run that shall begin. */
export type RunDraft = {
  readonly workflow: Workflow
  readonly state: RunRow['trigger_state']
  readonly object: string | null
  readonly recordId: string | null
  readonly eventId: string | null
  readonly depth: number
  readonly isDryRun?: boolean
  /** It begins then at the latest, and sooner if it is woken; runs that take places begin at these. */
  readonly heldUntil?: number
  /** Why it does not begin, where that is known already. */
  readonly suppressed?: Suppression
  /** Where a sequence writes to the person whom it enrols. */
  readonly address?: string
}

const dayMs = 24 * 3_600_000

/** Creates runs with the jobs that carry them on, in the order given; limits hold among them too. */
export async function beginRuns(
  tx: Tx,
  workspaceId: string,
  drafts: readonly RunDraft[],
  now: number,
  makeId: (now: number) => string = newId,
): Promise<RunRow[]> {
  const limits = new RecordLimits(tx, workspaceId, now)
  // A person who is deleted meanwhile waits for this, or is found deleted: no row of theirs is left behind.
  const asked = drafts.map((draft) => ({ draft, enrolment: enrolmentOf(draft) }))
  const wanted = asked.flatMap(({ enrolment }) => enrolment ?? [])
  const live = await keepPeople(
    tx,
    workspaceId,
    wanted.map(({ personId }) => personId),
  )
  const enrolments = await Enrolments.of(
    tx,
    { workspaceId, now },
    wanted.filter(({ personId }) => live.has(personId)),
  )
  const begun: Begun[] = []
  for (const { draft, enrolment } of asked) {
    const isGone = enrolment !== undefined && !live.has(enrolment.personId)
    const suppressed =
      (isGone ? ('deleted' as const) : undefined) ??
      draft.suppressed ??
      (await limits.why(draft)) ??
      (enrolment && enrolments.why(enrolment))
    const perMinute = draft.workflow.graph.run_limits.max_runs_per_minute
    const isPaced = suppressed === undefined && perMinute !== undefined && draft.isDryRun !== true
    const beginsAt = isPaced ? await takePlace(tx, workspaceId, draft.workflow.row.id, perMinute, now) : now
    const runAt = isPaced ? beginsAt : (draft.heldUntil ?? now)
    const isEnrolment = enrolment !== undefined && !isGone
    begun.push({ run: newRun(draft, suppressed, { id: makeId(now), now, beginsAt, isEnrolment }), runAt, draft })
  }
  const lost = await enrolments.store(
    begun.flatMap(({ run, draft: { address = null } }) => (run.is_enrolment ? [{ ...run, address }] : [])),
  )
  return insertBegun(
    tx,
    { workspaceId, now },
    begun.map((one) => (lost.has(one.run.id) ? { ...one, run: suppressedAs(one.run, 'already_active', now) } : one)),
  )
}

type Begun = { readonly run: RunRow; readonly runAt: number; readonly draft: RunDraft }

/** Whom a draft enrols, if its workflow is a sequence. */
const enrolmentOf = ({ workflow: { row }, object, recordId, isDryRun, address }: RunDraft): Enrollee | undefined =>
  row.type === 'sequence' && object === 'person' && recordId !== null && isDryRun !== true
    ? { workflowId: row.id, personId: recordId, address }
    : undefined

const suppressedAs = (run: RunRow, reason: Suppression, now: number): RunRow => ({
  ...run,
  run_status: 'suppressed',
  suppressed_reason: reason,
  current_block: null,
  resume_at: null,
  ended_at: now,
})

async function insertBegun(
  tx: Tx,
  { workspaceId, now }: { readonly workspaceId: string; readonly now: number },
  begun: readonly Begun[],
): Promise<RunRow[]> {
  const runs = begun.map(({ run }) => run)
  await insertRuns(tx, workspaceId, runs)
  const going = begun.filter(({ run }) => run.run_status === 'pending')
  await insertWaits(
    tx,
    workspaceId,
    going.flatMap(({ run, draft }) => exitsOf(run, draft.workflow.graph)),
  )
  await enqueueNew(
    tx,
    going.map(({ run, runAt }) => ({
      workspaceId,
      kind: runKind,
      payload: { run_id: run.id },
      now,
      runAt,
      key: run.id,
    })),
  )
  await addToCounts(tx, workspaceId, countsOf(runs), () => newId(now))
  return runs
}

type Making = {
  readonly id: string
  readonly now: number
  readonly beginsAt: number
  readonly isEnrolment: boolean
}

function newRun(
  draft: RunDraft,
  suppressed: Suppression | undefined,
  { id, now, beginsAt, isEnrolment }: Making,
): RunRow {
  const { row, graph } = draft.workflow
  const run: RunRow = {
    id,
    workflow_id: row.id,
    graph_version: row.graph_version,
    run_status: 'pending',
    revision: 1,
    acting_id: row.actor.id,
    acting: row.actor,
    dry_run: draft.isDryRun ?? false,
    is_enrolment: isEnrolment,
    object: draft.object,
    record_id: draft.recordId,
    event_id: draft.eventId,
    depth: draft.depth,
    trigger_state: draft.state,
    current_block: graph.trigger.next,
    block_progress: { step: 0, failures: 0 },
    resume_at: beginsAt > now ? beginsAt : null,
    exit_plugin: null,
    exit_node: null,
    suppressed_reason: null,
    held_reason: null,
    failure: null,
    started_at: null,
    ended_at: null,
    created_at: now,
    updated_at: now,
  }
  return suppressed === undefined ? run : suppressedAs(run, suppressed, now)
}

/** The events that end a run, as what it waits for; none end a test run. */
export const exitsOf = (
  { id, record_id, dry_run }: Pick<RunRow, 'id' | 'record_id' | 'dry_run'>,
  { exits }: WorkflowGraph,
): WaitRow[] =>
  dry_run
    ? []
    : Object.entries(exits).map(([node, { plugin_id: plugin }]) => ({
        run_id: id,
        node,
        is_exit: true,
        plugin,
        record_id,
      }))

function countsOf(runs: readonly RunRow[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { workflow_id } of runs)
    counts.set(runsCounter(workflow_id), (counts.get(runsCounter(workflow_id)) ?? 0) + 1)
  return counts
}

/** The limits of a workflow's runs for one record, among those that begin together too. */
class RecordLimits {
  readonly #tx: Tx
  readonly #workspaceId: string
  readonly #now: number
  readonly #known = new Map<string, { runs: number; latest: number | null }>()

  constructor(tx: Tx, workspaceId: string, now: number) {
    this.#tx = tx
    this.#workspaceId = workspaceId
    this.#now = now
  }

  async why({ workflow, recordId, isDryRun }: RunDraft): Promise<Suppression | undefined> {
    const { max_runs_per_record: most, cooldown_period_days: days } = workflow.graph.run_limits
    if (recordId === null || isDryRun === true || (most === undefined && days === undefined)) return undefined
    const key = `${workflow.row.id}:${recordId}`
    const before = this.#known.get(key) ?? (await runsOfRecord(this.#tx, this.#workspaceId, workflow.row.id, recordId))
    this.#known.set(key, before)
    if (most !== undefined && before.runs >= most) return 'max_runs_per_record'
    if (days !== undefined && before.latest !== null && this.#now < before.latest + days * dayMs) return 'cooldown'
    this.#known.set(key, { runs: before.runs + 1, latest: this.#now })
    return undefined
  }
}
