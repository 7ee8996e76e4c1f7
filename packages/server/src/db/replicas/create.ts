import { memberOf } from '../../lib/guards.ts'
import { once } from '../../lib/promises.ts'
import type { Executor } from '../executor.ts'
import type { ConnectionOptions } from '../postgres-pool.ts'
import { readTurns } from '../postgres-turns.ts'
import { positionOf, selectPosition } from './position.ts'
import { PrimaryPositions } from './primary-positions.ts'
import { identityOf, Replica } from './replica.ts'
import { Replicas } from './replicas.ts'

export type ReplicaOptions = {
  readonly urls: readonly string[]
  /** Greatest age of what a replica may show. */
  readonly lagMs: number
}

/** Least time that a replica has to accept a connection or to respond, however little it may lag. */
const silentMsMin = 1000

/** Makes the replicas of a database; undefined where it has none. They connect when they are first used. */
export function createReplicas(
  { urls, lagMs }: ReplicaOptions,
  options: Omit<ConnectionOptions, 'url'>,
  primary: Executor,
): Replicas | undefined {
  if (urls.length === 0) return undefined
  const ask = async (text: string) => ({ rows: [await primary.send({ text, values: [], answer: 'row' })] })
  const positions = new PrimaryPositions({
    lagMs,
    now: () => performance.now(),
    ask: async () => positionOf(String(memberOf((await ask(selectPosition)).rows[0], 'lsn'))),
  })
  const identity = once(() => identityOf(ask))
  const silentMaxMs = Math.max(silentMsMin, lagMs)
  const replicas = urls.map(
    (url) =>
      new Replica({
        pool: { ...options, url, listenUrl: undefined, name: 'kontor-read', connectMaxMs: silentMaxMs },
        compiler: primary,
        turns: readTurns(options).turns,
        positions,
        identity,
        silentMaxMs,
      }),
  )
  return new Replicas({ replicas, positions, primary, lagMs })
}
