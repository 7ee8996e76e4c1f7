import { isList, isRecord } from './guards.ts'

/**
 * Returns a checked value with its members in the order in which they were sent; checking puts them into the order of
 * the schema. Members that were not sent come last.
 */
export const inGivenOrder = <T>(checked: T, given: unknown): T => ordered(checked, given) as T

function ordered(checked: unknown, given: unknown): unknown {
  if (isList(checked) && isList(given)) return checked.map((item, index) => ordered(item, given[index]))
  if (!isRecord(checked) || !isRecord(given)) return checked
  const names = [...new Set([...Object.keys(given), ...Object.keys(checked)])].filter((name) =>
    Object.hasOwn(checked, name),
  )
  return Object.fromEntries(names.map((name) => [name, ordered(checked[name], given[name])]))
}
