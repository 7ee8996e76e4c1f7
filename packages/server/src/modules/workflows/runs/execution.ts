import type { RunStatus, WorkflowGraph, WorkflowNode } from '@kontor/contract'
import type { Tx } from '../../../db/tx.ts'
import type { JobOutcome } from '../../../engine/types.ts'
import { diffIn } from '../language/changes.ts'
import { randomShare } from '../../../kernel/ids.ts'
import { judge, type Verdict } from '../language/conditions.ts'
import type { RunScope } from '../language/path.ts'
import type { Block, BlockOutcome } from '../plugins/plugin.ts'
import { attemptsMax, pauseMs, reasonOf, type FailureReason } from './failures.ts'
import type { RunPayload } from './kind.ts'
import { scopeOf } from './state.ts'
import { attempt, type Attempt, type StepBase } from './step.ts'
import { holdRun, insertSteps, updateRun, type Progress, type RunChanges, type RunRow, type StepRow } from './store.ts'
import { tellFailure } from './tell-failure.ts'
import { deleteWait, deleteWaits, insertWaits } from './waits/store.ts'

/** Something else has changed the run since it was read: it has to be read again. */
export class RunChanged extends Error {
  override readonly name = 'RunChanged'
}

type Outcome = JobOutcome<RunPayload>

/** How long a run that waits for an event alone is left alone, before it is looked at again. */
const restMs = 24 * 3_600_000

/**
 * Carries a run on, step by step, until it ends or waits. A step is stored before the next one that reaches beyond the
 * run begins; blocks that do not are stored together with what follows them.
 */
export class Execution {
  readonly #base: StepBase
  readonly #graph: WorkflowGraph
  #run: RunRow
  #scope: RunScope
  /** What the steps have left that are stored. */
  readonly #earlier: readonly unknown[]
  /** Steps that are done and not stored yet. */
  #done: StepRow[] = []
  #current: string | null
  #progress: Progress

  constructor(base: StepBase, graph: WorkflowGraph, run: RunRow, steps: readonly StepRow[]) {
    this.#base = base
    this.#graph = graph
    this.#run = run
    this.#scope = scopeOf(run, steps)
    this.#earlier = steps.map(({ output }) => output)
    this.#current = run.current_block
    this.#progress = run.block_progress
  }

  async carryOn(): Promise<Outcome> {
    const { clock, signal } = this.#base.context
    const left = this.#leftToWait(clock.now())
    if (left > 0) return { state: 'again', inMs: left }
    while (this.#current !== null) {
      signal.throwIfAborted()
      const node = this.#graph.blocks[this.#current]
      const block = node && this.#base.services.plugins.block(node.plugin_id)
      if (node === undefined || block === undefined) return this.#fail(unknownBlock(this.#current), undefined)
      const verdict = this.#progress.wait === undefined ? this.#judge(node) : undefined
      if (verdict?.holds === false) this.#skip(node, verdict)
      else {
        if (block.isPure !== true && this.#done.length > 0) await this.#store()
        const ended = await this.#step(node, block)
        if (ended !== undefined) return ended
      }
    }
    return this.#end('success', {})
  }

  /** How long the run still waits; 0 if it goes on. */
  #leftToWait(now: number): number {
    const { wait, woken } = this.#progress
    if (wait === undefined || woken !== undefined) return 0
    return wait.until === null ? restMs : Math.min(restMs, Math.max(0, wait.until - now))
  }

  #judge({ filters }: WorkflowNode): Verdict {
    const seen = { scope: this.#scope, diff: diffIn(this.#scope), now: this.#base.context.clock.now() }
    return judge(filters, seen)
  }

