import { actorId, chainOf, doerOf, presentDoer } from '../../kernel/actor.ts'
import type { Input, WorkflowGraph, workflows } from '@kontor/contract'
import { isoTime } from '../../kernel/clock.ts'
import { isId } from '../../kernel/ids.ts'
import type { WorkspaceReadContext, WriteContext } from '../../kernel/implement.ts'
import { defined } from '../../lib/guards.ts'
import { requireVisible, resolveReference } from '../records/index.ts'
import {
  actingOf,
  kindOf,
  requireActing,
  requireCommonKind,
  requireWorkflow,
  requireRunnable,
  shownGraph,
  findVersion,
  findWorkflow,
  type Workflow,
} from '../definitions/index.ts'
import { beginRuns, exitsOf } from './begin.ts'
import { continueRun, endRun, isCarriedOut, isEnded } from './changes.ts'
import type { WorkflowKinds } from './kinds.ts'
import { jsonBytes } from './outputs.ts'
import { actingAs, standingOf } from '../identity/acting/index.ts'
import { fittingSteps, maySeeContents } from './contents.ts'
import { presentRun, presentStepItem } from './present.ts'
import type { WorkflowServices } from './services.ts'
import { deleteStep, findStepHead, insertSteps, listStepHeads, readContents, type StepRow } from './steps/store.ts'
import { findRun, lockRun, type RunRow } from './store.ts'
import { placeInChain } from './event-filters.ts'
import { insertWaits } from './waits/store.ts'

/** Bytes of JSON that a run may be begun with by hand: bodies of some surfaces may be larger. */
const dataBytesMax = 1024 * 1024

const manualPlugin = 'on:manual:execution'

const missingRun = (ctx: WorkspaceReadContext) => ctx.fail('not_found', { detail: 'There is no run with this id.' })

/** A run with its workflow; callers who may not see what the run has read find none. */
async function requireRun(
  ctx: WorkspaceReadContext,
  found: RunRow | undefined,
): Promise<{ readonly run: RunRow; readonly workflow: Workflow }> {
  const workflow = found && (await findWorkflow(ctx.tx, ctx.workspace.workspaceId, found.workflow_id))
  const isHidden = (actingOf(ctx) ?? found?.acting_id) !== found?.acting_id
  if (found === undefined || workflow === undefined || isHidden) throw missingRun(ctx)
  return { run: found, workflow }
}

export const readRun = async (ctx: WorkspaceReadContext, id: string) =>
  requireRun(ctx, isId(id) ? await findRun(ctx.tx, ctx.workspace.workspaceId, id) : undefined)

/** Refuses a run of a kind with operations of its own: only those know what else has to be done. */
export async function requireCommonRun(
  ctx: WorkspaceReadContext<'forbidden'>,
  kinds: WorkflowKinds,
  id: string,
): Promise<void> {
  requireCommonKind(ctx, kinds, (await readRun(ctx, id)).workflow.row)
}

const holdRun = async (ctx: WriteContext, id: string) =>
  requireRun(ctx, isId(id) ? await lockRun(ctx.tx, ctx.workspace.workspaceId, id) : undefined)

/** Answers a run of a workflow with its steps. */
async function answerRun(ctx: WorkspaceReadContext, kinds: WorkflowKinds, { row }: Workflow, run: RunRow) {
  const { workspaceId } = ctx.workspace
  const [version, steps] = await Promise.all([
    findVersion(ctx.tx, workspaceId, run.workflow_id, run.graph_version),
    listStepHeads(ctx.tx, workspaceId, run.id),
  ])
  const { graph } = defined(version)
  const shown = maySeeContents(ctx.actor, run, { kind: kindOf(kinds, row.type), graph }, workspaceId)
    ? await readContents(ctx.tx, workspaceId, run.id, fittingSteps(steps))
    : 'withheld'
  return { body: { data: presentRun(run, shownGraph(ctx, kindOf(kinds, row.type), graph), steps, shown) } }
}

export async function getRun(ctx: WorkspaceReadContext, kinds: WorkflowKinds, id: string) {
  const { run, workflow } = await readRun(ctx, id)
  return answerRun(ctx, kinds, workflow, run)
}

const stepShape = /^\d{1,9}$/

export async function getRunStep(
  ctx: WorkspaceReadContext,
  kinds: WorkflowKinds,
  { id, number }: { readonly id: string; readonly number: string },
) {
  const { run, workflow } = await readRun(ctx, id)
  const { workspaceId } = ctx.workspace
  const found = stepShape.test(number) ? await findStepHead(ctx.tx, workspaceId, run.id, Number(number)) : undefined
  if (found === undefined) throw ctx.fail('not_found', { detail: 'This run has no step with this number.' })
  const { graph } = defined(await findVersion(ctx.tx, workspaceId, run.workflow_id, run.graph_version))
  const shown = maySeeContents(ctx.actor, run, { kind: kindOf(kinds, workflow.row.type), graph }, workspaceId)
    ? await readContents(ctx.tx, workspaceId, run.id, [found.number])
    : 'withheld'
  return { body: { data: presentStepItem(run.id, found, shown) } }
}

