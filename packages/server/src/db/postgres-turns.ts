import type { FairTurns } from '../lib/fair-turns.ts'
import { isHeapNearlyFull } from '../lib/heap.ts'
import { databaseTurns } from './database-turns.ts'

/** Connections that small reads share. */
export const sharedMax = 2

/** Connections that offloaded reads leave to others: those that small reads share, and two for writes. */
const lightMin = sharedMax + 2

/** Reads of all records of an object: each keeps a processor of the database busy that others wait for. */
const scanShare = 0.1

/** Of two turns one workspace takes one, so that another finds the other free. */
const scansMin = 2

/**
 * Offloaded reads that may queue, of one workspace a quarter. Each holds a request; after so many it would be seconds.
 */
const heavyWaitingMax = 1000

export type ReadTurns = Readonly<Record<'heavy' | 'scan', Pick<FairTurns, 'run'>>>

type Limits = { readonly connectionsMax: number; readonly statementTimeoutMs: number }

/** Creates the turns of heavy reads on one server of Postgres; a scan is a heavy read too. */
export function readTurns({ connectionsMax, statementTimeoutMs }: Limits): {
  readonly turns: ReadTurns
  readonly waiting: () => number
} {
  const turns = (atOnceMax: number): FairTurns =>
    databaseTurns({
      atOnceMax: Math.max(1, atOnceMax),
      waitingMax: heavyWaitingMax,
      waitMsMax: statementTimeoutMs,
      mayJoin: () => !isHeapNearlyFull(),
    })
  const heavy = turns(connectionsMax - lightMin)
  const scans = turns(Math.max(scansMin, Math.floor(connectionsMax * scanShare)))
  return {
    turns: { heavy, scan: { run: (party, work) => scans.run(party, () => heavy.run(party, work)) } },
    waiting: () => heavy.waiting + scans.waiting,
  }
}
