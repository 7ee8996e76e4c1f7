const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Returns a checked value with its members in the order in which they were sent; checking puts them into the order of
 * the schema. Members that were not sent come last.
 */
export function inGivenOrder<T>(checked: T, given: unknown): T {
  if (Array.isArray(checked) && Array.isArray(given))
    return checked.map((item: unknown, index) => inGivenOrder(item, (given as unknown[])[index])) as T
  if (!isObject(checked) || !isObject(given)) return checked
  const names = [...new Set([...Object.keys(given), ...Object.keys(checked)])].filter((name) =>
    Object.hasOwn(checked, name),
  )
  return Object.fromEntries(names.map((name) => [name, inGivenOrder(checked[name], given[name])])) as T
}