/** Runs a workflow by hand. */
export async function runByHand(
  ctx: WriteContext<'match_ambiguous'>,
  { plugins, kinds }: Pick<WorkflowServices, 'plugins' | 'kinds'>,
  { id, body, dry_run: isAsked }: Pick<Input<typeof workflows.run>, 'id' | 'body' | 'dry_run'>,
) {
  const workflow = await requireWorkflow(ctx, id)
  const { row, graph } = workflow
  const isDryRun = isAsked === true || body.dry_run === true
  const isManual = row.enabled && graph.trigger.plugin_id === manualPlugin
  const isOpen = kindOf(kinds, row.type).isOpen === true && isManual && !isDryRun
  if (!isOpen) requireActing(ctx, row)
  if (row.published_at === null) {
    if (!isDryRun)
      throw ctx.fail('forbidden', { detail: 'This workflow is a draft: enable it, or send `dry_run` for a test run.' })
    await requireRunnable(ctx, plugins, row.type, graph, {
      base: [],
      attributes: body,
      parameter: isAsked === true ? 'dry_run' : undefined,
    })
  }
  if (jsonBytes(body.data) > dataBytesMax)
    throw ctx.fail('invalid_body', {
      detail: `\`data\` can have at most ${dataBytesMax} bytes of JSON.`,
      source: { pointer: '/data' },
    })
  const subject = await subjectOf(ctx, body)
  const [run] = await beginRuns(
    ctx.tx,
    { workspaceId: ctx.workspace.workspaceId, now: ctx.clockNow, kinds },
    [
      {
        workflow,
        state: {
          event: {
            id: null,
            type: manualPlugin,
            sequence: null,
            created_at: isoTime(ctx.now),
            actor: presentDoer(doerOf(ctx.actor)),
            // The run reads the record when it begins, as its owner sees it.
            object: subject && { _id: subject.id, entity: subject.object, data: null, diff: [] },
            data: body.data ?? null,
          },
        },
        object: subject?.object ?? null,
        recordId: subject?.id ?? null,
        eventId: null,
        isDryRun,
        // A run that another has begun goes on its chain.
        ...placeInChain(chainOf(ctx.actor), workflow),
      },
    ],
    ctx.newId,
  )
  return answerRun(ctx, kinds, workflow, defined(run))
}

/** The record that a run is for, which the caller must see. */
async function subjectOf(
  ctx: WriteContext<'match_ambiguous'>,
  { object, record_id }: Input<typeof workflows.run>['body'],
) {
  if (object === undefined && record_id === undefined) return null
  const missing = object === undefined ? 'object' : record_id === undefined ? 'record_id' : undefined
  if (object === undefined || record_id === undefined)
    throw ctx.fail('invalid_body', {
      detail: 'Send `object` and `record_id` together.',
      source: { pointer: `/${missing}` },
    })
  const id = await resolveReference(ctx, record_id, object, ['record_id'])
  await requireVisible(ctx, object, id)
  return { object, id }
}

/** Lets a run that failed or was cancelled go on with the step that failed, or begins it again as a new run. */
export async function retryRun(
  ctx: WriteContext<'run_state'>,
  kinds: WorkflowKinds,
  { id, from }: { readonly id: string; readonly from: 'start' | 'failed' },
) {
  const { run, workflow } = await holdRun(ctx, id)
  if (run.run_status !== 'failed' && run.run_status !== 'cancelled') throw inOtherState(ctx, run, 'failed or cancelled')
  const { workspaceId } = ctx.workspace
  if (from === 'start') return beginAgain(ctx, kinds, run, workflow)
  if (run.current_block === null) throw inOtherState(ctx, run, 'stopped at a step')
  await kindOf(kinds, workflow.row.type).requireRetriable?.(ctx, run)
  const { graph } = defined(await findVersion(ctx.tx, workspaceId, run.workflow_id, run.graph_version))
  const exits = exitsOf(run, graph).filter(({ node }) => node !== run.exit_node)
  await insertWaits(ctx.tx, workspaceId, exits)
  await deleteStep(ctx.tx, workspaceId, run.id, run.block_progress.step)
  const changed = await continueRun(ctx.tx, { workspaceId, now: ctx.clockNow, kinds }, run, {
    run_status: 'pending',
    failure: null,
    ended_at: null,
    block_progress: {
      step: run.block_progress.step,
      failures: 0,
      ...(run.block_progress.loops !== undefined && { loops: run.block_progress.loops }),
    },
  })
  await ctx.emit([{ type: 'workflow.run_retried', ...about(run), payload: { run_id: run.id, new_run_id: null } }])
  return answerRun(ctx, kinds, workflow, changed)
}

/** Returns the subject of events about a run. */
const about = ({ workflow_id }: RunRow) => ({ object: 'workflow', recordId: workflow_id })

