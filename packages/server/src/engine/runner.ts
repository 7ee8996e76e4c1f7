import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { DatabaseUnavailable } from '../db/errors.ts'
import type { Database } from '../db/tx.ts'
import { lostWorkspaces } from '../db/workspaces.ts'
import { newId } from '../kernel/ids.ts'
import { invariant } from '../lib/guards.ts'
import { handled } from '../lib/promises.ts'
import { Alarm, ClockWatch } from './clock-watch.ts'
import { DueBacklog } from './backlog.ts'
import type { Next } from './outcomes/store.ts'
import { isStanding, listen, summon, type CalledWork, type Recurring, type StandingWork } from './recurring.ts'
import { afterFailure } from './retry.ts'
import { notedEveryMs, LeaseKeeper } from './lease-keeper.ts'
import { Run } from './run.ts'
import { Settlement } from './settlement.ts'
import { dueMax, jobsOf, type ClaimedJob, type JobQueries } from './store.ts'
import { CompletionBatcher } from './completions.ts'
import { Suspects } from './suspects.ts'
import { Sweeper, type Leased } from './sweeper.ts'
import { dueOf, shareSlots, type Due } from './fair-share.ts'
import type { Deps, JobKind } from './types.ts'

export type RunnerOptions = Deps & {
  readonly kinds: readonly JobKind<unknown>[]
  readonly recurring: readonly Recurring[]
  /** Concurrent jobs in this process; 128 by default: many wait for the network, and short ones share a commit. */
  readonly slots?: number
  /** Longest interval between two polls of the table, for what no process has said. */
  readonly pollMs?: number
  /** For leases, whose renewal must not wait behind other work; by default the same database. */
  readonly foreground?: Database
}

const slotsByDefault = 128
const leaseMsByDefault = 30_000

/** Polls while the news of other processes come through, and while they do not. */
const pollMsByDefault = 10_000
const pollMsWhenDeaf = 1000

/**
 * A process that has just begun holds few jobs, and one more for each that it has ended: if it dies soon, again and
 * again, it takes few with it, and others come through.
 */
const firstSlots = 8
const slowStartMs = 2000

/** Between two looks where there is reason to look again: leases, a job that another has locked, a failure. */
const soonMs = 1000
/** The interval in which a resting runner looks at the clock, without asking the database. */
const clockMs = 1000

/** A quarter of the slots is left to other workspaces, in case the jobs of one take long. */
const eachShareMax = 0.75

/**
 * A claim is a transaction. Where jobs wait for slots, the next one is for an eighth of the slots together, while the
 * others are at work; jobs that take their time are not waited for longer than this.
 */
const freedShare = 0.125
const freedMs = 50

/** Workspaces whose last turn is remembered. */
const turnsMax = 10_000

type Job = Pick<ClaimedJob, 'workspace_id' | 'job_key' | 'kind' | 'failures'>
type Running = { readonly workspaceId: string; readonly run: Run; readonly ended: Promise<void> }

/**
 * Runs the jobs of a database: one runner per process, any number of processes. It polls the table when a process has
 * committed a job, when a job has ended, when the next one that it knows of is due, when the clock was set, and every
 * ten seconds. The poll alone would suffice: correctness depends on no message.
 */
export class Runner {
  readonly #options: RunnerOptions
  readonly #id: string
  readonly #kinds: ReadonlyMap<string, JobKind<unknown>>
  readonly #standing: ReadonlyMap<string, StandingWork>
  readonly #called: readonly CalledWork[]
  /** Recurring work whose jobs this process has not ensured yet. */
  readonly #unsummoned: Set<StandingWork>
  readonly #jobs: JobQueries
  readonly #suspects = new Suspects()
  readonly #settlement: Settlement
  readonly #settler: CompletionBatcher
  readonly #keeper: LeaseKeeper
  readonly #sweeper: Sweeper
  readonly #slots: number
  readonly #clock: ClockWatch
  readonly #running = new Set<Running>()
  readonly #runs = new Map<string, number>()
  readonly #failures = new Map<string, number>()
  readonly #lastTurns = new LRUCache<string, number>({ max: turnsMax })
  readonly #backlog = new DueBacklog()
  readonly #turnAlarm = new Alarm()
  readonly #sweepAlarm = new Alarm()
  readonly #startedAt: number
  #ended = 0
  #turns = 0
  /** More jobs may be due than the last turn had slots for; so many have become free since. */
  #isFull = false
  #freed = 0
  #freedTimer: NodeJS.Timeout | undefined
  /** Returns whether the node of a workspace does not answer: its jobs could only be put off. */
  #isLost = (_workspaceId: string): boolean => false
  /** The last claim has found all that it asked for: more jobs are due than were read. */
  #isBehind = false
  /** A job may be leased: leases are to be looked at. */
  #isSweepWanted = true
  #isSweepResting = false
  #stopping = false
  #unlisten: (() => void) | undefined
  #endCalls: (() => Promise<void>)[] = []
  #loops: Promise<unknown> = Promise.resolve()

