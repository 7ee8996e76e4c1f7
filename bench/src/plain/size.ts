import type { Fact } from '../facts.ts'
import { treeBytesOf } from '../usage.ts'
import type { PlainStand } from './stand.ts'

const diskTimesMax = 3
const idleMiBMax = 140
const peakMiBMax = 300
const everyMs = 500

const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`

/** Watches the memory of the server and its readers; what it was at most. */
export function watchMemory({ ours }: PlainStand): () => number | undefined {
  let most: number | undefined
  const timer = setInterval(() => {
    const now = treeBytesOf(ours.server.pid)
    if (now !== undefined) most = Math.max(most ?? 0, now)
  }, everyMs)
  // A run that failed shall end.
  timer.unref()
  return () => {
    clearInterval(timer)
    return most
  }
}

const memory = (what: string, bytes: number | undefined, most: number): Fact[] =>
  bytes === undefined ? [] : [{ what: `${what} ≤ ${most} MiB`, value: mib(bytes), isMet: bytes <= most * 2 ** 20 }]

/** Measures the bytes of a person on the disk, and the memory of the server: before the first request, and at most. */
export function sizesOf({ ours, plain, tuned, idleBytes }: PlainStand, peakBytes: number | undefined): Fact[] {
  const times = ours.bytesOfPerson / tuned.bytesOfPerson
  return [
    {
      what: `disk for a person ≤ ${diskTimesMax} times that of plain, tuned`,
      value:
        `${Math.round(ours.bytesOfPerson).toLocaleString('en-US')} bytes, ${times.toFixed(2)} times ` +
        `${Math.round(tuned.bytesOfPerson)}; plain ${Math.round(plain.bytesOfPerson)}`,
      isMet: times <= diskTimesMax,
    },
    ...memory('idle', idleBytes, idleMiBMax),
    ...memory('peak of the whole run', peakBytes, peakMiBMax),
  ]
}
