import type { RunStatus, WorkflowGraph, WorkflowNode } from '@kontor/contract'
import type { Tx } from '../../db/tx.ts'
import type { JobOutcome } from '../../engine/types.ts'
import { diffIn, judge, type Verdict, type RunScope } from '../templates/index.ts'
import { randomShare } from '../../kernel/ids.ts'
import { nextTurn } from '../../lib/portions.ts'
import { PoolBusy } from '../../pool/index.ts'
import { outputBytesMax, type Block, type BlockOutcome } from '../plugins/index.ts'
import { attemptsMax, pauseMs, reasonOf, RunChanged, type FailureReason } from './failures.ts'
import type { RunPayload } from './kind.ts'
import type { RunShare } from './memory.ts'
import { bytesOf, jsonBytes, namedBy, outputBytesOf, runOutputBytesMax, scopeOf, type Outputs } from './outputs.ts'
import { withLoop, type GraphPosition } from './graph-position.ts'
import { afterFailure, attempt, type Attempt, type FailedAttempt, type Outcome as Done, type StepBase } from './step.ts'
import { deleteStep, insertSteps, type StepRow } from './steps/store.ts'
import { updateRun } from './changes.ts'
import { holdRun, lockRun, type RunChanges, type RunRow } from './store.ts'
import { concludeStopped } from './stop.ts'
import { tellFailure } from './tell-failure.ts'
import { deleteWait, deleteWaits, insertWaits } from './waits/store.ts'

type Outcome = JobOutcome<RunPayload>

const goingOn: RunChanges = { run_status: 'running', resume_at: null }

/** The time for which a run that waits for an event alone is left alone, before it is looked at again. */
const restMs = 24 * 3_600_000

/** Items of a list after which others have their turn. */
const turnItems = 50

/** Storing a larger output takes milliseconds: of several runs that are about to, each has its turn. */
const turnBytes = 64 * 1024

/** Bytes of steps that are done and may wait to be stored together with the next. */
const pendingBytesMax = 256 * 1024

/** The memory of a run: the outputs of its steps, and its share of the room. */
type Held = { readonly outputs: Outputs; readonly share: RunShare }

/** The past of a run, as a block sees it. */
type Seen = { readonly scope: RunScope; readonly earlier: readonly unknown[] }

/** The time for which a step that has found no place to compute in is put off, at least. */
const putOffMs = 2000
/** The changes of a run that a block has ended, since its person may not be written to. */
const endings: Readonly<Record<'suppressed' | 'cancelled', RunChanges>> = {
  suppressed: { suppressed_reason: 'suppressed', exit_plugin: 'suppressed' },
  cancelled: { exit_plugin: 'suppressed' },
}

/**
 * Carries a run on, step by step, until it ends or waits. A step is stored before the next one that reaches beyond the
 * run begins; blocks that do not are stored together with what follows them, and those that change records together
 * with what they change.
 */
export class Execution {
  readonly #base: StepBase
  readonly #graph: WorkflowGraph
  #run: RunRow
  readonly #startedAt: number
  /** The outputs of the steps that are stored. */
  readonly #outputs: Outputs
  readonly #share: RunShare
  readonly #triggerBytes: number
  #at: GraphPosition
  #turns = 0
  /** True behind a step that may have taken long: the owner may have left meanwhile. */
  #isStandingOld = false

  constructor(base: StepBase, graph: WorkflowGraph, run: RunRow, { outputs, share }: Held) {
    this.#base = base
    this.#graph = graph
    this.#run = run
    this.#startedAt = run.started_at ?? base.context.clock.now()
    this.#outputs = outputs
    this.#share = share
    this.#triggerBytes = jsonBytes(run.trigger_state)
    this.#at = { done: [], current: run.current_block, progress: run.block_progress }
  }

