import { RE2JS } from 're2js'
import { memberOf } from '../../lib/guards.ts'

/**
 * Most steps of checking a text: instructions of the compiled pattern times characters. RE2 needs no more than that for
 * any text, while JavaScript regular expressions may need exponentially many. Some 50 ms.
 */
const stepsMax = 5_000_000

export type CompiledPattern = { readonly test: (text: string) => boolean }

/** Compiles the `pattern` of texts of up to `lengthMax` characters, or returns its fault. */
export function compilePattern(source: string, lengthMax: number): CompiledPattern | { readonly fault: string } {
  try {
    const pattern = RE2JS.compile(RE2JS.translateRegExp(source))
    if (pattern.programSize() * lengthMax <= stepsMax) return { test: (text) => pattern.test(text) }
    return {
      fault: `Is too complex for texts of up to ${lengthMax} characters: shorten it, or set a smaller maxLength.`,
    }
  } catch (error) {
    return {
      fault:
        'Must be a regular expression in the syntax of RE2, without lookaround and back references: ' +
        `${String(memberOf(error, 'message'))}.`,
    }
  }
}
