import { writeFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

// Loaded into a server before it starts: measures how late its own computing makes what arrives at its event loop, by
// the processor time of that one thread. What other processes take of the machine is not counted.

/** The waits of requests, had one arrived in each millisecond: the number of each, by milliseconds. */
export type Lateness = { readonly computing: readonly number[]; readonly passing: readonly number[] }

const everyMs = 5
const longestMs = 10_000

const path = process.env['LOOP_WATCH_FILE']

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Counts all that might have arrived while the loop was busy for so long. */
function count(waits: number[], busyMs: number): void {
  const whole = Math.min(longestMs, Math.round(busyMs))
  for (let wait = 0; wait <= whole; wait++) waits[wait] = (waits[wait] ?? 0) + 1
}

// Processes that the server starts have its settings, and load this too.
if (isMainThread && path !== undefined && process.argv[1]?.endsWith('/main.ts') === true) {
  const computing: number[] = []
  const passing: number[] = []
  let before = { cpu: cpuMs(), now: performance.now() }
  let writtenMs = 0
  setInterval(() => {
    const now = { cpu: cpuMs(), now: performance.now() }
    const passedMs = now.now - before.now
    const computedMs = Math.min(passedMs, now.cpu - before.cpu)
    before = now
    count(passing, Math.max(0, passedMs - everyMs))
    count(computing, computedMs)
    // Idle time counts as no wait.
    computing[0] = (computing[0] ?? 0) + Math.round(passedMs - computedMs)
    if (now.now - writtenMs < 1000) return
    writtenMs = now.now
    writeFileSync(path, JSON.stringify({ computing, passing } satisfies Lateness))
  }, everyMs).unref()
}
