import { LRUCache } from 'lru-cache'
import type { ReadTx, Tx } from '../../db/tx.ts'
import type { AbandonedJob, JobContext, JobKind, JobOutcome } from '../../engine/types.ts'
import { randomShare } from '../../kernel/ids.ts'
import { roomFor } from '../../lib/caches.ts'
import { findLocalTime } from '../settings/index.ts'
import { findSlug } from '../workspaces/index.ts'
import { findVersion, keepEnabled, kindOf, type VersionRow } from '../definitions/index.ts'
import { concludeStopped, type Stop } from './stop.ts'
import type { WorkflowServices } from './services.ts'
import { tellFailure } from './tell-failure.ts'
import { closeRun, isEnded } from './changes.ts'
import { Execution } from './execution.ts'
import { RunChanged } from './failures.ts'
import { runKind, type RunPayload } from './kind.ts'
import type { RunBar, WorkflowKind } from './kinds.ts'
import { actingAs, contextAs, standingOf, type ActingContext } from '../identity/acting/index.ts'
import { readAttributes, withRecordData } from './record-state.ts'
import { NoRoom, RunMemory, type RunShare } from './memory.ts'
import { Outputs } from './outputs.ts'
import { listLastSizes, listStepSizes, readOutputs } from './steps/store.ts'
import { findOwnedRun, lockRun, type OwnedRun, type RunRow } from './store.ts'

/** A run that a dead process held is taken over after so long; a living one keeps it. */
const leaseMs = 4000

/** Versions of graphs and slugs of workspaces that are kept: neither ever changes. */
const versionsMax = 1000
const slugsMax = 10_000

/** Creates the job that carries runs on. */
export function runJob(services: WorkflowServices): JobKind<RunPayload> {
  const versions = new LRUCache<string, VersionRow>(roomFor(versionsMax))
  const slugs = new LRUCache<string, string>(roomFor(slugsMax))
  const memory = new RunMemory()

  async function versionOf(tx: ReadTx, workspaceId: string, run: RunRow): Promise<VersionRow | undefined> {
    const key = `${run.workflow_id}:${run.graph_version}`
    const found = versions.get(key) ?? (await findVersion(tx, workspaceId, run.workflow_id, run.graph_version))
    if (found !== undefined) versions.set(key, found)
    return found
  }

  async function slugOf(tx: ReadTx, workspaceId: string): Promise<string | undefined> {
    const found = slugs.get(workspaceId) ?? (await findSlug(tx, workspaceId))
    if (found !== undefined) slugs.set(workspaceId, found)
    return found
  }

  async function carryOn(context: JobContext, run_id: string, share: RunShare): Promise<JobOutcome<RunPayload>> {
    const { database, workspaceId } = context
    const found = await findOwnedRun(database.reader, workspaceId, run_id)
    if (found === undefined || isEnded(found.run)) return { state: 'done' }
    const { run, type } = found
    const kind = kindOf(services.kinds, type)
    const owner = actingIn(kind, found)
    const bar = kind.barOf?.(found)
    if (bar === 'rests') return holdRun(context, run)
    const at = { workspaceId, now: context.clock.now() }
    const standingNow = standingOfOwner(context, owner)
    const [version, steps, slug, standing] = await Promise.all([
      versionOf(database.reader, workspaceId, run),
      run.block_progress.step > 0
        ? (kind.readsEveryStep === true ? listStepSizes : listLastSizes)(database.reader, workspaceId, run_id)
        : [],
      slugOf(database.reader, workspaceId),
      standingNow(),
    ])
    // The workspace is gone, and the run goes with it.
    if (version === undefined || slug === undefined) return { state: 'done' }
    const workspace = { id: workspaceId, slug }
    const workflow = { id: run.workflow_id, actor: owner, type }
    if ('stopped' in standing) return stopRun(context, services, { workflow, run, stopped: standing.stopped })
    if (bar !== undefined) return failRun(context, services, { workflow, run, failure: bar })
    const begun = await withSubject(run, async () => {
      const schemas = await services.schemaSets.readCurrent(database.reader, workspaceId)
      return contextAs(database.reader, at, schemas, actingAs(owner, workspaceId), standing.role)
    })
    if (begun === undefined) return failRun(context, services, { workflow, run, failure: unseen })
    const localTime = () => findLocalTime(database.reader, workspaceId)
    const base = { services, context, workspace, workflow, standing: standingNow, localTime }
    const outputs = new Outputs(steps, (numbers) => readOutputs(database.reader, workspaceId, run_id, numbers))
    const execution = new Execution(base, version.graph, begun, { outputs, share })
    try {
      return await execution.carryOn()
    } catch (error) {
      if (!(error instanceof RunChanged)) throw error
      await execution.keepDone()
      return { state: 'again', inMs: 0 }
    }
  }

  return {
    ...runKind,
    leaseMs,
    keepsLease: true,
    braces: true,
    onFailed: (tx, job) => endAbandoned(tx, services, job),
    run: (context, { run_id }) => withRoom(memory, run_id, (share) => carryOn(context, run_id, share)),
  }
}

