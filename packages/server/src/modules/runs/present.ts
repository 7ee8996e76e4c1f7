import {
  runSummary,
  type RunResource,
  type RunStepItem,
  type RunStepResource,
  type RunSummary,
  type WorkflowGraph,
} from '@kontor/contract'
import { isoTime, isoTimeOrNull } from '../../kernel/clock.ts'
import { presenterOf, resource } from '../../kernel/resource.ts'
import type { ShownContents } from './contents.ts'
import type { RunError, RunRow, RunSummaryRow } from './store.ts'
import type { StepHead } from './steps/store.ts'

/** Stands in for texts that a credential may not see. */
const withheldDetail = 'Withheld: your credential does not cover the data that this run has read.'

const errorOf = (failure: RunError | null, isWithheld: boolean): RunError | null =>
  failure && isWithheld ? { ...failure, detail: withheldDetail } : failure

const present = presenterOf(runSummary)

export const presentSummary = (run: RunSummaryRow, isWithheld: boolean): RunSummary =>
  present(run, {
    workflow_version: run.graph_version,
    status: run.run_status,
    current_block_id: run.current_block,
    exit_reason: run.exit_plugin,
    exit_block_id: run.exit_node,
    error: errorOf(run.failure, isWithheld),
  })

/** A run with its steps; the one that waits or is to be tried again comes last. */
export function presentRun(
  run: RunRow,
  graph: WorkflowGraph,
  steps: readonly StepHead[],
  contents: ShownContents,
): RunResource {
  const isWithheld = contents === 'withheld'
  const open = openStep(run, graph, isWithheld)
  return resource('workflow-run', run.id, {
    ...presentSummary(run, isWithheld).attributes,
    trigger: {
      plugin_id: graph.trigger.plugin_id,
      state: isWithheld ? null : run.trigger_state,
      contents: isWithheld ? 'withheld' : 'shown',
    },
    progress: progressOf(run),
    steps: [...steps.map((step) => presentStep(step, contents)), ...(open === undefined ? [] : [open])],
  })
}

/** Returns the progress of the outermost list of a run. */
function progressOf({ block_progress: { loops }, run_status }: RunRow): RunResource['attributes']['progress'] {
  const loop = run_status === 'success' ? undefined : loops?.[0]
  return loop === undefined ? null : { block_id: loop.block, done: loop.done, total: loop.total }
}

/** One step of a run, as an item of its own. */
export const presentStepItem = (runId: string, step: StepHead, contents: ShownContents): RunStepItem =>
  resource('workflow-run-step', `${runId}:${step.number}`, presentStep(step, contents))

function presentStep(step: StepHead, contents: ShownContents): RunStepResource {
  const shown = contents === 'withheld' ? undefined : contents.get(step.number)
  return {
    number: step.number,
    block_id: step.block,
    plugin_id: step.plugin,
    status: step.step_status,
    attempts: step.attempts,
    input: shown?.input ?? null,
    output: shown?.output ?? null,
    contents: contents === 'withheld' ? 'withheld' : shown === undefined ? 'too_large' : 'shown',
    error: errorOf(step.failure, contents === 'withheld'),
    logs: [...(shown?.logs ?? [])],
    unresolved: [...(step.unresolved ?? [])],
    started_at: isoTime(step.started_at),
    ended_at: isoTimeOrNull(step.ended_at),
    duration_ms: step.ended_at === null ? null : step.ended_at - step.started_at,
  }
}

function openStep(
  { run_status: status, current_block, block_progress: progress }: RunRow,
  graph: WorkflowGraph,
  isWithheld: boolean,
): RunStepResource | undefined {
  const node = current_block === null ? undefined : graph.blocks[current_block]
  if ((status !== 'waiting' && status !== 'retrying') || node === undefined || progress.since === undefined)
    return undefined
  return {
    number: progress.step,
    block_id: node._id,
    plugin_id: node.plugin_id,
    status,
    attempts: progress.failures + (status === 'waiting' ? 1 : 0),
    input: node.input,
    output: null,
    contents: 'shown',
    error: errorOf(progress.failure ?? null, isWithheld),
    logs: [],
    unresolved: [],
    started_at: isoTime(progress.since),
    ended_at: null,
    duration_ms: null,
  }
}
