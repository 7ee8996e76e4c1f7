import { agrees, canonical, said, seenRecords, versionOf } from './answers.ts'
import { findSerialOrder, type Event, type Verdict } from './checker.ts'
import type { Happening, Part } from './operations.ts'
import { differences, type Found } from './found.ts'
import { changing } from './schema-operations.ts'
import { unknownId, type State } from './state.ts'

/** An event of a history, and the operation that it is, or is a part of. */
export type Told = Event<State> & { readonly happening: Happening }

/**
 * What a change answers, without fields that come and go where they are empty: it answers by the schemas of the
 * beginning of
 * its transaction, which may wait for a record while a field is added (docs/decisions/0061).
 */
const asOfBegin = <T>(one: T): T =>
  JSON.parse(
    JSON.stringify(one, (name, value: unknown) =>
      value === null && (changing as readonly string[]).includes(name) ? undefined : value,
    ),
  ) as T

function stepOf({ seen, expected }: Part): Told['step'] {
  const text = canonical(seen)
  return (state) => (canonical(expected(state)) === text ? state : undefined)
}

/** What an operation has done whose answer was lost; it has not created what is not found. */
const unknownStep =
  ({ operation, made }: Happening): Told['step'] =>
  (state) => {
    const { next = state } = operation.expect(state, made)
    const isFound = (id: string) => !id.startsWith(unknownId) || !(next.records.has(id) || next.comments.has(id))
    return made.every(isFound) ? next : undefined
  }

/** The events that an operation is: one, or several where it reads by several statements. */
export function eventsOf(happening: Happening, mayBeTorn = false): Told[] {
  const { operation, answer, made, invoked, responded } = happening
  const isPure = answer !== undefined && (answer.status >= 400 || operation.isRead === true)
  const told = (step: Told['step']): Told => ({ happening, invoked, responded, isPure, step })
  if (answer === undefined)
    return operation.isRead === true ? [] : [{ ...told(unknownStep(happening)), optional: true }]
  const compared = operation.isRead === true ? <T>(one: T): T => one : asOfBegin
  const what = compared(said(answer, operation.see ?? seenRecords))
  if (operation.mayRefuse?.includes(what.codes?.join(',') ?? '') === true) return []
  const version = versionOf(answer)
  const whole = told((state) => {
    const { next, ...expected } = operation.expect(state, made)
    return agrees(compared(expected), what, version) ? (next ?? state) : undefined
  })
  if (operation.parts === undefined || answer.status >= 400) return [whole]
  const stepOfPart = (part: Part) => (mayBeTorn && part.step) || stepOf(part)
  return [whole, ...operation.parts(answer.body).map((part) => told(stepOfPart(part)))]
}

/** Looks for a serial order that explains what clients were told and what is there. */
export function check(
  initial: State,
  happenings: readonly Happening[],
  found: Found,
  stepsMax?: number,
): Verdict<State> {
  const search = (mayBeTorn: boolean) =>
    findSerialOrder({
      initial,
      events: happenings.flatMap((happening) => eventsOf(happening, mayBeTorn)),
      isFinal: (state) => differences(state, found).length === 0,
      fingerprint: (state) => state.fingerprint(),
      ...(stepsMax !== undefined && { stepsMax }),
    })
  const whole = search(false)
  return whole.kind === 'serial' || !happenings.some(mayTear) ? whole : search(true)
}

/** Whether it reads a page. */
const mayTear = ({ operation, answer }: Happening): boolean =>
  answer !== undefined && answer.status < 400 && (operation.parts?.(answer.body) ?? []).some(({ step }) => step)