  constructor(options: RunnerOptions) {
    this.#options = options
    this.#id = newId(options.clock.now())
    this.#clock = new ClockWatch(options.clock)
    this.#startedAt = options.clock.monotonicMs()
    const standing = options.recurring.filter((work) => 'kind' in work)
    this.#standing = new Map(standing.map((work) => [work.name, work]))
    this.#called = options.recurring.filter((work) => 'run' in work)
    this.#unsummoned = new Set(standing)
    const kinds: readonly JobKind<unknown>[] = [...options.kinds, ...standing.map(({ kind }) => kind)]
    this.#kinds = new Map(kinds.map((kind) => [kind.name, kind]))
    invariant(this.#kinds.size === kinds.length, 'every kind of job has a name of its own')
    this.#jobs = jobsOf([...this.#kinds.keys()])
    this.#slots = options.slots ?? slotsByDefault
    this.#settler = new CompletionBatcher(options)
    this.#settlement = new Settlement(options.database)
    this.#keeper = new LeaseKeeper({ ...options, database: options.foreground ?? options.database }, this.#id)
    this.#sweeper = new Sweeper({
      ...options,
      jobs: this.#jobs,
      kindOf: (name) => this.#kindOf(name),
      leaseMsOf: (kind) => this.#kindOf(kind).leaseMs ?? leaseMsByDefault,
      afterFailure: (job, error) => this.#afterFailure(job, error),
      isOwn: (job) => this.#keeper.holds(job),
    })
  }

  /** Runs that this process has begun, and failures that it has found, by kind. */
  get counts(): { readonly runs: ReadonlyMap<string, number>; readonly failures: ReadonlyMap<string, number> } {
    return { runs: this.#runs, failures: this.#failures }
  }

  /** Ensures the recurring jobs, and begins. */
  async start(): Promise<void> {
    await this.#summon().catch((error: unknown) => {
      if (!(error instanceof DatabaseUnavailable)) throw error
      this.#options.logger.warn({ err: error }, 'recurring work waits for the database')
    })
    if (this.#stopping) return
    this.#unlisten = this.#options.database.subscribe('jobs', () => this.#turnAlarm.ring(), 'everywhere')
    this.#endCalls = this.#called.map((work) => listen(this.#options, work))
    this.#loops = handled(Promise.all([this.#repeatTurns(), this.#repeatSweeps()]))
  }

  /** Claims no more jobs, tells running jobs and called work to stop, waits up to `drainMs`, and releases the rest. */
  async stop(drainMs: number, callsMs = 0): Promise<void> {
    this.#stopping = true
    clearTimeout(this.#freedTimer)
    this.#unlisten?.()
    this.#turnAlarm.ring()
    this.#sweepAlarm.ring()
    const callsEnded = this.#endCalls.map((end) => end())
    await this.#loops
    const running = [...this.#running]
    for (const { run } of running) run.stop(callsMs)
    const drained = new AbortController()
    await Promise.race([
      Promise.all([...callsEnded, ...running.map(({ ended }) => ended)]),
      sleep(drainMs, undefined, { signal: drained.signal }).catch(() => undefined),
    ])
    drained.abort()
    // A job that cannot be released now is taken over when its lease expires.
    await Promise.all(
      running.map(({ run }) =>
        run.giveBack().catch((error: unknown) => this.#options.logger.warn({ err: error }, 'a job was not given back')),
      ),
    )
  }

  get #pollMs(): number {
    const { pollMs, database } = this.#options
    return pollMs ?? (database.hearsOthers ? pollMsByDefault : pollMsWhenDeaf)
  }

  get #soonMs(): number {
    return Math.min(soonMs, this.#pollMs)
  }

  async #repeatTurns(): Promise<void> {
    while (!this.#stopping) {
      const restMs = await this.#takeTurn().catch((error: unknown) => this.#waitForDatabase(error))
      if (!this.#stopping && (await this.#rest(restMs)) === 'clock set') this.#wantSweep()
    }
  }

  /** Leases are looked at again and again, as long as there are any. */
  async #repeatSweeps(): Promise<void> {
    while (!this.#stopping) {
      this.#isSweepWanted = false
      const { isAny, isAnyFound } = await this.#sweep().catch((error: unknown) => {
        this.#waitForDatabase(error)
        return { isAny: true, isAnyFound: false }
      })
      this.#isSweepResting = !isAny && !this.#isSweepWanted
      if (this.#isSweepResting && !this.#stopping) await this.#sweepAlarm.wait(Infinity)
      this.#isSweepResting = false
      if (!this.#stopping) await this.#sweepAlarm.wait(Math.min(this.#soonMs, isAnyFound ? notedEveryMs : Infinity))
    }
  }

  #wantSweep(): void {
    this.#isSweepWanted = true
    if (this.#isSweepResting) this.#sweepAlarm.ring()
  }

  /** An error waits for the next round: the database may come back. */
  #waitForDatabase(error: unknown): number {
    this.#options.logger.warn({ err: error }, 'jobs wait for the database')
    return this.#soonMs
  }

  /** Waits until the alarm rings, the time is up, or the clock of day jumps, by which jobs are due. */
  async #rest(restMs: number): Promise<'rung' | 'over' | 'clock set'> {
    const { clock } = this.#options
    const endsMs = clock.monotonicMs() + restMs
    for (let leftMs = restMs; leftMs > 0; leftMs = endsMs - clock.monotonicMs()) {
      if (await this.#turnAlarm.wait(Math.min(leftMs, clockMs))) return 'rung'
      if (this.#clock.wasSet()) return 'clock set'
    }
    return 'over'
  }

  /** A database that is read-only when the server starts may accept writes later. */
  async #summon(): Promise<void> {
    for (const work of this.#unsummoned) {
      await summon(this.#options, work)
      this.#unsummoned.delete(work)
    }
  }

  async #sweep(): Promise<Leased> {
    await this.#summon()
    return this.#sweeper.look()
  }

  /**
   * Fills the free slots, and returns in how many milliseconds the next job or poll is due. The end of a job begins
   * another round.
   */
  async #takeTurn(): Promise<number> {
    this.#freed = 0
    const free = this.#slotsNow() - this.#running.size
    if (free === 0) return Math.min(this.#pollMs, this.#slowStartLeftMs() || Infinity)
    this.#isLost = await lostWorkspaces(this.#options.database.reader)
    const now = this.#options.clock.now()
    if (this.#isBehind) {
      const restMs = await this.#takeFromBacklog(free, now)
      // If it has not found as much again, the next turn knows what to do.
      return this.#isBehind ? restMs : 0
    }
    const pollMs = this.#pollMs
    const found = await this.#options.database.reader.all(this.#jobs.listDue, { until: now + pollMs })
    const soon = found.filter(({ leased_by }) => leased_by === null)
    if (soon.length < found.length) this.#wantSweep()
    const due = soon.filter(({ run_at }) => run_at <= now)
    // If the last of them is not due, all due jobs are among them.
    if (due.length === dueMax) return this.#takeFromBacklog(free, now)
    const taken = await this.#take(this.#share(dueOf(due), free), now)
    const next = Math.min(...soon.map(({ run_at }) => run_at).filter((at) => at > now))
    return Math.min(taken < due.length ? this.#soonMs : pollMs, Math.max(1, next - now))
  }

  #slowStartLeftMs(): number {
    return Math.max(0, this.#startedAt + slowStartMs - this.#options.clock.monotonicMs())
  }

  #slotsNow(): number {
    return this.#slowStartLeftMs() > 0 ? Math.min(this.#slots, firstSlots + this.#ended) : this.#slots
  }

  /** Fills the free slots where more jobs are due than were read. */
  async #takeFromBacklog(free: number, now: number): Promise<number> {
    const { workspaceIds, isFresh } = await this.#backlog.list(this.#options.database.reader, now)
    const shares = this.#share(
      workspaceIds.map((workspaceId) => ({ workspaceId, jobs: free })),
      free,
    )
    this.#isBehind = false
    if (shares.size === 0) return this.#soonMs
    const taken = await this.#take(shares, now)
    this.#isBehind = taken === jobsIn([...shares.values()])
    if (!this.#isBehind) this.#backlog.forget()
    else if (this.#isFull) return this.#soonMs
    // A job that could not be claimed is locked by another runner or by a transaction that enqueues.
    return taken === 0 && isFresh ? this.#soonMs : 0
  }

  #share(all: readonly Due[], free: number): Map<string, number> {
    const due = all.filter(({ workspaceId }) => !this.#isLost(workspaceId))
    const shares = shareSlots(due, {
      free,
      eachMax: Math.ceil(this.#slotsNow() * eachShareMax),
      held: this.#held(),
      lastTurn: (workspaceId) => this.#lastTurns.get(workspaceId) ?? 0,
    })
    const given = jobsIn([...shares.values()])
    this.#isFull = given === free || given < jobsIn(due.map(({ jobs }) => jobs))
    return shares
  }

  #held(): Map<string, number> {
    const held = new Map<string, number>()
    for (const { workspaceId } of this.#running) held.set(workspaceId, (held.get(workspaceId) ?? 0) + 1)
    return held
  }

  /** Claims up to the given number of jobs of each workspace and starts them; returns how many there were. */
  async #take(shares: ReadonlyMap<string, number>, now: number): Promise<number> {
    if (shares.size === 0) return 0
    const takenAt = performance.now()
    const claims = [...shares].map(([workspace_id, jobs]) => ({
      workspace_id,
      jobs,
      now,
      leased_by: this.#id,
      leased_at: now,
    }))
    const jobs = await this.#options.database.write(async (tx) =>
      (await Promise.all(claims.map((claim) => tx.all(this.#jobs.claim, claim)))).flat(),
    )
    for (const workspaceId of shares.keys()) this.#lastTurns.set(workspaceId, ++this.#turns)
    for (const job of jobs) this.#begin(job, now, takenAt)
    if (jobs.length > 0) this.#wantSweep()
    return jobs.length
  }

  #begin(job: ClaimedJob, leasedAt: number, takenAt: number): void {
    const kind = this.#kindOf(job.kind)
    countOne(this.#runs, job.kind)
    const { workspace_id, id, attempt } = job
    const fence = { workspace_id, id, attempt, leased_by: this.#id }
    const run = new Run(
      this.#options,
      { settler: this.#settler, keeper: this.#keeper, suspects: this.#suspects, settlement: this.#settlement },
      {
        job,
        kind,
        fence,
        leaseMs: kind.leaseMs ?? leaseMsByDefault,
        leasedAt,
        takenAt,
        afterDone: this.#afterDone(job),
        afterFailure: (error) => this.#afterFailure(job, error),
      },
    )
    const running: Running = { workspaceId: workspace_id, run, ended: run.finish().then(() => this.#end(running, job)) }
    this.#running.add(running)
  }

  #end(running: Running, job: Job): void {
    this.#running.delete(running)
    if (!isStanding(job)) this.#ended++
    this.#freed++
    if (!this.#isFull || this.#freed >= this.#slotsNow() * freedShare) this.#turnAlarm.ring()
    else this.#freedTimer ??= setTimeout(() => this.#freedLately(), freedMs)
  }

  #freedLately(): void {
    this.#freedTimer = undefined
    if (this.#freed > 0) this.#turnAlarm.ring()
  }

  #kindOf(name: string): JobKind<unknown> {
    const kind = this.#kinds.get(name)
    invariant(kind !== undefined, `no kind of job ${name}`)
    return kind
  }

  #afterDone(job: Job): Next {
    const work = isStanding(job) ? this.#standing.get(job.kind) : undefined
    return work === undefined ? { state: 'done' } : { state: 'again', inMs: work.everyMs }
  }

  #afterFailure(job: Job, error: string): Next {
    countOne(this.#failures, job.kind)
    return afterFailure(job.failures + 1, isStanding(job) ? Infinity : this.#kindOf(job.kind).maxAttempts, error)
  }
}

const jobsIn = (counts: readonly number[]): number => counts.reduce((sum, jobs) => sum + jobs, 0)

const countOne = (counts: Map<string, number>, kind: string): void => void counts.set(kind, (counts.get(kind) ?? 0) + 1)
