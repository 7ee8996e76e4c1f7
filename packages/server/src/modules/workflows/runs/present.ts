import type { RunResource, RunStepResource, RunSummary } from '@kontor/contract'
import { isoTime, isoTimeOrNull } from '../../../kernel/clock.ts'
import { resource } from '../../../kernel/resource.ts'
import type { WorkflowGraph } from '@kontor/contract'
import type { RunRow, RunSummaryRow, StepRow } from './store.ts'

const attributesOf = (run: RunSummaryRow): RunSummary['attributes'] => ({
  _id: run.id,
  workflow_id: run.workflow_id,
  workflow_version: run.graph_version,
  status: run.run_status,
  dry_run: run.dry_run,
  acting_id: run.acting_id,
  object: run.object,
  record_id: run.record_id,
  event_id: run.event_id,
  depth: run.depth,
  current_block_id: run.current_block,
  resume_at: isoTimeOrNull(run.resume_at),
  exit_reason: run.exit_plugin,
  exit_block_id: run.exit_node,
  suppressed_reason: run.suppressed_reason,
  error: run.failure,
  started_at: isoTimeOrNull(run.started_at),
  ended_at: isoTimeOrNull(run.ended_at),
  _created_at: isoTime(run.created_at),
  _updated_at: isoTime(run.updated_at),
})

export const presentSummary = (run: RunSummaryRow): RunSummary => resource('workflow-run', run.id, attributesOf(run))

/** A run with its steps; the one that waits or is to be tried again comes last. */
export function presentRun(run: RunRow, graph: WorkflowGraph, steps: readonly StepRow[]): RunResource {
  const open = openStep(run, graph)
  return resource('workflow-run', run.id, {
    ...attributesOf(run),
    trigger: { plugin_id: graph.trigger.plugin_id, state: run.trigger_state },
    steps: [...steps.map(presentStep), ...(open === undefined ? [] : [open])],
  })
}

const presentStep = (step: StepRow): RunStepResource => ({
  block_id: step.block,
  plugin_id: step.plugin,
  status: step.step_status,
  attempts: step.attempts,
  input: step.input,
  output: step.output,
  error: step.failure,
  logs: [...step.logs],
  unresolved: [...(step.unresolved ?? [])],
  started_at: isoTime(step.started_at),
  ended_at: isoTimeOrNull(step.ended_at),
  duration_ms: step.ended_at === null ? null : step.ended_at - step.started_at,
})

function openStep(
  { run_status: status, current_block, block_progress: progress }: RunRow,
  graph: WorkflowGraph,
): RunStepResource | undefined {
  const node = current_block === null ? undefined : graph.blocks[current_block]
  if ((status !== 'waiting' && status !== 'retrying') || node === undefined || progress.since === undefined)
    return undefined
  return {
    block_id: node._id,
    plugin_id: node.plugin_id,
    status,
    attempts: progress.failures + (status === 'waiting' ? 1 : 0),
    input: node.input,
    output: null,
    error: progress.failure ?? null,
    logs: [],
    unresolved: [],
    started_at: isoTime(progress.since),
    ended_at: null,
    duration_ms: null,
  }
}
