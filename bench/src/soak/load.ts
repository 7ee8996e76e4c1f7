import { setTimeout as sleep } from 'node:timers/promises'
import { kinds, patternOf, type Kind, type Workspace } from './mix.ts'

/** The requests of a time: latencies by kind, in milliseconds, and failures. */
export class Requests {
  readonly latencies = Object.fromEntries(kinds.map((kind) => [kind, [] as number[]])) as Record<Kind, number[]>
  failures = 0
  firstFailure: string | undefined

  get all(): number[] {
    return Object.values(this.latencies).flat()
  }
}

/** The value that a share of some values does not exceed. */
export const at = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? 0

const pattern = patternOf()
let turn = 0

async function sendNext(workspace: Workspace, requests: Requests, plannedAt: number): Promise<void> {
  const kind = pattern[turn++ % pattern.length] as Kind
  try {
    await workspace.send(kind)
  } catch (error) {
    requests.failures++
    requests.firstFailure ??= `${kind}: ${String(error)}`
  }
  requests.latencies[kind].push(performance.now() - plannedAt)
}

/** Sends one request after another over some connections for a time. */
export async function saturate(workspace: Workspace, connections: number, ms: number): Promise<Requests> {
  const requests = new Requests()
  const until = performance.now() + ms
  const one = async (): Promise<void> => {
    while (performance.now() < until) await sendNext(workspace, requests, performance.now())
  }
  await Promise.all(Array.from({ length: connections }, one))
  return requests
}

/**
 * Sends requests at a constant rate for a time, whether earlier ones have been answered or not. A latency begins at the
 * time that its request was planned for.
 */
export async function sendAtRate(workspace: Workspace, perSecond: number, ms: number): Promise<Requests> {
  const requests = new Requests()
  const beganAt = performance.now()
  const running = new Set<Promise<void>>()
  const count = Math.floor((ms * perSecond) / 1000)
  for (let number = 0; number < count; number++) {
    const plannedAt = beganAt + (number * 1000) / perSecond
    const earlyMs = plannedAt - performance.now()
    if (earlyMs > 0) await sleep(earlyMs)
    const sent = sendNext(workspace, requests, plannedAt)
    running.add(sent)
    void sent.then(() => running.delete(sent))
  }
  await Promise.all(running)
  return requests
}
