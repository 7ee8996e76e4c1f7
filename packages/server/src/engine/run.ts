import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseUnavailable, isNodeLost } from '../db/errors.ts'
import type { Tx } from '../db/tx.ts'
import { loseNodeOf } from '../db/workspaces.ts'
import { invariant } from '../lib/guards.ts'
import { endForGood } from './ending.ts'
import { begunAgain, renewLease, setLosses, settle, type Fence, type Next } from './outcomes/store.ts'
import type { CompletionBatcher } from './completions.ts'
import type { KeptLease, LeaseKeeper } from './lease-keeper.ts'
import type { ClaimedJob } from './store.ts'
import type { Settlement } from './settlement.ts'
import type { Suspects } from './suspects.ts'
import { LeaseLost, type Deps, type JobContext, type JobKind, type JobOutcome } from './types.ts'

/** A job that this runner has claimed. */
export type Taken = {
  readonly job: ClaimedJob
  readonly kind: JobKind<unknown>
  readonly fence: Fence
  readonly leaseMs: number
  /** By the wall clock, as stored in the database. */
  readonly leasedAt: number
  /** On the clock of `performance.now()`, from before the claim was sent: no other process counts from earlier. */
  readonly takenAt: number
  /** The next state after a run that is done: the end of the job, or the next run of a recurring job. */
  readonly afterDone: Next
  readonly afterFailure: (error: string) => Next
}

const errorMax = 2000
const settleAgainMs = 500

/** A timer that is so late tells of a process that stood still, and could not renew its leases. */
const stoodStillMs = 500

/** For a renewal, which then is under way or about to be. */
const graceMs = 1000

/** The time after which an unavailable database is tried again. */
const awayMs = 2000

/** The reason why a run was told to stop; `signal.reason` is one. */
class RunStopped extends Error {
  override readonly name = 'RunStopped'
}

/** The parts that the runs of a process share. */
type Shared = {
  readonly settler: CompletionBatcher
  readonly keeper: LeaseKeeper
  readonly suspects: Suspects
  readonly settlement: Settlement
}

/** One run of a job, from its claim until its outcome is stored. */
export class Run {
  readonly #deps: Deps
  readonly #settler: CompletionBatcher
  readonly #keeper: LeaseKeeper
  readonly #suspects: Suspects
  readonly #settlement: Settlement
  readonly #taken: Taken
  readonly #controller = new AbortController()
  readonly #calls = new AbortController()
  readonly #overdue = Promise.withResolvers<never>()
  #leasedAt: number
  #renewedAt: number
  #timer: NodeJS.Timeout | undefined
  #stopping = false
  #isStoring = false
  #isBraced = false
  /** 1 if a process was lost with the current work of the run, else 0. */
  #losses: number
  /** True if the job has noted anything of that. */
  #isNoted: boolean
  /** Ends the turn of a run that begins work again with which a process was lost. */
  #endTurn: (() => void) | undefined
  #concluded = false
  #settled = false

  constructor(deps: Deps, { settler, keeper, suspects, settlement }: Shared, taken: Taken) {
    this.#deps = deps
    this.#suspects = suspects
    this.#settlement = settlement
    this.#settler = settler
    this.#keeper = keeper
    this.#taken = taken
    this.#leasedAt = taken.leasedAt
    const { losses } = taken.job
    this.#losses = Math.min(losses, 1)
    this.#isNoted = losses > 0
    this.#renewedAt = taken.takenAt
    this.#overdue.promise.catch(() => undefined)
  }