  #skip(node: WorkflowNode, { unresolved }: Verdict): void {
    const now = this.#base.context.clock.now()
    const skipped = { input: null, logs: [], startedAt: now, endedAt: now }
    this.#done.push({ ...this.#stepRow(node, skipped, 'skipped', null), unresolved: namesOf(unresolved) })
    this.#goTo(node.next)
  }

  /** Runs the current block once; returns the outcome of the job where the run does not go on at once. */
  async #step(node: WorkflowNode, block: Block): Promise<Outcome | undefined> {
    const attempted = await attempt(
      this.#base,
      { ...this.#run, block_progress: this.#progress },
      {
        node,
        block,
        scope: this.#scope,
        earlier: this.#earlier,
      },
    )
    if ('error' in attempted) return this.#failed(node, attempted)
    const { outcome } = attempted
    if (outcome.state === 'wait') return this.#wait(node, attempted, outcome)
    const done = {
      ...this.#stepRow(node, attempted, 'success', null),
      unresolved: namesOf(outcome.unresolved ?? []),
    }
    // A block that goes on with itself takes the same in each of its steps.
    const isAgain = block.isLoop === true && this.#earlier.length > 0
    this.#done.push({ ...done, output: outcome.output ?? null, ...(isAgain && { input: null }) })
    this.#scope = { ...this.#scope, [node._id]: { state: { output: outcome.output ?? null } } }
    this.#goTo(outcome.next === undefined ? node.next : outcome.next)
    if (block.isLoop !== true || this.#current !== node._id) return undefined
    return this.#conclude({ run_status: 'running', resume_at: null }, { state: 'again', inMs: 0 })
  }

  #goTo(next: string | null): void {
    this.#current = next
    this.#progress = { step: this.#progress.step + 1, failures: 0 }
  }

  #stepRow(
    { _id: block, plugin_id: plugin }: WorkflowNode,
    { input, logs, startedAt, endedAt }: Pick<Attempt, 'input' | 'logs' | 'startedAt' | 'endedAt'>,
    status: StepRow['step_status'],
    failure: StepRow['failure'],
  ): StepRow {
    return {
      number: this.#progress.step,
      block,
      plugin,
      step_status: status,
      attempts: status === 'skipped' ? 0 : this.#progress.failures + 1,
      input,
      output: null,
      failure,
      logs,
      unresolved: null,
      started_at: this.#progress.since ?? startedAt,
      ended_at: endedAt,
    }
  }

  async #failed(node: WorkflowNode, attempted: Attempt & { readonly error: unknown }): Promise<Outcome> {
    const { context } = this.#base
    const reason = reasonOf(attempted.error)
    if (reason === undefined || context.signal.aborted) throw attempted.error
    if (reason.code === 'internal')
      context.logger.error({ err: attempted.error, run: this.#run.id, block: node._id }, 'a step of a workflow failed')
    const failures = this.#progress.failures + 1
    if (!reason.isRetryable || failures >= attemptsMax) return this.#fail(reason, { node, attempted })
    const inMs = pauseMs(failures, randomShare(), reason.retryAfterMs)
    const failure = { code: reason.code, detail: reason.detail, block_id: node._id }
    const since = this.#progress.since ?? attempted.startedAt
    this.#progress = { ...this.#progress, failures, failure, since }
    return this.#conclude({ run_status: 'retrying', resume_at: context.clock.now() + inMs }, { state: 'again', inMs })
  }

  #fail(
    { code, detail }: Pick<FailureReason, 'code' | 'detail'>,
    failed: { readonly node: WorkflowNode; readonly attempted: Attempt } | undefined,
  ): Promise<Outcome> {
    const failure = { code, detail, block_id: this.#current }
    if (failed !== undefined) this.#done.push(this.#stepRow(failed.node, failed.attempted, 'failed', failure))
    const { services, context, workspace, workflow } = this.#base
    const at = { workspaceId: workspace.id, now: context.clock.now() }
    return this.#end('failed', { failure }, (tx) =>
      tellFailure(tx, services, at, { workflow, run: this.#run, failure }),
    )
  }

  #wait(
    node: WorkflowNode,
    { startedAt }: Attempt,
    { until, event }: BlockOutcome<unknown> & { readonly state: 'wait' },
  ): Promise<Outcome> {
    const { context, workspace } = this.#base
    this.#progress = {
      ...this.#progress,
      since: this.#progress.since ?? startedAt,
      wait: { until, ...(event !== undefined && { asked: event.input }) },
    }
    const inMs = this.#leftToWait(context.clock.now())
    return this.#conclude({ run_status: 'waiting', resume_at: until }, { state: 'again', inMs }, async (tx) => {
      if (event !== undefined)
        await insertWaits(tx, workspace.id, [
          { run_id: this.#run.id, node: node._id, is_exit: false, plugin: event.plugin, record_id: event.recordId },
        ])
    })
  }

  #end(
    status: Extract<RunStatus, 'success' | 'failed'>,
    changes: RunChanges,
    more?: (tx: Tx) => Promise<void>,
  ): Promise<Outcome> {
    const { context, workspace } = this.#base
    const ended = { run_status: status, ...changes, resume_at: null, ended_at: context.clock.now() }
    return this.#conclude(ended, { state: 'done' }, async (tx) => {
      if (Object.keys(this.#graph.exits).length > 0) await deleteWaits(tx, workspace.id, this.#run.id)
      await more?.(tx)
    })
  }

  /** Stores what has been done so far. */
  async #store(): Promise<void> {
    await this.#base.context.database.write((tx) => this.#write(tx, { run_status: 'running', resume_at: null }))
    this.#run = { ...this.#run, revision: this.#run.revision + 1 }
    this.#done = []
  }

  #conclude(changes: RunChanges, outcome: Outcome, more?: (tx: Tx) => Promise<void>): Promise<Outcome> {
    return this.#base.context.conclude(async (tx) => {
      await this.#write(tx, changes)
      await more?.(tx)
      return outcome
    })
  }

  async #write(tx: Tx, changes: RunChanges): Promise<void> {
    const { workspace, context } = this.#base
    if (!(await holdRun(tx, workspace.id, this.#run))) throw new RunChanged()
    // A block that has gone on after a wait waits no more.
    if (
      this.#run.block_progress.wait !== undefined &&
      this.#progress.wait === undefined &&
      this.#run.current_block !== null
    )
      await deleteWait(tx, workspace.id, this.#run.id, this.#run.current_block)
    await insertSteps(tx, workspace.id, this.#run.id, this.#done)
    const now = context.clock.now()
    await updateRun(tx, workspace.id, this.#run, {
      current_block: this.#current,
      block_progress: this.#progress,
      ...(this.#run.started_at === null && { trigger_state: this.#run.trigger_state }),
      started_at: this.#run.started_at ?? now,
      updated_at: now,
      ...changes,
    })
  }
}

/** Each of some variables once; null of none. */
const namesOf = (variables: readonly string[]): readonly string[] | null =>
  variables.length === 0 ? null : [...new Set(variables)]

const unknownBlock = (key: string): Pick<FailureReason, 'code' | 'detail'> => ({
  code: 'unknown_block',
  detail: `There is no block "${key}", or its plugin is gone.`,
})