/** Finds out how the one as whom a run goes on stands at any moment. */
const standingOfOwner =
  ({ database: { reader }, workspaceId, clock }: JobContext, owner: OwnedRun['actorNow']) =>
  () =>
    standingOf(reader, { workspaceId, now: clock.now() }, actingAs(owner, workspaceId))

/** The time after which a run is looked at again for which there was no room. */
const putOffMs = 1000

/** Carries a run on, if there is room for it in the memory of this process; else puts it off. */
async function withRoom<O>(memory: RunMemory, runId: string, carryOn: (share: RunShare) => Promise<O>) {
  let share: RunShare | undefined
  try {
    share = memory.enter(runId)
    return await carryOn(share)
  } catch (error) {
    if (error instanceof NoRoom)
      return { state: 'again' as const, inMs: Math.ceil(putOffMs * (0.5 + randomShare())), isPutOff: true as const }
    throw error
  } finally {
    share?.leave()
  }
}

/** The time for which a run rests whose workflow is disabled; enabling that wakes it. */
const heldMs = 24 * 3_600_000

/** Lets a run rest where it is, unless its workflow has been enabled meanwhile. */
const holdRun = ({ conclude, workspaceId }: JobContext, { workflow_id }: RunRow) =>
  conclude(async (tx) => {
    const enabled = await keepEnabled(tx, workspaceId, [workflow_id])
    return { state: 'again' as const, inMs: enabled.has(workflow_id) ? 0 : heldMs }
  })

/**
 * A run that was begun by hand, with its record as the owner of the workflow sees it; undefined where the owner sees
 * none.
 */
async function withSubject(run: RunRow, openContext: () => Promise<ActingContext>): Promise<RunRow | undefined> {
  const { object, record_id: id } = run
  if (run.event_id !== null || run.started_at !== null || object === null || id === null) return run
  const data = (await readAttributes(await openContext(), object, [id])).get(id)
  return data && { ...run, trigger_state: withRecordData(run.trigger_state, data) }
}

/** Whom the workflow acts for may not see the record that the caller has named. */
const unseen = { code: 'not_found', detail: 'The user that the workflow acts for may not see the record.' }

type Failed = {
  readonly workflow: Stop['workflow']
  readonly run: RunRow
  readonly failure: RunBar
}

/** Ends a run that cannot go on. */
const failRun = (
  { conclude, workspaceId, clock }: JobContext,
  services: WorkflowServices,
  { workflow, run, failure: { code, detail } }: Failed,
) =>
  conclude(async (tx) => {
    const at = { workspaceId, now: clock.now(), kinds: services.kinds }
    const locked = await lockRun(tx, workspaceId, run.id)
    if (locked !== undefined && !isEnded(locked)) {
      const failure = { code, detail, block_id: null }
      await closeRun(tx, at, locked, { run_status: 'failed', failure })
      await tellFailure(tx, services, at, { workflow, run, failure })
    }
    return { state: 'done' as const }
  })

/** Returns as whom a run goes on: as the one who let it begin, or as the owner of today. */
const actingIn = ({ actsAsOwner }: WorkflowKind, { run, actorNow }: OwnedRun): OwnedRun['actorNow'] =>
  actsAsOwner === true ? actorNow : run.acting

/** The failure of a run whose job has failed for good: the real reason may name what only operators may know. */
const abandoned = {
  code: 'internal',
  detail: 'The server could not continue the run. Its log contains the reason.',
}

/** A step that keeps ending the server is not tried any more (docs/decisions/0271). */
const workerLost = {
  code: 'worker_lost',
  detail: 'The server stopped several times during this step, so the step is not retried.',
}

/** Ends a run whose job has failed for good, or was lost with each process that had it. */
async function endAbandoned(
  tx: Tx,
  services: WorkflowServices,
  { workspaceId, payload: { run_id }, now, isLost }: AbandonedJob<RunPayload>,
): Promise<void> {
  const run = await lockRun(tx, workspaceId, run_id)
  if (run === undefined || isEnded(run)) return
  const failure = { ...(isLost === true ? workerLost : abandoned), block_id: run.current_block }
  const { kinds } = services
  await closeRun(tx, { workspaceId, now, kinds }, run, { run_status: 'failed', failure })
  const owned = await findOwnedRun(tx, workspaceId, run_id)
  if (owned === undefined) return
  const workflow = { id: run.workflow_id, actor: actingIn(kindOf(kinds, owned.type), owned) }
  await tellFailure(tx, services, { workspaceId, now }, { workflow, run, failure })
}

/**
 * The owner of the workflow may not do anything any more, or may do less: the run is held, and the workflow stopped.
 */
const stopRun = ({ conclude, workspaceId, clock }: JobContext, services: WorkflowServices, stop: Stop) =>
  conclude((tx) => concludeStopped(tx, services, { workspaceId, now: clock.now() }, stop))
