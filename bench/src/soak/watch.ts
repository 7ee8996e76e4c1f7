import { residentOf } from '../usage.ts'
import { lookAgain } from '../wait.ts'

const mib = 2 ** 20
const lookMs = 10_000

/** The memory of a server and its readers at a moment, in MiB, and the 99th percentile of its event loop's delay. */
export type Look = {
  readonly atMs: number
  /** Without mapped files, which grow with the database. */
  readonly residentMib: number
  readonly heapMib: number
  readonly delayMs: number
}

/** Looks at a server again and again, until it is stopped. */
export function watch({ port, pid }: { readonly port: number; readonly pid: number }) {
  const looks: Look[] = []
  const look = async (): Promise<void> => {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`)
    const text = await response.text()
    const valueOf = (name: string): number => Number(new RegExp(`^${name}(?:{[^}]*})? (\\S+)`, 'm').exec(text)?.[1])
    looks.push({
      atMs: performance.now(),
      residentMib: (residentOf(pid)?.own ?? 0) / mib,
      heapMib: valueOf('nodejs_heap_size_used_bytes') / mib,
      // The first response of a server has none.
      delayMs: (valueOf('nodejs_eventloop_lag_p99_seconds') || 0) * 1000,
    })
  }
  const stop = lookAgain(lookMs, () => look().catch((error: unknown) => console.error(String(error))))
  return { looks, stop }
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Growth of a value in an hour, by least squares. */
export function slopePerHour(looks: readonly Look[], valueOf: (look: Look) => number): number {
  const times = looks.map(({ atMs }) => atMs / 3_600_000)
  const [middle, level] = [mean(times), mean(looks.map(valueOf))]
  const along = looks.reduce(
    (sum, look, index) => sum + ((times[index] as number) - middle) * (valueOf(look) - level),
    0,
  )
  return along / times.reduce((sum, time) => sum + (time - middle) ** 2, 0)
}
