import { z } from 'zod'
import type { Endpoint } from '@kontor/contract'
import { memberOf } from '../../lib/guards.ts'
import { faultText } from './fault-text.ts'

type Issue = z.core.$ZodIssue

/** The beginning of the text about a value that is missing. */
export const missing = 'Is missing'

const knowsNoData = (issue: Issue): boolean => issue.code === 'unrecognized_keys' && issue.keys.includes('data')

/** Returns whether a branch takes a body in `data`, and there is none, or takes none, and there is: the other fits. */
export const isOfOtherForm = (issues: readonly Issue[]): boolean =>
  issues.some((issue) =>
    issue.path.length === 0
      ? knowsNoData(issue)
      : issue.path.length === 1 && issue.path[0] === 'data' && issue.message.startsWith(missing),
  )

/**
 * Returns the issues of a body that has `data`, by the form that has it too. Zod reports the bare form, of which it
 * knows only that `data` is no member, and none of the faults inside.
 */
export function inWrapper({ body }: Endpoint, issue: Issue, input: unknown): Issue[] {
  const isOfBody = issue.path.length === 1 && issue.path[0] === 'body'
  if (!isOfBody || !knowsNoData(issue) || !(body instanceof z.ZodUnion)) return [issue]
  const wrapped = body.options.find((option) => option instanceof z.ZodObject && 'data' in option.shape)
  if (!(wrapped instanceof z.ZodObject)) return [issue]
  const { error } = wrapped.safeParse(memberOf(input, 'body'), { error: faultText })
  return error === undefined ? [issue] : error.issues.map((one) => ({ ...one, path: ['body', ...one.path] }))
}
