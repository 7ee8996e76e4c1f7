import { isList, isRecord } from '../../lib/guards.ts'
import { fieldOf, StepFailure } from '../plugins/index.ts'
import { variablesIn } from '../templates/index.ts'

/**
 * Adds to a fault of an input the variables that had no value: an author sees that `to` must be a text, but not that
 * nobody was found. Returns any other error as it is.
 */
export function namingEmptyVariables(error: unknown, given: unknown, filled: unknown): unknown {
  if (!(error instanceof StepFailure) || error.code !== 'invalid_input') return error
  const empty = variablesIn(given).filter(
    ({ at, isSole }) => isSole && error.message.includes(`\`${fieldOf(at)}\``) && isEmptyAt(filled, at),
  )
  if (empty.length === 0) return error
  const verb = empty.length === 1 ? 'has' : 'have'
  return new StepFailure(
    error.code,
    `${error.message} ${empty.map(({ source }) => source).join(', ')} ${verb} no value.`,
  )
}

function isEmptyAt(filled: unknown, at: readonly (string | number)[]): boolean {
  let value = filled
  for (const part of at) {
    if (isList(value)) value = value[Number(part)]
    else value = isRecord(value) ? value[part] : undefined
  }
  return value === undefined || value === null
}
