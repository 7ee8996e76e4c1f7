import { setTimeout as sleep } from 'node:timers/promises'
import { tell } from '../tell.ts'
import type { Node } from './nodes.ts'
import type { Postgres } from './postgres.ts'

/** The parts of the cluster that a fault can hit. */
export type Parts = {
  readonly servers: readonly Node[]
  readonly workers: readonly Node[]
  readonly primary: Postgres
}

type Choose = <T>(some: readonly T[]) => T

/** Longer than others wait before they take over the jobs of a worker that is silent. */
const pausedMs = 12_000

const kill = async (node: Node): Promise<string> => {
  await node.crash()
  return `killed ${node.name}`
}

/** Faults by how often they are drawn; each returns its description. */
const faults: readonly ((parts: Parts, choose: Choose) => Promise<string>)[] = [
  ({ servers }, choose) => kill(choose(servers)),
  ({ servers }, choose) => kill(choose(servers)),
  ({ workers }, choose) => kill(choose(workers)),
  ({ workers }, choose) => kill(choose(workers)),
  async ({ workers }, choose) => {
    const worker = choose(workers)
    await worker.pause(pausedMs)
    return `paused ${worker.name} for ${pausedMs / 1000} s`
  },
  async ({ primary }) => {
    const backends = "from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()"
    return `ended ${primary.sql(`select count(pg_terminate_backend(pid)) ${backends}`)} connections to Postgres`
  },
  async ({ primary }) => {
    await primary.end('SIGINT')
    await primary.start()
    return 'restarted Postgres'
  },
]

/** Numbers from 0 to 1 that a seed determines (Marsaglia's xorshift). */
function randomFrom(seed: number): () => number {
  let state = (seed * 2_654_435_761) | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

/** Does harm a number of times, at moments and places that a seed determines. */
export async function doHarm(parts: Parts, count: number, seed: number): Promise<void> {
  const random = randomFrom(seed)
  const choose: Choose = (some) => some[Math.floor(random() * some.length)] as (typeof some)[number]
  for (let done = 0; done < count; done++) {
    await sleep(500 + random() * 2000)
    tell(await choose(faults)(parts, choose))
  }
}
