import { canonical, said, seenRecords, versionOf } from './answers.ts'
import type { Verdict } from './checker.ts'
import { check, eventsOf, type Evidence } from './history.ts'
import type { Happening, Part } from './operations.ts'
import { differences } from './found.ts'
import type { State } from './state.ts'

type Failure = {
  readonly settings: { readonly seed: number; readonly operations: number }
  readonly burst: number
  readonly state: State
  readonly happenings: readonly Happening[]
  readonly evidence: Evidence
  readonly verdict: Exclude<Verdict<State>, { kind: 'serial' }>
}

/** The way to repeat a run that failed in one of its bursts. */
export const howAgain = ({ seed, operations }: Failure['settings'], burst: number): string =>
  `Again: KONTOR_SEED=${seed} KONTOR_ROUNDS=${operations}; it was burst ${burst}. The times of requests are ` +
  'never the same.'

/** The answer to an operation, in a few words. */
function outcome({ operation, answer }: Happening): string {
  if (answer === undefined) return 'unknown'
  const { status, ...rest } = said(answer, operation.see ?? seenRecords)
  const version = versionOf(answer)
  const why = status < 400 ? '' : ` ${answer.body?.errors?.[0]?.detail}`
  return (
    `${status}${why}${version === undefined ? '' : ` at ${version}`} ` +
    canonical({
      ...rest,
      status,
      ...(status < 400 && operation.parts && { parts: operation.parts(answer.body).map(({ seen }) => seen) }),
    })
  )
}

const time = (ms: number, from: number): string => (ms === Infinity ? '     ?' : (ms - from).toFixed(1).padStart(6))

/** Where an answer in parts is another than that of a state. */
const apart = (parts: readonly Part[], state: State): string =>
  parts
    .map(({ seen, expected }) => [canonical(expected(state)), canonical(seen)] as const)
    .filter(([wanted, is]) => wanted !== is)
    .map(([wanted, is]) => `${wanted} where it answered ${is}`)
    .join(', ')

/** A history that no serial order explains, as small as it can be made, and how to see it again. */
export function describeFailure({ settings, burst, state, happenings, evidence, verdict }: Failure): string {
  const needed = smallest(state, happenings, evidence)
  const { furthest } = verdict.kind === 'none' ? (check(state, needed, evidence) as typeof verdict) : verdict
  const shown = verdict.kind === 'none' ? needed : happenings
  const events = shown.flatMap((one) => eventsOf(one))
  const order = furthest.order.map((index) => events[index]!.happening)
  const isWhole = (one: Happening) =>
    events.every(({ happening }, index) => happening !== one || furthest.order.includes(index))
  const placeOf = (one: Happening) => (isWhole(one) ? order.lastIndexOf(one) : -1)
  const from = Math.min(...shown.map(({ invoked }) => invoked))
  const lines = shown
    .map((one) => ({ one, place: placeOf(one) }))
    .toSorted((a, b) => a.one.invoked - b.one.invoked)
    .map(
      ({ one, place }) =>
        `${time(one.invoked, from)} ${time(one.responded, from)}  ${one.client}  ` +
        `${place < 0 ? ' -' : String(place + 1).padStart(2)}  ${one.operation.words} -> ${outcome(one)}`,
    )
  const left = shown.filter((one) => !isWhole(one))
  const next = left.map(({ operation, made, answer }) => {
    const { next: _next, ...expected } = operation.expect(furthest.state, made)
    const parts =
      operation.parts && answer && answer.status < 400 ? apart(operation.parts(answer.body), furthest.state) : ''
    return `  ${operation.words}: the model answers ${canonical(expected)} ${parts}`
  })
  // Records that the history or the difference speaks of.
  const spokenOf = [...lines, ...differences(furthest.state, evidence)].join(' ')
  return [
    verdict.kind === 'none'
      ? 'No serial order explains this history.'
      : `The search was given up after ${verdict.steps} steps.`,
    howAgain(settings, burst),
    'sent, answered (ms), client@node, place in the longest order that fits, operation -> answer',
    ...lines,
    'At the start:',
    ...[...state.records.keys()]
      .filter((id) => spokenOf.includes(id.slice(-6)))
      .map(
        (id) =>
          `  ${id.slice(-6)} ${state.links.states.get(id)} ` +
          canonical({ ...state.attributes(id), version: state.entry(id).version }),
      ),
    ...state.links.links().map((link) => `  ${link.join(' ')}`),
    'What fits nowhere after the longest order:',
    ...next,
    'What the model has after it, and what is there:',
    ...differences(furthest.state, evidence).map((line) => `  ${line}`),
  ].join('\n')
}

/** Steps to decide whether a history without one of its operations is still not serial. */
const stepsOfOneMax = 40_000

/**
 * The history without what is not needed to see that no order explains it. Operations may be left out that have changed
 * nothing, since the others must have an order all the same.
 */
function smallest(state: State, happenings: readonly Happening[], evidence: Evidence): readonly Happening[] {
  let needed = happenings
  for (const one of happenings) {
    if (changes(one)) continue
    const fewer = needed.filter((other) => other !== one)
    if (check(state, fewer, evidence, stepsOfOneMax).kind === 'none') needed = fewer
  }
  return needed
}

const changes = ({ operation, answer }: Happening): boolean =>
  answer === undefined || (answer.status < 400 && operation.isRead !== true)
