import { errorDefinitions, type ErrorCode } from '@kontor/contract'
import type { Failure, Fault } from '../kernel/errors.ts'
import { isList, isString } from '../lib/guards.ts'

/** What a model does next, where the advice for programs is of no use to it. */
const steps: Readonly<Partial<Record<ErrorCode, string>>> = {
  not_found: 'Check the name of the object with `describe_schema`, or find the record with `search` or `list`.',
  unknown_field: 'Use one of the fields that are allowed, or see `describe_schema`.',
  invalid_body: 'Correct what is named above; `describe_schema` shows types and options.',
  unique_violation: 'Read the record that has this value and update it, or use `upsert`.',
  insufficient_scope: 'Tell the user which permission is missing. Do not try again.',
  forbidden: 'Tell the user that they may not do this. Do not try again.',
  unknown_parameter: 'See the schema of the tool, or `describe_operation`.',
}

/** Allowed values that are named in a text. */
const allowedShownMax = 40

/** Writes a failure for a model: what is wrong, where, and what to do next. */
export function failureText(failed: Failure): string {
  const { code, faults, retryAfterSeconds } = failed
  const lines = faults.slice(0, 20).map(faultLine)
  const wait = retryAfterSeconds === undefined ? '' : ` Wait ${Math.ceil(retryAfterSeconds)} seconds first.`
  return [
    `${errorDefinitions[code].title}.`,
    ...lines,
    `Next: ${steps[code] ?? errorDefinitions[code].fix}${wait}`,
  ].join('\n')
}

function faultLine({ code, detail, source, meta }: Fault): string {
  const where = source?.pointer ?? source?.parameter ?? source?.header
  const allowed = meta?.['allowed']
  const names = isList(allowed) ? allowed.filter(isString).slice(0, allowedShownMax) : []
  return [
    `- ${where === undefined || where === '' ? '' : `\`${where}\`: `}${detail ?? errorDefinitions[code].fix}`,
    ...(names.length > 0 ? [`  Allowed: ${names.join(', ')}.`] : []),
  ].join('\n')
}
