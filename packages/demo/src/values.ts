/** A value that is there because of what was done before. */
export function defined<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('A value of the sample data is missing')
  return value
}

/** A member of a value that may be no object. */
export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined
