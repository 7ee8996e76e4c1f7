import { agrees, canonical, said, seenRecords, versionOf } from './answers.ts'
import { findSerialOrder, type Event, type Verdict } from './checker.ts'
import type { Happening, Part, Way } from './operations.ts'
import { heard, sequencesBetween, type Log } from './events.ts'
import { differences, type Found } from './found.ts'
import { unknownId, type State } from './state.ts'

/** An event of a history, and the operation that it is, or is a part of. */
export type HistoryEvent = Event<State> & { readonly happening: Happening }

function stepOf({ seen, expected }: Part): HistoryEvent['step'] {
  const text = canonical(seen)
  return (state) => (canonical(expected(state)) === text ? state : undefined)
}

/** The step of an operation whose answer was lost; it has not created what is not found. */
const unknownStep =
  ({ operation, made }: Happening): HistoryEvent['step'] =>
  (state) => {
    const { next = state } = operation.expect(state, made)
    const isFound = (id: string) => !id.startsWith(unknownId) || !(next.records.has(id) || next.comments.has(id))
    return made.every(isFound) ? next : undefined
  }

/** The events that an operation is: one, or several where it reads by several statements. */
export function eventsOf(happening: Happening, mayBeTorn = false): HistoryEvent[] {
  const { operation, answer, made, invoked, responded } = happening
  const isPure = answer !== undefined && (answer.status >= 400 || operation.isRead === true)
  const told = (step: HistoryEvent['step']): HistoryEvent => ({ happening, invoked, responded, isPure, step })
  if (answer === undefined)
    return operation.isRead === true ? [] : [{ ...told(unknownStep(happening)), optional: true }]
  const what = said(answer, operation.see ?? seenRecords)
  if (operation.mayRefuse?.includes(what.codes?.join(',') ?? '') === true) return []
  const version = versionOf(answer)
  const whole = told((state) => {
    const { next, ...expected } = operation.expect(state, made)
    return agrees(expected, what, version) ? (next ?? state) : undefined
  })
  if (operation.parts === undefined || answer.status >= 400) return [whole]
  const stepOfPart = (part: Part) => (mayBeTorn && part.step) || stepOf(part)
  return [whole, ...operation.parts(answer.body).map((part) => told(stepOfPart(part)))]
}

/** The evidence that a history is serial: its answers, the state in the end, and the log of events. */
export type Evidence = { readonly found: Found; readonly log?: Log }

/** Looks for a serial order that explains what clients were told, what is there, and what the log says. */
export function check(
  initial: State,
  happenings: readonly Happening[],
  { found, log }: Evidence,
  stepsMax?: number,
): Verdict<State> {
  const once = (mayBeTorn: boolean) =>
    findSerialOrder({
      initial,
      events: happenings
        .flatMap((happening) => eventsOf(happening, mayBeTorn))
        .map((event) => (log === undefined ? event : withLog(log, event))),
      isFinal: (state) => differences(state, { found, log }).length === 0,
      fingerprint: (state) => state.fingerprint(),
      ...(stepsMax !== undefined && { stepsMax }),
    })
  const search = (mayBeTorn: boolean): Verdict<State> => {
    let verdict: Verdict<State> | undefined
    for (const ways of choices(
      happenings.flatMap(({ operation }) => (operation.ways === undefined ? [] : [operation.ways()])),
    )) {
      for (const choose of ways) choose()
      verdict = once(mayBeTorn)
      if (verdict.kind === 'serial') break
    }
    return verdict!
  }
  const whole = search(false)
  return whole.kind === 'serial' || !happenings.some(mayTear) ? whole : search(true)
}

/** Each choice of one way for each operation. */
function* choices([first, ...rest]: readonly (readonly Way[])[]): Generator<readonly Way[]> {
  if (first === undefined) yield []
  else for (const others of choices(rest)) for (const way of first) yield [way, ...others]
}

/** An operation fits only where the next events of its records tell of it. */
const withLog = (log: Log, { step, ...event }: HistoryEvent): HistoryEvent => ({
  ...event,
  step(state) {
    const next = step(state)
    return next === undefined || next === state ? next : heard(log, state, next)
  },
})

/** Returns whether it reads a page. */
const mayTear = ({ operation, answer }: Happening): boolean =>
  answer !== undefined && answer.status < 400 && (operation.parts?.(answer.body) ?? []).some(({ step }) => step)

/**
 * Operations whose events have other places in the log than their times allow: what was answered before another was
 * sent comes before it there too.
 */
export function misplaced(
  initial: State,
  happenings: readonly Happening[],
  log: Log,
  order: readonly number[],
): string[] {
  const events = happenings.flatMap((happening) => eventsOf(happening)).map((event) => withLog(log, event))
  const places: { readonly happening: Happening; readonly sequences: readonly number[] }[] = []
  let state = initial
  for (const index of order) {
    const { step, isPure, happening } = events[index]!
    if (isPure === true) continue
    const next = step(state)
    if (next === undefined) throw new Error(`${happening.operation.words} does not fit again`)
    places.push({ happening, sequences: sequencesBetween(log, state, next) })
    state = next
  }
  return places.flatMap(({ happening: first, sequences: before }) =>
    places
      .filter(
        ({ happening: { invoked }, sequences }) =>
          first.responded < invoked && Math.max(...before) > Math.min(...sequences),
      )
      .map(({ happening: { operation } }) => `the log has ${operation.words} before ${first.operation.words}`),
  )
}
