import { z } from 'zod'
import type { CheckedAnswer, UncheckedAnswer } from './schema-check.ts'

/** Models that were not made for it put JSON between lines of three backticks. */
const fenced = /^\s*```(?:json)?\s*\n([\s\S]*)\n\s*```\s*$/

/** Reads what a model answered, in a process of the pool: the schema and its patterns are of a user. */
export function run({ said, schema }: UncheckedAnswer): CheckedAnswer {
  let value: unknown
  try {
    value = JSON.parse(fenced.exec(said)?.[1] ?? said)
  } catch {
    return { fault: `is not JSON: ${said.slice(0, 300)}` }
  }
  const parsed = z.fromJSONSchema(schema).safeParse(value)
  return parsed.success ? { value } : { fault: `does not fit output_schema: ${z.prettifyError(parsed.error)}` }
}
