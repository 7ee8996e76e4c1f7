import { suggestion } from '@kontor/contract'
import type { z } from 'zod'
import { Failure } from '../kernel/errors.ts'
import { faultText } from '../kernel/parse/fault-text.ts'
import { pointer } from '../lib/pointers.ts'

/** Parses the arguments of a tool; every fault is reported, with its place. */
export function readInput<Input extends z.ZodObject>(
  input: Input,
  given: Readonly<Record<string, unknown>>,
): z.output<Input> {
  const parsed = input.safeParse(given, { error: faultText })
  if (parsed.success) return parsed.data
  const names = Object.keys(input.shape)
  throw new Failure(
    parsed.error.issues.flatMap((issue) => {
      if (issue.code !== 'unrecognized_keys')
        return [{ code: 'invalid_parameter' as const, detail: issue.message, source: { pointer: pointer(issue.path) } }]
      return issue.keys.map((key) => ({
        code: 'invalid_parameter' as const,
        detail: `There is no argument "${key}".${issue.path.length === 0 ? suggestion(key, names) : ''}`,
        source: { pointer: pointer([...issue.path, key]) },
      }))
    }),
  )
}
