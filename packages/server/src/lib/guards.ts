/** For programmer errors: ends the request with 500, not the process. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Invariant broken: ${message}`)
}

/** A value that is there because of what was done before; throws, as an invariant does, if it is not. */
export function defined<T>(value: T | undefined): T {
  invariant(value !== undefined, 'a value is missing')
  return value
}

/** The value, which is a text because of what was done before. */
export function textOf(value: unknown): string {
  invariant(typeof value === 'string', 'a value is no text')
  return value
}

/** The value, which is a number because of what was done before. */
export function numberOf(value: unknown): number {
  invariant(typeof value === 'number', 'a value is no number')
  return value
}

export const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

export const isString = (value: unknown): value is string => typeof value === 'string'

/** Returns whether a value is an object with members: no list. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A member of a value that may be no object; an error that was thrown, for example. */
export const memberOf = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined)

/** The items of `{items: […]}`; none for any other value. */
export function itemsOf(value: unknown): readonly unknown[] {
  const items = memberOf(value, 'items')
  return isList(items) ? items : []
}

/** Returns whether a table has an entry under a name. */
export const isNameIn = <K extends string>(table: Readonly<Record<K, unknown>>, name: string | undefined): name is K =>
  name !== undefined && Object.hasOwn(table, name)

/** The names of an object's own members, where the type names all of them. */
export const keysOf = <T extends object>(object: T): (keyof T & string)[] => Object.keys(object) as (keyof T & string)[]

/** Returns whether a value is one of some words. */
export const isOneOf = <T>(words: readonly T[], value: unknown): value is T => words.some((word) => word === value)

/** Parses a text as JSON; undefined if it is not JSON. */
export function parsedJson(text: string, read: (text: string) => unknown = JSON.parse): unknown {
  try {
    return read(text)
  } catch {
    return undefined
  }
}