  /** Resolves when the run has ended and its outcome is stored, or cannot be stored. */
  async finish(): Promise<void> {
    const { kind, job } = this.#taken
    const kept = this.#kept()
    this.#watch()
    if (kind.keepsLease === true) this.#keeper.keep(kept)
    try {
      await Promise.race([this.#settlement.settled(), this.#overdue.promise])
      const outcome = await Promise.race([
        kind.run(this.#context(), kind.payload.parse(job.payload)),
        this.#overdue.promise,
      ])
      if (!this.#concluded) await this.#settle(this.#nextOf(outcome), payloadOf(outcome, job.payload))
    } catch (error) {
      await this.#fail(error).catch((failure: unknown) =>
        this.#log(failure, 'a job was released; another process takes it over when its lease ends'),
      )
    } finally {
      this.#endTurn?.()
      this.#keeper.release(kept)
      clearTimeout(this.#timer)
      this.#settled = true
    }
  }

  /**
   * Tells the run to stop; what it throws from here on does not count as a failure. Calls to others may end within a
   * time: one that is cut off is made again, and its receiver sees it twice.
   */
  stop(callsMs: number): void {
    this.#stopping = true
    const reason = new RunStopped('The server stops')
    this.#controller.abort(reason)
    if (callsMs === 0) this.#calls.abort(reason)
    else setTimeout(() => this.#calls.abort(reason), callsMs).unref()
  }

  /** Releases the job to other runners at once; what the run may still store does not count. */
  async giveBack(): Promise<void> {
    if (this.#settled || this.#concluded) return
    const { job, fence } = this.#taken
    await this.#deps.database.write((tx) =>
      settle(
        tx,
        fence,
        { state: 'retry', inMs: 0, failures: job.failures, losses: this.#losses, error: null },
        job.payload,
        this.#deps.clock.now(),
      ),
    )
  }

  #context(): JobContext {
    const { job } = this.#taken
    return {
      ...this.#deps,
      workspaceId: job.workspace_id,
      signal: this.#controller.signal,
      callSignal: this.#calls.signal,
      attempt: job.attempt,
      brace: () => this.#brace(),
      progress: (tx) => this.#progress(tx),
      heartbeat: () => this.#heartbeat(),
      conclude: (work) => this.#conclude(work),
    }
  }

  async #heartbeat(): Promise<void> {
    const { fence } = this.#taken
    const sentAt = performance.now()
    // Always a different value, even after the clock was set back: other processes look for the change.
    this.#leasedAt = Math.max(this.#leasedAt + 1, this.#deps.clock.now())
    if (!(await this.#deps.database.write((tx) => renewLease(tx, fence, this.#leasedAt)))) {
      const error = new LeaseLost()
      this.#abort(error)
      throw error
    }
    this.#renewed(sentAt)
  }

  async #brace(): Promise<void> {
    const { fence } = this.#taken
    if (this.#isBraced || this.#losses === 0) return
    this.#isBraced = true
    const endTurn = await this.#suspects.turn()
    if (this.#controller.signal.aborted) {
      endTurn()
      throw this.#controller.signal.reason
    }
    this.#endTurn = endTurn
    if (!(await this.#deps.database.write((tx) => setLosses(tx, fence, begunAgain)))) throw new LeaseLost()
  }

  async #progress(tx: Tx): Promise<void> {
    if (!this.#isNoted) return
    if (!(await setLosses(tx, this.#taken.fence, 0))) throw new LeaseLost()
    this.#endTurn?.()
    this.#losses = 0
    this.#isNoted = false
    this.#isBraced = false
  }

  #kept(): KeptLease {
    const { id, attempt } = this.#taken.job
    return {
      id,
      attempt,
      renewed: (sentAt) => this.#renewed(sentAt),
      lost: () => {
        // The transaction that stores the outcome checks that it still has the job.
        if (!this.#isStoring) this.#end(new LeaseLost())
      },
    }
  }

  /** On SQLite no other process runs jobs: a renewal that waits while a long change has the writer loses nothing. */
  get #mayBeTakenOver(): boolean {
    return this.#deps.database.dialect.name !== 'sqlite'
  }

  #renewed(sentAt: number): void {
    this.#renewedAt = sentAt
    this.#watch()
  }

  async #conclude<O extends JobOutcome<unknown>>(work: (tx: Tx) => Promise<O>): Promise<O> {
    invariant(!this.#concluded, 'a run of a job is concluded once')
    const { job, fence } = this.#taken
    this.#isStoring = true
    const outcome = await this.#deps.database.write(async (tx) => {
      const made = await work(tx)
      if (!(await settle(tx, fence, this.#nextOf(made), payloadOf(made, job.payload), this.#deps.clock.now())))
        throw new LeaseLost()
      return made
    })
    this.#concluded = true
    return outcome
  }

  #nextOf(outcome: JobOutcome<unknown>): Next {
    const { job, afterDone } = this.#taken
    if (outcome.state === 'done') return afterDone
    const { inMs, isPutOff } = outcome
    return { state: 'again', inMs, ...(isPutOff && { failures: job.failures, losses: this.#losses }) }
  }

  /** Other processes take the job over when its lease expires, so the run must be told to stop before. */
  #watch(): void {
    clearTimeout(this.#timer)
    if (this.#taken.kind.keepsLease === true && !this.#mayBeTakenOver) return
    const endsAt = this.#renewedAt + this.#taken.leaseMs
    const end = (): void => this.#end(new RunStopped(`No heartbeat for ${this.#taken.leaseMs} ms`))
    this.#timer = setTimeout(
      () => {
        if (performance.now() - endsAt < stoodStillMs) end()
        else this.#timer = setTimeout(end, graceMs)
      },
      Math.max(0, endsAt - performance.now()),
    )
  }

  /** Tells the run to stop, and waits for it no longer. */
  #end(error: Error): void {
    this.#abort(error)
    this.#overdue.reject(error)
  }

  #abort(error: Error): void {
    this.#controller.abort(error)
    this.#calls.abort(error)
  }

  async #fail(error: unknown): Promise<void> {
    const { job, afterFailure } = this.#taken
    if (this.#concluded) return this.#log(error, 'a job failed after it was concluded')
    if (error instanceof LeaseLost) return this.#log(error, 'another run has taken a job over')
    if (this.#stopping) return this.giveBack()
    // The process renews such a lease: if the database did not take it in time, the work is not to blame.
    const isUnrenewed = error instanceof RunStopped && this.#taken.kind.keepsLease === true
    if (error instanceof DatabaseUnavailable || isUnrenewed) return this.#postpone(error)
    const next = afterFailure(textOf(error))
    if (next.state === 'failed') this.#log(error, 'a job has failed permanently', 'error')
    else this.#log(error, 'a job failed and will be retried')
    await this.#settle(next, job.payload)
  }

  /** A database that is unavailable or late is no failure of the job, and does not count as one. */
  async #postpone(error: Error): Promise<void> {
    const { job } = this.#taken
    this.#log(error, 'a job waits for the database')
    // Runners then leave the other jobs of the node, and this one, until the node answers.
    if (isNodeLost(error)) await loseNodeOf(this.#deps.database.reader, job.workspace_id)
    const { failures } = job
    const next = { state: 'retry' as const, inMs: awayMs, failures, losses: this.#losses, error: textOf(error) }
    await this.#settle(next, job.payload)
  }

  /**
   * Retries for as long as the lease lasts: a database that is unavailable for a second is no reason to repeat the
   * work.
   */
  async #settle(next: Next, payload: unknown): Promise<void> {
    const { job, kind, fence, leaseMs } = this.#taken
    this.#isStoring = true
    for (;;) {
      try {
        if (next.state === 'failed') return await endForGood(this.#deps, { kind, fence, payload, failed: next })
        return await this.#settler.settle({ fence, isKeyed: job.job_key !== null, next, payload })
      } catch (error) {
        if (error instanceof LeaseLost || performance.now() + settleAgainMs > this.#renewedAt + leaseMs) throw error
      }
      await sleep(settleAgainMs)
    }
  }

  #log(error: unknown, message: string, level: 'warn' | 'error' = 'warn'): void {
    const { id, kind, workspace_id: workspaceId, attempt, failures } = this.#taken.job
    this.#deps.logger[level]({ err: error, job: { id, kind, workspaceId, attempt, failures } }, message)
  }
}

const payloadOf = (outcome: JobOutcome<unknown>, before: unknown): unknown =>
  outcome.state === 'again' && outcome.payload !== undefined ? outcome.payload : before

const textOf = (error: unknown): string =>
  (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, errorMax)
