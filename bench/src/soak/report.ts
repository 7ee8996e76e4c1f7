import { median } from '../rates.ts'
import { at, type Requests } from './load.ts'
import { kinds } from './mix.ts'
import { slopePerHour, type Look } from './watch.ts'

/** A part of the run: its requests, and what the server used meanwhile. */
export type Part = { readonly requests: Requests; readonly looks: readonly Look[] }

/** The last ten minutes may take so much longer than the first, and the memory of the second half be so much more. */
const p99RatioMax = 1.5
const memoryRatioMax = 1.1

export const whole = (value: number): string => Math.round(value).toLocaleString('en-US')

export const say = (text: string): void => console.log(`${new Date().toISOString().slice(11, 19)} ${text}`)

const most = (values: readonly number[]): number => Math.max(0, ...values)

export function tellPart(name: string, { requests, looks }: Part): void {
  const all = requests.all
  const heaps = looks.map(({ heapMib }) => heapMib)
  const delays = looks.map(({ delayMs }) => delayMs)
  const failed = requests.firstFailure === undefined ? '' : `, the first: ${requests.firstFailure}`
  say(
    `${name}: ${whole(all.length)} requests, ${requests.failures} failed${failed}; ` +
      `p50 ${whole(at(all, 0.5))} ms, p99 ${whole(at(all, 0.99))} ms; ` +
      `memory at most ${whole(most(looks.map(({ residentMib }) => residentMib)))} MiB, ` +
      `heap ${whole(Math.min(...heaps))} to ${whole(most(heaps))} MiB; ` +
      `event loop's delay ${whole(median(delays))} ms, at most ${whole(most(delays))} ms`,
  )
  const each = kinds.map((kind) => {
    const latencies = requests.latencies[kind]
    return `${kind} ${whole(at(latencies, 0.5))}, ${whole(at(latencies, 0.99))}`
  })
  console.log(`  p50, p99 in ms: ${each.join('; ')}`)
}

/** Judges a run by its parts, in the order of time; returns the promises that are broken. */
export function judge(parts: readonly Part[]): string[] {
  const p99s = parts.map(({ requests }) => at(requests.all, 0.99))
  const [first = 0, last = 0] = [p99s[0], p99s.at(-1)]
  say(`p99 of the last part beside the first: ${whole(last)}, ${whole(first)} ms: ${(last / first).toFixed(2)}`)
  const looksOf = (some: readonly Part[]): Look[] => some.flatMap(({ looks }) => looks)
  const middle = Math.ceil(parts.length / 2)
  const [before = 0, after = 0] = [parts.slice(0, middle), parts.slice(middle)].map((some) =>
    most(looksOf(some).map(({ residentMib }) => residentMib)),
  )
  say(`memory at most ${whole(before)} MiB in the first half, ${whole(after)} MiB in the second`)
  const later = looksOf(parts.slice(1))
  const [resident, heap] = [
    slopePerHour(later, ({ residentMib }) => residentMib),
    slopePerHour(later, ({ heapMib }) => heapMib),
  ]
  say(`after the first part memory changes by ${resident.toFixed(1)} MiB an hour, the heap by ${heap.toFixed(1)}`)
  const failures = parts.reduce((sum, { requests }) => sum + requests.failures, 0)
  return [
    ...(last > first * p99RatioMax ? ['p99 has grown'] : []),
    ...(after > before * memoryRatioMax ? ['memory has grown'] : []),
    ...(failures > 0 ? [`${failures} requests have failed`] : []),
  ]
}
