import { fieldPath, found, segmentsOf, type RunScope } from './path.ts'
import { readingOf } from './template.ts'
import { TemplateFault, type VariableFilter } from './variable-filters.ts'
import { piecesOf, soleVariable } from './variable.ts'

/** The field of a condition: a path, and the filters behind it if it has any, as in a variable. */
type ConditionField = { readonly path: string; readonly filters: readonly VariableFilter[] }

const asVariable = (field: string): string => `{{${field}}}`

/** Takes the field of a condition apart. Names in its path may have spaces. */
export function conditionField(field: string): ConditionField {
  const variable = field.includes('|') ? soleVariable(asVariable(field)) : undefined
  return variable ?? { path: field, filters: [] }
}

/** The fault of a field that is in braces, or whose filters are none. */
export function fieldFault(field: string): string | undefined {
  if (field.includes('{{')) return `"${field}" is a path: write it without braces.`
  if (!field.includes('|') || soleVariable(asVariable(field)) !== undefined) return undefined
  return piecesOf(asVariable(field)).find((piece) => 'fault' in piece)?.fault
}

/** The names that the path of a field consists of, from the trigger on. */
export const namesOfField = (field: string): readonly string[] =>
  segmentsOf(fieldPath(conditionField(field).path)) ?? []

/** Returns the value of a field; undefined where a filter cannot take what the path leads to. */
export function valueOfField(field: string, scope: RunScope, zone: string): unknown {
  const { filters } = conditionField(field)
  const names = namesOfField(field)
  if (filters.length === 0) return found(scope, names) ?? null
  try {
    return readingOf({ source: field, path: field, names, filters }, { scope, zone }).value
  } catch (error) {
    if (error instanceof TemplateFault) return undefined
    throw error
  }
}
