import type { Suppression, WorkflowGraph } from '@kontor/contract'
import type { Tx } from '../../db/tx.ts'
import { enqueueNew } from '../../engine/store.ts'
import type { WorkspaceNow } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import { addToCounts } from '../counters/index.ts'
import { kindOf, type WorkflowRow } from '../definitions/index.ts'
import { runsCounter, insertRuns, runsOfRecord, type RunRow } from './store.ts'
import type { RunDraft } from './draft.ts'
import { runKind } from './kind.ts'
import type { Beginning, DraftedRun, RunsNow } from './kinds.ts'
import { takePlace } from './pace/store.ts'
import { insertWaits, type WaitRow } from './waits/store.ts'

const dayMs = 24 * 3_600_000

/** Creates runs with the jobs that carry them on, in the order given; limits hold among them too. */
export async function beginRuns(
  tx: Tx,
  at: RunsNow,
  drafts: readonly RunDraft[],
  makeId: (now: number) => string = newId,
): Promise<RunRow[]> {
  const { workspaceId, now } = at
  const limits = new RecordLimits(tx, workspaceId, now)
  const beginnings = await beginningsOf(tx, at, drafts)
  const begun: Begun[] = []
  for (const draft of drafts) {
    const beginning = beginnings.get(draft.workflow.row.type)
    const standing = beginning?.standing(draft)
    const suppressed =
      (standing === 'gone' ? ('deleted' as const) : undefined) ??
      draft.suppressed ??
      (await limits.why(draft)) ??
      beginning?.why(draft)
    const perMinute = draft.workflow.graph.run_limits.max_runs_per_minute
    const isPaced = suppressed === undefined && perMinute !== undefined && draft.isDryRun !== true
    const beginsAt = isPaced ? await takePlace(tx, workspaceId, draft.workflow.row.id, perMinute, now) : now
    const runAt = isPaced ? beginsAt : (draft.heldUntil ?? now)
    const isEnrolment = standing === 'enrols'
    begun.push({ run: newRun(draft, suppressed, { id: makeId(now), now, beginsAt, isEnrolment }), runAt, draft })
  }
  const lost = await storeEnrolments(beginnings, begun)
  return insertBegun(
    tx,
    at,
    begun.map((one) => (lost.has(one.run.id) ? { ...one, run: suppressedAs(one.run, 'already_active', now) } : one)),
  )
}

type Begun = DraftedRun & { readonly runAt: number }

type Beginnings = ReadonlyMap<WorkflowRow['type'], Beginning>

/** Lets each kind take its part in what begins; those without one are absent. */
async function beginningsOf(tx: Tx, at: RunsNow, drafts: readonly RunDraft[]): Promise<Beginnings> {
  const found = new Map<WorkflowRow['type'], Beginning>()
  for (const [type, some] of Map.groupBy(drafts, ({ workflow }) => workflow.row.type)) {
    const beginning = await kindOf(at.kinds, type).begin?.(tx, at, some)
    if (beginning !== undefined) found.set(type, beginning)
  }
  return found
}

/** Stores who has been enrolled; returns the runs that have lost against those of other transactions. */
async function storeEnrolments(beginnings: Beginnings, begun: readonly Begun[]): Promise<ReadonlySet<string>> {
  const lost = new Set<string>()
  for (const [type, { store }] of beginnings) {
    const enrolments = begun.filter(({ run, draft }) => run.is_enrolment && draft.workflow.row.type === type)
    for (const id of await store(enrolments)) lost.add(id)
  }
  return lost
}

const suppressedAs = (run: RunRow, reason: Suppression, now: number): RunRow => ({
  ...run,
  run_status: 'suppressed',
  suppressed_reason: reason,
  current_block: null,
  resume_at: null,
  ended_at: now,
})

async function insertBegun(tx: Tx, { workspaceId, now }: WorkspaceNow, begun: readonly Begun[]): Promise<RunRow[]> {
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
