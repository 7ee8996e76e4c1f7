import type { z } from 'zod'
import { suggestionOrAllowed } from '@kontor/contract'
import { anyOf, faultText } from '../../kernel/parse/fault-text.ts'
import { isRecord, isString } from '../../lib/guards.ts'

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** A fault of an input, and its place. */
export type InputFault = {
  readonly path: readonly (string | number)[]
  readonly detail: string
  /** True of a member that the schema does not have. */
  readonly isUnknown?: true
}

/** Finds everything that is wrong with the input of a node, in words for its author. */
export function inputFaultsOf(schema: z.ZodType, given: unknown): InputFault[] {
  const parsed = schema.safeParse(given, { error: faultText })
  return parsed.success ? [] : parsed.error.issues.flatMap((issue) => faultsOf(schema, issue, []))
}

function faultsOf(schema: z.ZodType, issue: Issue, above: Path): InputFault[] {
  const at = [...above, ...issue.path]
  // Of a union that goes by one member, no branch may have its value: its text says which have one.
  if (issue.code === 'invalid_union' && issue.errors.length > 0) return unionFaults(schema, issue.errors, at)
  if (issue.code !== 'unrecognized_keys') return [faultAt(at, sentence(issue.message))]
  const known = at.length === 0 ? membersOf(schema) : []
  return issue.keys.slice(0, unknownMax).map((key) => ({
    ...faultAt([...at, key], `Unknown member "${key}".${suggestionOrAllowed(key, known)}`),
    isUnknown: true,
  }))
}

/** Unknown members that are told: for each, what was meant is looked for. */
const unknownMax = 100

const faultAt = (path: Path, detail: string): InputFault => ({
  path: path.filter((part) => typeof part !== 'symbol'),
  detail,
})

const sentence = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`

/** The faults of the branch that a value fits best, or the kinds of all of them if it has the kind of none. */
function unionFaults(schema: z.ZodType, branches: readonly (readonly Issue[])[], at: Path): InputFault[] {
  const isOtherKind = ([first]: readonly Issue[]) =>
    first !== undefined && first.path.length === 0 && (first.code === 'invalid_type' || first.code === 'invalid_value')
  const [best] = branches.filter((issues) => !isOtherKind(issues)).toSorted((a, b) => a.length - b.length)
  if (best !== undefined) return best.flatMap((issue) => faultsOf(schema, issue, at))
  const kinds = branches.flatMap(([issue]) => {
    if (issue?.code === 'invalid_type') return [issue.expected]
    return issue?.code === 'invalid_value' ? issue.values.map((value) => JSON.stringify(value)) : []
  })
  return [faultAt(at, `Must be ${anyOf(kinds)}.`)]
}

/** The names of the members of an input. */
function membersOf(schema: z.ZodType): string[] {
  return 'shape' in schema && isRecord(schema.shape) ? Object.keys(schema.shape) : []
}

/** Faults that a text names; of more, it says how many. */
const namedMax = 20

/** The text that names each fault with its field. */
export function textOfFaults(faults: readonly { readonly field: string; readonly detail: string }[]): string {
  const named = faults
    .slice(0, namedMax)
    .map(({ field, detail }) => (field === '' ? detail : `\`${field}\`: ${detail}`))
  return [...named, ...(faults.length > namedMax ? [`And ${faults.length - namedMax} more.`] : [])].join(' ')
}

/** A path as authors write it. */
export const fieldOf = (path: readonly (string | number)[]): string =>
  path.map((part) => (isString(part) ? part : String(part))).join('.')
