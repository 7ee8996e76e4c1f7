import { TypeOverrides, type CustomTypesConfig } from 'pg'
import type { RowBytes } from './row-bytes.ts'

// Timestamps and counts are whole numbers far below 2^53, so bigint columns and their sums (numeric) arrive as numbers.
export const types = new TypeOverrides()
types.setTypeParser(20, Number)
types.setTypeParser(1700, Number)

/** Returns the parser of a type for one statement, which counts the values as they arrive. They arrive as texts. */
export function countedParser(oid: number, bytes: RowBytes): (value: string) => unknown {
  const parse = types.getTypeParser(oid)
  return (value) => {
    bytes.add(value.length)
    // Declared as a parser of numbers.
    const parsed: unknown = Reflect.apply(parse, undefined, [value])
    return parsed
  }
}

/** The types of values in one statement, whose rows are counted. */
export const countedTypes = (bytes: RowBytes): CustomTypesConfig => ({
  getTypeParser: (oid: number) => countedParser(oid, bytes),
})
