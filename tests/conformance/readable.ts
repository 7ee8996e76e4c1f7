import { expect } from 'vitest'
import type { Json } from '../harness/http.ts'

/** Texts of Zod, which address the author of a schema, and texts that say nothing. */
const unreadable = [
  /^$/,
  /^Invalid (input|option|string|type|key|element|ISO|email|URL|UUID|number)/i,
  /^Unrecognized key/,
  /^Too (small|big)/,
  /expected .* received/i,
  /\bMust be \./,
  /undefined|\[object|NaN\b/,
  // Fragments, patterns, and refusals that leave the reader to guess what is allowed.
  /^An? \S+\.$/,
  /text like \//,
  /CronPattern|\bmode '/,
  /^Unknown member "[^"]*"\.$/,
]

/** Holds that each error says in our own words what is wrong. */
export function expectReadable(errors: readonly Json[]): void {
  for (const { detail, source } of errors)
    for (const words of unreadable) expect(`${detail ?? ''}`, JSON.stringify(source)).not.toMatch(words)
}
