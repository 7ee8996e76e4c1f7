import type { Fault } from '../errors.ts'
import { parameterName, pointer } from '../../lib/pointers.ts'

/** Deeper values are not CRM data, and recursive code must end at some depth. */
export const depthMax = 64

/** The only member of what stands for a number that cannot be kept: no body may have such a name otherwise. */
const inexactName = '\0number'

/** Returns a marker to read in place of an inexact number, so that a fault can name its place. */
export const markInexact = (numeral: string): string => JSON.stringify({ [inexactName]: numeral.slice(0, shownMax) })

/** Digits of a number that its refusal repeats. */
const shownMax = 100

/**
 * Finds what no schema can accept: texts that Postgres cannot store (NUL, halves of surrogate pairs), numbers that
 * would be changed (docs/decisions/0019), members that would reach an object's prototype, and values nested too deeply.
 * Reports only the first of each call.
 */
export function findUnstorable(input: unknown, at: readonly (string | number)[] = []): Fault | undefined {
  return visit(input, [...at])
}

type Path = (string | number)[]

function visit(value: unknown, path: Path): Fault | undefined {
  if (typeof value === 'string')
    return isStorable(value)
      ? undefined
      : fault(path, 'Text must be Unicode without NUL characters and without halves of surrogate pairs.')
  if (typeof value !== 'object' || value === null) return undefined
  if (path.length > depthMax) return fault(path.slice(0, 4), `Values may be nested ${depthMax} deep.`)
  return Array.isArray(value) ? visitItems(value, path) : visitMembers(Object.entries(value), path)
}

function visitItems(items: readonly unknown[], path: Path): Fault | undefined {
  for (let index = 0; index < items.length; index++) {
    path.push(index)
    const found = visit(items[index], path)
    if (found !== undefined) return found
    path.pop()
  }
  return undefined
}

function visitMembers(members: readonly [string, unknown][], path: Path): Fault | undefined {
  for (const [key, member] of members) {
    if (key === '__proto__') return fault(path, 'A member may not be named "__proto__".')
    if (key === inexactName)
      return fault(path, `${String(member)} is no number that can be kept exactly; send fewer digits, or a text.`)
    if (!isStorable(key))
      return fault(path, 'Names must be Unicode without NUL characters and without halves of surrogate pairs.')
    path.push(key)
    const found = visit(member, path)
    if (found !== undefined) return found
    path.pop()
  }
  return undefined
}

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

const fault = (path: Path, detail: string): Fault =>
  path[0] === 'body'
    ? { code: 'invalid_body', detail, source: { pointer: pointer(path.slice(1)) } }
    : { code: 'invalid_parameter', detail, source: { parameter: parameterName(path.length === 0 ? ['input'] : path) } }
