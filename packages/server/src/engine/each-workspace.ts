import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseUnavailable, isAwayInPart } from '../db/errors.ts'
import type { ReadTx, Tx } from '../db/tx.ts'
import type { EarlyContext } from './recurring.ts'
import type { JobOutcome } from './types.ts'

/** Recurring work on the workspaces of an installation. */
type WorkspaceWork<Context> = {
  /** The workspaces that have something to do. */
  readonly due: (tx: ReadTx, now: number) => Promise<string[]>
  /** Does one batch in a workspace; returns whether there may be more. */
  readonly work: (context: Context, workspaceId: string) => Promise<boolean>
}

/** Such work whose batches are one transaction each. */
export type WorkspaceUpkeep = Pick<WorkspaceWork<never>, 'due'> & {
  readonly batch: (tx: Tx, workspaceId: string, now: number) => Promise<boolean>
}

/** Lets requests through between two rounds. */
const pauseMs = 20

/** A run ends after a while, and looks for other workspaces when it begins again. */
const runMs = 2000

/** A round of many workspaces takes longer than a lease. */
const heartbeatMs = 1000

/** The time for which a workspace is left alone after a fault, and at most after many: twice as long each time. */
const restMs = 5000
const restMsMax = 60_000

type Rest = { readonly faults: number; readonly untilMs: number }

/**
 * Works in rounds, each with one batch in every workspace that has something to do, until there is no more. A fault in
 * one workspace stops no other: it is logged, and the workspace rests for a while (docs/decisions/0142).
 */
export function inEachWorkspace<Context extends EarlyContext>({ due, work }: WorkspaceWork<Context>) {
  /** Workspaces with something to do that had a fault at last. */
  const resting = new Map<string, Rest>()

  const restOf = (workspaceId: string): number => (resting.get(workspaceId)?.untilMs ?? 0) - performance.now()

  async function hasMore(context: Context, workspaceId: string): Promise<boolean> {
    try {
      const more = await work(context, workspaceId)
      resting.delete(workspaceId)
      return more
    } catch (error) {
      if ((error instanceof DatabaseUnavailable && !isAwayInPart(error)) || context.signal.aborted) throw error
      context.logger.warn({ err: error, workspaceId }, 'the upkeep of a workspace failed and will be retried')
      const faults = (resting.get(workspaceId)?.faults ?? 0) + 1
      const untilMs = performance.now() + Math.min(restMsMax, restMs * 2 ** (faults - 1))
      resting.set(workspaceId, { faults, untilMs })
      return false
    }
  }

  return async (context: Context): Promise<JobOutcome<Record<string, never>>> => {
    const { database, clock, signal, heartbeat } = context
    const began = performance.now()
    let beatAt = began
    const all = await due(database.reader, clock.now())
    const known = new Set(all)
    for (const workspaceId of resting.keys()) if (!known.has(workspaceId)) resting.delete(workspaceId)
    let left = all.filter((workspaceId) => restOf(workspaceId) <= 0)
    while (left.length > 0 && performance.now() < began + runMs) {
      const more: string[] = []
      for (const workspaceId of left) {
        signal.throwIfAborted()
        if (performance.now() > beatAt + heartbeatMs) {
          await heartbeat()
          beatAt = performance.now()
        }
        if (await hasMore(context, workspaceId)) more.push(workspaceId)
      }
      left = more
      if (left.length > 0) await sleep(pauseMs)
    }
    if (left.length > 0) return { state: 'again', inMs: pauseMs }
    const rests = all.map(restOf).filter((ms) => ms > 0)
    // Nothing lists what waits on a node that does not answer.
    if (database.reader.nodesLost > 0) rests.push(restMs)
    return rests.length === 0 ? { state: 'done' } : { state: 'again', inMs: Math.ceil(Math.min(...rests)) }
  }
}
