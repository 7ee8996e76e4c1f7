import { isList, isRecord, isString } from '../../../lib/guards.ts'
import { html } from '../../../lib/html.ts'
import { lookUp, type RunScope } from './path.ts'

const variables = /\{\{\s*([^{}\s]+)\s*\}\}/g

/** A text that is one variable and nothing else. */
const oneVariable = /^\{\{\s*([^{}\s]+)\s*\}\}$/

/** The path of a text that is one variable, whose value keeps its type. */
export const soleVariable = (text: string): string | undefined => oneVariable.exec(text)?.[1]

/** A variable in an input, and the path of the text that holds it. */
export type Variable = { readonly path: string; readonly at: readonly (string | number)[] }

/** Every variable in the texts of a value. */
export function variablesIn(value: unknown, at: readonly (string | number)[] = []): Variable[] {
  if (isString(value)) return [...value.matchAll(variables)].map(([, path = '']) => ({ path, at }))
  if (isList(value)) return value.flatMap((item, index) => variablesIn(item, [...at, index]))
  return isRecord(value) ? Object.entries(value).flatMap(([name, item]) => variablesIn(item, [...at, name])) : []
}

/** What variables fill in is larger than a step may take. */
export class FilledTooMuch extends Error {
  override readonly name = 'FilledTooMuch'
}

/** How many characters variables may still fill in: a few names of large values make a text of any size. */
type Budget = { left: number }

/**
 * Fills in the variables of a value. A text that is one variable becomes its value, whatever type that has; in a longer
 * text, null is empty and what is no text is JSON. Throws `FilledTooMuch` beyond the budget.
 */
export function fill(value: unknown, scope: RunScope, budget: Budget = { left: Infinity }): unknown {
  if (isString(value)) return fillText(value, scope, budget)
  if (isList(value)) return value.map((item) => fill(item, scope, budget))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fill(item, scope, budget)]))
}

/** Fills in the input of a node as its plugin takes it: some members as they are, some as HTML. */
export function fillInput(
  input: Readonly<Record<string, unknown>>,
  scope: RunScope,
  { verbatim = [], markup = [], charactersMax }: Filling,
): Record<string, unknown> {
  const budget = { left: charactersMax }
  const filled = (name: string, item: unknown): unknown => {
    if (verbatim.includes(name)) return item
    return markup.includes(name) && isString(item)
      ? fillText(item, scope, budget, (value) => html`${textOf(value)}`.text)
      : fill(item, scope, budget)
  }
  return Object.fromEntries(Object.entries(input).map(([name, item]) => [name, filled(name, item)]))
}

type Filling = {
  readonly verbatim?: readonly string[] | undefined
  readonly markup?: readonly string[] | undefined
  readonly charactersMax: number
}

function fillText(text: string, scope: RunScope, budget: Budget, written = textOf): unknown {
  const sole = soleVariable(text)
  if (sole !== undefined) {
    const value = lookUp(scope, sole)
    spend(budget, textOf(value))
    return value
  }
  return text.replaceAll(variables, (_, path: string) => spend(budget, written(lookUp(scope, path))))
}

function spend(budget: Budget, text: string): string {
  budget.left -= text.length
  if (budget.left < 0) throw new FilledTooMuch()
  return text
}

const textOf = (value: unknown): string => (value === null ? '' : isString(value) ? value : JSON.stringify(value))
