import { inputSchema, queryFields, type Endpoint, suggestion } from '@kontor/contract'
import type { z } from 'zod'
import { Failure, faultsMax, type Fault } from '../errors.ts'
import { anyOf, faultText } from './fault-text.ts'
import { parameterName, pointer } from '../../lib/pointers.ts'
import { findUnstorable } from './storable.ts'

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** Checks a whole call against its endpoint; every fault is reported, query and path before the body. */
export function parseInput(endpoint: Endpoint, input: unknown): Record<string, unknown> {
  const unstorable = findUnstorable(input)
  if (unstorable !== undefined) throw new Failure(unstorable)
  return parseStorable(endpoint, input)
}

/** The same for a call of which is known that it can be stored. */
export function parseStorable(endpoint: Endpoint, input: unknown): Record<string, unknown> {
  const parsed = inputSchema(endpoint).safeParse(input, { error: faultText })
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.flatMap((issue) => faultsOf(endpoint, issue, []))
  const inRequestLine = faults.filter((fault) => fault.code !== 'invalid_body')
  throw new Failure(inRequestLine.length > 0 ? inRequestLine : faults)
}

/** What the caller is told of an issue, at a path below the root of the call. */
export function faultsOf(endpoint: Endpoint, issue: Issue, above: Path): Fault[] {
  const path = [...above, ...issue.path]
  if (issue.code === 'invalid_union') return unionFaults(endpoint, issue.errors, path)
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, faultsMax).map((key) => unknownMember(endpoint, [...path, key], issue.message))
  return [path[0] === 'body' ? bodyFault(path, issue.message) : parameterFault(path, issue.message)]
}

/**
 * Reports the faults of only one branch of a union: the one that matched furthest, and of several the one with the
 * fewest faults. If the value has the kind of no branch, it reports what the branches accept.
 */
function unionFaults(endpoint: Endpoint, branches: readonly (readonly Issue[])[], path: Path): Fault[] {
  const depth = (issues: readonly Issue[]) =>
    Math.max(...issues.map((issue) => issue.path.length + (issue.code === 'unrecognized_keys' ? 1 : 0)))
  const kinds = branches.map(kindsOf)
  const [best] = branches
    .filter((_, index) => kinds[index] === undefined)
    .toSorted((a, b) => depth(b) - depth(a) || a.length - b.length)
  if (best !== undefined) return best.flatMap((issue) => faultsOf(endpoint, issue, path))
  const detail = `Must be ${anyOf(kinds.flatMap((names) => names ?? []))}.`
  return [path[0] === 'body' ? bodyFault(path, detail) : parameterFault(path, detail)]
}

/**
 * The kinds that a branch accepts, if the value has another kind; undefined if the kind fits and something else is
 * wrong.
 */
function kindsOf([issue]: readonly Issue[]): string[] | undefined {
  if (issue === undefined || issue.path.length > 0) return undefined
  if (issue.code === 'invalid_type') return [issue.expected]
  if (issue.code === 'invalid_value') return issue.values.map((value) => JSON.stringify(value))
  if (issue.code !== 'invalid_union') return undefined
  const kinds = issue.errors.map(kindsOf)
  return kinds.includes(undefined) ? undefined : kinds.flatMap((names) => names ?? [])
}

/** Zod's own text, which adds nothing to ours. */
const zodsText = /^Unrecognized key/

function unknownMember(endpoint: Endpoint, path: Path, message: string): Fault {
  const name = String(path.at(-1))
  if (path[0] === 'body')
    return bodyFault(path, `Unknown member "${name}".${zodsText.test(message) ? '' : ` ${message}`}`)
  return unknownParameter(parameterName(path), parameterNames(endpoint.query))
}

/**
 * The name of every parameter as it is spelled in a URL. All transports use it, so that an error reads the same
 * everywhere.
 */
export const parameterNames = (query: z.ZodObject | undefined): string[] =>
  query === undefined
    ? []
    : queryFields(query).map(({ name, kind }) => (kind === 'free' || kind === 'indexed' ? `${name}[…]` : name))

export const unknownParameter = (name: string, allowed: readonly string[]): Fault => ({
  code: 'unknown_parameter',
  detail: `There is no parameter "${name}".${suggestion(name, allowed)}`,
  source: { parameter: name },
  meta: { allowed },
})

const bodyFault = (path: Path, detail: string): Fault => ({
  code: 'invalid_body',
  detail,
  source: { pointer: pointer(path.slice(1)) },
})

const parameterFault = (path: Path, detail: string): Fault => ({
  code: 'invalid_parameter',
  detail,
  source: { parameter: parameterName(path) },
})