/** Begins a run again, by the version in force and as whom the workflow runs by now. */
async function beginAgain(ctx: WriteContext<'run_state'>, kinds: WorkflowKinds, run: RunRow, workflow: Workflow) {
  if (workflow.row.published_at === null && !run.dry_run)
    throw ctx.fail('forbidden', { detail: 'This workflow is now a draft: enable it first.' })
  if (run.event_id !== null) await requireSeen(ctx, run, workflow)
  const { trigger_state: state, object, record_id: recordId, event_id: eventId, dry_run: isDryRun } = run
  const place = placeInChain(chainOf(ctx.actor), workflow, run.depth)
  const again = { workflow, state, object, recordId, eventId, isDryRun, ...place }
  const at = { workspaceId: ctx.workspace.workspaceId, now: ctx.clockNow, kinds }
  const [begun] = await beginRuns(ctx.tx, at, [again])
  await ctx.emit([
    { type: 'workflow.run_retried', ...about(run), payload: { run_id: run.id, new_run_id: defined(begun).id } },
  ])
  return answerRun(ctx, kinds, workflow, defined(begun))
}

/** Refuses a run whose event was seen by another owner, who may have seen more than the owner of today. */
async function requireSeen(ctx: WriteContext<'run_state'>, run: RunRow, { row: { actor } }: Workflow): Promise<void> {
  if ([run.acting_id, actorId(ctx.actor)].includes(actor.id)) return
  const { workspaceId } = ctx.workspace
  const at = { workspaceId, now: ctx.clockNow }
  const standing = await standingOf(ctx.tx, at, actingAs(actor, workspaceId))
  if ('role' in standing && standing.role === 'admin') return
  throw ctx.fail('run_state', {
    detail:
      'The workflow now runs as another user, who may not see the data that this run started with: start a new run.',
    meta: { status: run.run_status },
  })
}

export async function cancelRun(ctx: WriteContext, kinds: WorkflowKinds, id: string) {
  const { run, workflow } = await holdRun(ctx, id)
  if (isEnded(run)) return answerRun(ctx, kinds, workflow, run)
  const { workspaceId } = ctx.workspace
  const at = { workspaceId, now: ctx.clockNow, kinds }
  await markUnderWay(
    ctx,
    run,
    defined(await findVersion(ctx.tx, workspaceId, run.workflow_id, run.graph_version)).graph,
  )
  const ended = await endRun(ctx.tx, at, run, { run_status: 'cancelled' })
  await ctx.emit([{ type: 'workflow.run_cancelled', ...about(run), payload: { run_id: run.id } }])
  return answerRun(ctx, kinds, workflow, ended)
}

/** Keeps a step that is being carried out: it may act although its run is cancelled. */
async function markUnderWay(
  { tx, workspace: { workspaceId }, clockNow }: WriteContext,
  run: RunRow,
  graph: WorkflowGraph,
) {
  const { current_block: block, block_progress: progress, run_status: status } = run
  const node = block === null ? undefined : graph.blocks[block]
  if (node === undefined || status === 'held' || (progress.wait !== undefined && progress.woken === undefined)) return
  if (!(await isCarriedOut(tx, workspaceId, run.id))) return
  const cancelled: StepRow = {
    number: progress.step,
    block: node._id,
    plugin: node.plugin_id,
    step_status: 'cancelled',
    attempts: progress.failures + 1,
    input: null,
    output: null,
    failure: null,
    logs: [],
    unresolved: null,
    started_at: progress.since ?? run.updated_at,
    ended_at: clockNow,
    output_bytes: 0,
    contents_bytes: 0,
  }
  await insertSteps(tx, workspaceId, run.id, [cancelled])
}

/** Lets a run that waits, or that is to be tried again, go on at once; one that goes on anyway is left alone. */
export async function resumeRun(ctx: WriteContext<'run_state'>, kinds: WorkflowKinds, id: string) {
  const { run, workflow } = await holdRun(ctx, id)
  if (isEnded(run)) throw inOtherState(ctx, run, 'in progress')
  if (run.run_status === 'held')
    throw ctx.fail('run_state', {
      detail: `The run is held (${run.held_reason}). Enable its workflow: the run then continues with you as its user.`,
      meta: { status: run.run_status },
    })
  if (run.resume_at === null && run.run_status !== 'waiting') return answerRun(ctx, kinds, workflow, run)
  const { wait } = run.block_progress
  const { workspaceId } = ctx.workspace
  const changed = await continueRun(ctx.tx, { workspaceId, now: ctx.clockNow, kinds }, run, {
    run_status: 'pending',
    ...(wait !== undefined && { block_progress: { ...run.block_progress, woken: { event: null } } }),
  })
  await ctx.emit([{ type: 'workflow.run_resumed', ...about(run), payload: { run_id: run.id } }])
  return answerRun(ctx, kinds, workflow, changed)
}

const inOtherState = (ctx: WriteContext<'run_state'>, { run_status: status }: RunRow, wanted: string) =>
  ctx.fail('run_state', { detail: `The run is ${status}; it must be ${wanted}.`, meta: { status } })