  async carryOn(): Promise<Outcome> {
    const { clock, signal } = this.#base.context
    const left = this.#leftToWait(clock.now())
    if (left > 0) return { state: 'again', inMs: left }
    while (this.#at.current !== null) {
      if (signal.aborted) await this.#leave()
      const node = this.#graph.blocks[this.#at.current]
      const block = node && this.#base.services.plugins.block(node.plugin_id)
      if (node === undefined || block === undefined) return this.#fail(unknownBlock(this.#at.current), undefined)
      const isAside = block.isPure !== true && block.isOneCommit !== true
      if (this.#at.done.length > 0 && (isAside || bytesOf(this.#at.done) > pendingBytesMax)) await this.#store()
      const seen = await this.#look(node, block, isAside)
      const { wait, loops } = this.#at.progress
      const isJudged = wait !== undefined || loops?.at(-1)?.block === node._id
      const verdict = isJudged ? undefined : await this.#judge(node, seen.scope)
      if (verdict?.holds === false) this.#skip(node, verdict)
      else {
        const held = this.#isStandingOld ? await this.#heldIfStopped() : undefined
        const ended = held ?? (await this.#step(node, block, seen))
        this.#isStandingOld = isAside
        if (ended !== undefined) return ended
      }
    }
    return this.#end('success', {})
  }

  /** Holds the run where its owner may do nothing any more, or may do less, since it was taken up. */
  async #heldIfStopped(): Promise<Outcome | undefined> {
    const { services, context, workspace, workflow, standing } = this.#base
    const found = await standing()
    if (!('stopped' in found)) return undefined
    const at = { workspaceId: workspace.id, now: context.clock.now() }
    return context.conclude(async (tx) => {
      await this.#write(tx, goingOn)
      return concludeStopped(tx, services, at, { workflow, run: this.#run, stopped: found.stopped })
    })
  }

  /** Stops before the next step. What is done is stored, so that the next process does not do it again. */
  async #leave(): Promise<never> {
    const { signal, callSignal } = this.#base.context
    if (!callSignal.aborted && this.#at.done.length > 0) await this.#store()
    throw signal.reason
  }

  /** Returns the time for which the run still waits; 0 if it continues. */
  #leftToWait(now: number): number {
    const { wait, woken } = this.#at.progress
    if (wait === undefined || woken !== undefined) return 0
    return wait.until === null ? restMs : Math.min(restMs, Math.max(0, wait.until - now))
  }

  /** Reads what a node names, once there is room for that and for what its block may come back with. */
  async #look(node: WorkflowNode, block: Block, isAside: boolean): Promise<Seen> {
    const { done } = this.#at
    const isNamed = namedBy(node, block, this.#run.dry_run)
    const needed = this.#outputs.neededBy(isNamed, block.isLoop === true)
    const atHand = this.#triggerBytes + this.#outputs.keptBytes + bytesOf(done)
    this.#share.hold(atHand + needed.bytes + (isAside ? (block.outputBytesMax ?? outputBytesMax) : 0))
    await this.#base.context.brace()
    const stored = await this.#outputs.of(needed.steps)
    const earlier = block.isLoop === true ? stored.map(({ output }) => output) : []
    return { scope: scopeOf(this.#run, [...stored, ...done.filter((step) => isNamed(step.block))]), earlier }
  }

  async #judge({ filters }: WorkflowNode, scope: RunScope): Promise<Verdict | undefined> {
    if (filters.length === 0) return undefined
    const when = { now: this.#base.context.clock.now(), ...(await this.#base.localTime()) }
    return judge(filters, { scope, diff: diffIn(scope), when })
  }

  #skip(node: WorkflowNode, { unresolved }: Verdict): void {
    const now = this.#base.context.clock.now()
    const skipped = { input: null, inputBytes: 0, logs: [], startedAt: now, endedAt: now }
    const row = { ...this.#stepRow(node, skipped, 'skipped', null), unresolved: namesOf(unresolved) }
    this.#at = this.#behind(row, node.next)
  }

  /** Runs the current block once; returns the outcome of the job where the run does not go on at once. */
  async #step(node: WorkflowNode, block: Block, seen: Seen): Promise<Outcome | undefined> {
    const { progress, done } = this.#at
    const loop = progress.loops?.at(-1)
    const attempted = await attempt(
      this.#base,
      { ...this.#run, block_progress: progress },
      {
        node,
        block,
        ...seen,
        iteration: loop?.block === node._id ? loop.done + 1 : 0,
        outputsLeft: runOutputBytesMax - this.#outputs.bytes - outputBytesOf(done),
        store: (tx, outcome) => this.#write(tx, goingOn, this.#afterStep(node, block, outcome)),
      },
    )
    if ('error' in attempted) return this.#failed(node, attempted)
    const { outcome, outputBytes } = attempted
    if (outcome.state === 'wait') return this.#wait(node, attempted, outcome)
    if (outputBytes > turnBytes) await nextTurn()
    this.#at = this.#afterStep(node, block, attempted)
    if (attempted.isStored) this.#stored()
    if (outcome.ends !== undefined) return this.#end(outcome.ends, endings[outcome.ends])
    const isTurn = block.repeats === true && this.#turns++ % turnItems === turnItems - 1
    if (!isTurn && (block.isLoop !== true || this.#at.current !== node._id)) return undefined
    return this.#conclude(goingOn, { state: 'again', inMs: 0 })
  }

  /** Where the run is once a block is done. */
  #afterStep(node: WorkflowNode, block: Block, attempted: Done): GraphPosition {
    const { outcome } = attempted
    const { output = null, next = node.next } = outcome.state === 'done' ? outcome : {}
    const unresolved = outcome.state === 'done' ? outcome.unresolved : undefined
    const done = { ...this.#stepRow(node, attempted, 'success', null), unresolved: namesOf(unresolved ?? []) }
    // A block that goes on with itself takes the same in each of its steps.
    const isAgain = block.isLoop === true && this.#at.progress.step > 0
    const { inputBytes, outputBytes, logs } = attempted
    const sizes = {
      output_bytes: outputBytes,
      contents_bytes: (isAgain ? 0 : inputBytes) + outputBytes + jsonBytes(logs),
    }
    const behind = this.#behind({ ...done, ...sizes, output, ...(isAgain && { input: null }) }, next)
    return block.repeats === true ? withLoop(behind, node, outcome) : behind
  }

  #behind(step: StepRow, next: string | null): GraphPosition {
    const { done, progress } = this.#at
    const { spent, loops } = progress
    const behind = {
      step: progress.step + 1,
      failures: 0,
      ...(spent !== undefined && { spent }),
      ...(loops !== undefined && { loops }),
    }
    // Where a chain ends that is repeated, the run comes back to the block that repeats it.
    const current = next ?? loops?.at(-1)?.block ?? null
    return { ...this.#at, done: [...done, step], current, progress: behind }
  }

  #stepRow(
    { _id: block, plugin_id: plugin }: WorkflowNode,
    { input, inputBytes, logs, startedAt, endedAt }: Omit<Attempt, 'outcome' | 'error' | 'used'>,
    status: StepRow['step_status'],
    failure: StepRow['failure'],
  ): StepRow {
    return {
      number: this.#at.progress.step,
      block,
      plugin,
      step_status: status,
      attempts: status === 'skipped' ? 0 : this.#at.progress.failures + 1,
      input,
      output: null,
      failure,
      logs,
      unresolved: null,
      started_at: this.#at.progress.since ?? startedAt,
      ended_at: endedAt,
      output_bytes: 0,
      contents_bytes: inputBytes + jsonBytes(logs),
    }
  }

  async #failed(node: WorkflowNode, attempted: Attempt & FailedAttempt): Promise<Outcome> {
    const { context } = this.#base
    if (attempted.error instanceof PoolBusy) return this.#putOff(attempted)
    const reason = reasonOf(attempted.error)
    if (reason === undefined || context.callSignal.aborted) throw attempted.error
    const held = await this.#heldIfStopped()
    if (held !== undefined) return held
    if (reason.code === 'internal')
      context.logger.error({ err: attempted.error, run: this.#run.id, block: node._id }, 'a step of a workflow failed')
    const failures = this.#at.progress.failures + 1
    if (!reason.isRetryable || (failures >= attemptsMax && !reason.isPatient))
      return this.#fail(reason, { node, attempted })
    const inMs = pauseMs(failures, randomShare(), reason.retryAfterMs)
    const failure = { code: reason.code, detail: reason.detail, block_id: node._id }
    this.#at = { ...this.#at, progress: afterFailure(this.#at.progress, attempted, failure) }
    return this.#conclude({ run_status: 'retrying', resume_at: context.clock.now() + inMs }, { state: 'again', inMs })
  }

  /** There was no place to compute in: the step is begun again later, and this was no attempt. */
  #putOff({ startedAt }: Attempt): Promise<Outcome> {
    const inMs = Math.ceil(putOffMs * (1 + randomShare()))
    const { progress } = this.#at
    this.#at = { ...this.#at, progress: { ...progress, queuedSince: progress.queuedSince ?? startedAt } }
    return this.#conclude(goingOn, { state: 'again', inMs })
  }

  #fail(
    { code, detail }: Pick<FailureReason, 'code' | 'detail'>,
    failed: { readonly node: WorkflowNode; readonly attempted: Attempt } | undefined,
  ): Promise<Outcome> {
    const failure = { code, detail, block_id: this.#at.current }
    if (failed !== undefined) {
      const step = this.#stepRow(failed.node, failed.attempted, 'failed', failure)
      this.#at = { ...this.#at, done: [...this.#at.done, step] }
    }
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
    const { progress } = this.#at
    const wait = { until, ...(event !== undefined && { asked: event.input }) }
    this.#at = { ...this.#at, progress: { ...progress, since: progress.since ?? startedAt, wait } }
    const inMs = this.#leftToWait(context.clock.now())
    return this.#conclude({ run_status: 'waiting', resume_at: until }, { state: 'again', inMs }, async (tx) => {
      if (event !== undefined)
        await insertWaits(tx, workspace.id, [
          { run_id: this.#run.id, node: node._id, is_exit: false, plugin: event.plugin, record_id: event.recordId },
        ])
    })
  }

  #end(
    status: Extract<RunStatus, 'success' | 'failed' | 'cancelled' | 'suppressed'>,
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
    await this.#base.context.database.write((tx) => this.#write(tx, goingOn))
    this.#stored()
  }

  /**
   * Keeps what was done in a run that was cancelled meanwhile: a call that was under way shows how it ended, and a
   * retry goes on behind it.
   */
  async keepDone(): Promise<void> {
    const { context, workspace, services } = this.#base
    const { done, current, progress } = this.#at
    const [first] = done
    if (first === undefined) return
    await context.database.write(async (tx) => {
      const run = await lockRun(tx, workspace.id, this.#run.id)
      if (run?.run_status !== 'cancelled' || run.block_progress.step !== first.number) return
      await deleteStep(tx, workspace.id, run.id, first.number)
      await insertSteps(tx, workspace.id, run.id, done)
      const at = { workspaceId: workspace.id, now: context.clock.now(), kinds: services.kinds }
      await updateRun(tx, at, run, { current_block: current, block_progress: progress })
    })
  }

  /** Notes that all steps so far are stored, and updates the run accordingly. */
  #stored(): void {
    const { current: current_block, progress: block_progress } = this.#at
    const revision = this.#run.revision + 1
    this.#run = { ...this.#run, current_block, block_progress, revision, started_at: this.#startedAt }
    this.#outputs.add(this.#at.done)
    this.#at = { ...this.#at, done: [] }
  }

  #conclude(changes: RunChanges, outcome: Outcome, more?: (tx: Tx) => Promise<void>): Promise<Outcome> {
    return this.#base.context.conclude(async (tx) => {
      await this.#write(tx, changes)
      await more?.(tx)
      return outcome
    })
  }

