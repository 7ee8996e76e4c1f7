import { randomFraction } from '../../../kernel/ids.ts'
import { dayMs, hourMs } from '../../../kernel/clock.ts'

const minuteMs = 60_000

/** When attempts are made, from the first one on. */
const attemptsAt = [
  0,
  5000,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
]

/** Spreads what failed together, as a tenth of the time until the next attempt. */
const jitter = 0.1

/** An attempt may come late; the next one does not follow at its heels. */
const gapMinMs = 5000

/** Longest that a receiver may ask to be left alone. */
const retryAfterMaxMs = dayMs

type Failed = {
  /** Attempts so far. */
  readonly tries: number
  readonly beganAt: number
  readonly now: number
  /** As the receiver asked. */
  readonly askedMs: number | undefined
}

/** When the next attempt is made; undefined if there is none. */
export function nextAttemptAt({ tries, beganAt, now, askedMs = 0 }: Failed): number | undefined {
  const at = attemptsAt[tries]
  if (at === undefined) return undefined
  const waitMs = Math.max(gapMinMs, beganAt + at - now, Math.min(askedMs, retryAfterMaxMs))
  return Math.round(now + waitMs * (1 + jitter * randomFraction()))
}

/** Failures in a row from which on a receiver is asked less often. */
const patienceFailures = 5
const pauseMaxMs = 5 * minuteMs

/**
 * Returns the time for which a webhook sends nothing after some failures in a row. An absent receiver would otherwise
 * be called for every event, 15 seconds each, at the cost of those that answer.
 */
export const pauseMs = (failures: number): number =>
  failures < patienceFailures ? 0 : Math.min(pauseMaxMs, 5000 * 2 ** (failures - patienceFailures))

/** A webhook with nothing but failures for this long is disabled. */
export const failingMaxMs = 5 * dayMs

/** The parts of that time, in percent, at which its owner is told. */
const warnings = [90, 70, 50] as const

/** The last of these parts that has passed; 0 before the first. */
export const warningAt = (failingMs: number): number =>
  warnings.find((percent) => failingMs >= (failingMaxMs * percent) / 100) ?? 0
