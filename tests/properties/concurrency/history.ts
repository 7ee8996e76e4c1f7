import { agrees, canonical, said, seenRecords, versionOf } from './answers.ts'
import { findSerialOrder, type Event, type Verdict } from './checker.ts'
import type { Happening } from './operations.ts'
import { differences, type Found } from './scenario.ts'
import { changing } from './schema-operations.ts'
import type { State } from './state.ts'

/** An event of a history, and the operation that it is, or is a part of. */
export type Told = Event<State> & { readonly happening: Happening }

/**
 * What a change answers, without fields that come and go where they are empty: it answers by the schemas of the beginning of
 * its transaction, which may wait for a record while a field is added (docs/decisions/0061).
 */
const asOfBegin = <T>(one: T): T =>
  JSON.parse(
    JSON.stringify(one, (name, value: unknown) =>
      value === null && (changing as readonly string[]).includes(name) ? undefined : value,
    ),
  ) as T

/** The events that an operation is: one, or several where it reads by several statements. */
export function eventsOf(happening: Happening): Told[] {
  const { operation, answer, made, invoked, responded } = happening
  const isPure = answer !== undefined && (answer.status >= 400 || operation.isRead === true)
  const told = (step: Told['step']): Told => ({ happening, invoked, responded, isPure, step })
  if (answer === undefined) return [{ ...told((state) => operation.expect(state, made).next ?? state), optional: true }]
  const compared = operation.isRead === true ? <T>(one: T): T => one : asOfBegin
  const what = compared(said(answer, operation.see ?? seenRecords))
  if (operation.mayRefuse?.includes(what.codes?.join(',') ?? '') === true) return []
  const version = versionOf(answer)
  const whole = told((state) => {
    const { next, ...expected } = operation.expect(state, made)
    return agrees(compared(expected), what, version) ? (next ?? state) : undefined
  })
  if (operation.parts === undefined || answer.status >= 400) return [whole]
  const parts = operation.parts(answer.body).map(({ seen, expected }) => ({ seen: canonical(seen), expected }))
  return [
    whole,
    ...parts.map(({ seen, expected }) => told((state) => (canonical(expected(state)) === seen ? state : undefined))),
  ]
}

/** Looks for a serial order that explains what clients were told and what is there. */
export function check(
  initial: State,
  happenings: readonly Happening[],
  found: Found,
  stepsMax?: number,
): Verdict<State> {
  return findSerialOrder({
    initial,
    events: happenings.flatMap(eventsOf),
    isFinal: (state) => differences(state, found).length === 0,
    fingerprint: (state) => state.fingerprint(),
    ...(stepsMax !== undefined && { stepsMax }),
  })
}