  async #write(tx: Tx, changes: RunChanges, at = this.#at): Promise<void> {
    const { workspace, context, services } = this.#base
    if (!(await holdRun(tx, workspace.id, this.#run))) throw new RunChanged()
    // A block that has gone on after a wait waits no more.
    if (
      this.#run.block_progress.wait !== undefined &&
      at.progress.wait === undefined &&
      this.#run.current_block !== null
    )
      await deleteWait(tx, workspace.id, this.#run.id, this.#run.current_block)
    await insertSteps(tx, workspace.id, this.#run.id, at.done)
    const now = context.clock.now()
    await updateRun(tx, { workspaceId: workspace.id, now, kinds: services.kinds }, this.#run, {
      current_block: at.current,
      block_progress: at.progress,
      ...(this.#run.started_at === null && { trigger_state: this.#run.trigger_state }),
      started_at: this.#startedAt,
      updated_at: now,
      ...changes,
    })
    await context.progress(tx)
  }
}

/** Each of some variables once; null of none. */
const namesOf = (variables: readonly string[]): readonly string[] | null =>
  variables.length === 0 ? null : [...new Set(variables)]

const unknownBlock = (key: string): Pick<FailureReason, 'code' | 'detail'> => ({
  code: 'unknown_block',
  detail: `There is no block "${key}", or its plugin no longer exists.`,
})
