import { errorDefinitions, type ErrorCode } from '@kontor/contract'
import type { Failure, Fault } from '../kernel/errors.ts'
import { isList } from '../lib/guards.ts'
import { plainText } from '../markdown/index.ts'

/** Next steps for a model, where the advice for programs does not help it. */
const steps: Readonly<Partial<Record<ErrorCode, string>>> = {
  not_found: 'Check the name of the object with `describe_schema`, or find the record with `search` or `list`.',
  unknown_field: 'Use one of the fields that are `allowed`, or see `describe_schema`.',
  invalid_parameter: 'Correct the argument that is named above.',
  invalid_body: 'Correct what is named above; `describe_schema` shows types and options.',
  unique_violation: 'Update the record in `existing_id`, or use `upsert`.',
  cursor_mismatch: 'Send the same arguments as before with the cursor, or begin again without one.',
  insufficient_scope: 'Tell the user which permission is missing. Do not try again.',
  forbidden: 'Tell the user that they may not do this. Do not try again.',
  unknown_parameter: 'See the schema of the tool, or `describe_operation`.',
}

const faultsShownMax = 20
/** Values of one member of a fault that are named in a text. */
const valuesShownMax = 40

/** Writes a failure for a model: what is wrong, where, and what to do next. */
export function failureText(failed: Failure): string {
  const { code, faults, retryAfterSeconds } = failed
  const step = steps[code] ?? errorDefinitions[code].fix.replaceAll(/`meta\.(\w+)`/g, '`$1`')
  const wait = retryAfterSeconds === undefined ? '' : ` Wait ${Math.ceil(retryAfterSeconds)} seconds first.`
  const lines = faults.slice(0, faultsShownMax).flatMap(faultLines)
  return [`${errorDefinitions[code].title}.`, ...lines, `Next: ${step}${wait}`].join('\n')
}

function faultLines({ code, detail, source, meta = {} }: Fault): string[] {
  const where = source?.pointer ?? source?.parameter ?? source?.header ?? ''
  const members = Object.entries(meta).map(([name, value]) => {
    const shown = isList(value) ? value.slice(0, valuesShownMax) : value
    return `  ${name}: ${plainText(shown)}`
  })
  return [`- ${where === '' ? '' : `\`${where}\`: `}${detail ?? errorDefinitions[code].fix}`, ...members]
}
