import { isDeepStrictEqual } from 'node:util'
import { isList, isRecord } from '../../lib/guards.ts'
import { StepFailure } from '../plugins/index.ts'
import { variablesIn } from '../templates/index.ts'

/**
 * Adds to a fault of an input the variables that had no value: an author sees that `to` must be a text, but not that
 * nobody was found. Returns any other error as it is.
 */
export function namingEmptyVariables(error: unknown, given: unknown, filled: unknown): unknown {
  if (!(error instanceof StepFailure)) return error
  const isFaulty = (at: readonly (string | number)[]) => error.faulty.some((path) => isDeepStrictEqual(path, at))
  const empty = variablesIn(given).filter(({ at, isSole }) => isSole && isFaulty(at) && isEmptyAt(filled, at))
  if (empty.length === 0) return error
  const verb = empty.length === 1 ? 'has' : 'have'
  const names = empty.map(({ source }) => source).join(', ')
  return new StepFailure(error.code, `${error.message} ${names} ${verb} no value.`, error)
}

function isEmptyAt(filled: unknown, at: readonly (string | number)[]): boolean {
  let value = filled
  for (const part of at) {
    if (isList(value)) value = value[Number(part)]
    else value = isRecord(value) ? value[part] : undefined
  }
  return value === undefined || value === null
}
