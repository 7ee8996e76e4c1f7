import { inputSchema, queryFields, suggestion, type Endpoint } from '@kontor/contract'
import type { z } from 'zod'
import { Failure, faultsMax, type Fault } from '../errors.ts'
import { anyOf, faultText } from './fault-text.ts'
import { parameterName, pointer } from '../../lib/pointers.ts'
import { isStorableText, marksMax } from '../../lib/texts.ts'
import { inWrapper, isOfOtherForm, missing } from './two-forms.ts'

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
  const issues = parsed.error.issues.flatMap((issue) => inWrapper(endpoint, issue, input))
  const faults = withoutEchoes(issues).flatMap((issue) => faultsOf(endpoint, issue, []))
  const inRequestLine = faults.filter((fault) => fault.code !== 'invalid_body')
  throw new Failure(inRequestLine.length > 0 ? inRequestLine : faults)
}

/** Returns issues without the bounds of values of another kind: of an array where a text belongs, its length. */
function withoutEchoes(issues: readonly Issue[]): Issue[] {
  const places = new Set(issues.filter(({ code }) => code === 'invalid_type').map(placeOf))
  return issues.filter((issue) => issue.code === 'invalid_type' || !places.has(placeOf(issue)))
}

const placeOf = ({ path }: Issue): string => JSON.stringify(path)

/** Returns the faults that an issue shows to the caller, at a path below the root of the call. */
export function faultsOf(endpoint: Endpoint, issue: Issue, above: Path): Fault[] {
  const path = [...above, ...issue.path]
  const detail = isUnwrapped(issue, path) ? `${issue.message} ${wrapping}` : issue.message
  return issueFaults({ ...issue, message: detail }, above).map(({ path: at, detail: text, isUnknown }) => {
    if (at[0] === 'body') return bodyFault(at, text)
    return isUnknown === true
      ? unknownParameter(parameterName(at), parameterNames(endpoint.query))
      : parameterFault(at, text)
  })
}

const wrapping = 'Send the body as {"data": …}.'

/** Returns whether a body lacks the `data` around it. */
const isUnwrapped = ({ message }: Issue, path: Path): boolean =>
  message.startsWith(missing) && path.length === 2 && path[0] === 'body' && path[1] === 'data'

/** A fault of a value: where it is, and what is wrong. */
type IssueFault = { readonly path: Path; readonly detail: string; readonly isUnknown?: true }

/** Returns the faults that an issue shows to the author of a value, at a path below a root. */
function issueFaults(issue: Issue, above: Path): IssueFault[] {
  const path = [...above, ...issue.path]
  if (issue.code === 'invalid_union' && issue.errors.length > 0) return unionFaults(issue.errors, path)
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, faultsMax).map((key) => unknownMember([...path, key], issue.message))
  return [{ path, detail: issue.message }]
}

/**
 * Reports the faults of only one branch of a union: the one that matched furthest, and of several the one with the
 * fewest faults. If the value has the kind of no branch, it reports what the branches accept.
 */
function unionFaults(all: readonly (readonly Issue[])[], path: Path): IssueFault[] {
  const fitting = all.filter((issues) => !isOfOtherForm(issues))
  const branches = fitting.length > 0 ? fitting : all
  const depth = (issues: readonly Issue[]) =>
    Math.max(...issues.map((issue) => issue.path.length + (issue.code === 'unrecognized_keys' ? 1 : 0)))
  const kinds = branches.map(kindsOf)
  const [best] = branches
    .filter((_, index) => kinds[index] === undefined)
    .toSorted((a, b) => depth(b) - depth(a) || a.length - b.length)
  if (best !== undefined) return withoutEchoes(best).flatMap((issue) => issueFaults(issue, path))
  const isMissing = branches.every(([issue]) => issue?.message.startsWith(missing) === true)
  const accepted = anyOf(kinds.flatMap((names) => names ?? []))
  return [{ path, detail: isMissing ? `${missing}; must be ${accepted}.` : `Must be ${accepted}.` }]
}

/** A text of the contract as a sentence of its own. */
const asSentence = (text: string): string =>
  text.replace(/^[a-z]/, (letter) => letter.toUpperCase()).replace(/([\p{L}\p{N}`")])$/u, '$1.')

/**
 * The kinds that a branch accepts, if the value has another kind; undefined if the kind fits and something else is
 * wrong.
 */
function kindsOf([issue]: readonly Issue[]): string[] | undefined {
  if (issue === undefined || issue.path.length > 0) return undefined
  if (issue.code === 'invalid_type') return [issue.expected]
  if (issue.code === 'invalid_value') return issue.values.map((value) => JSON.stringify(value))
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return undefined
  const kinds = issue.errors.map(kindsOf)
  return kinds.includes(undefined) ? undefined : kinds.flatMap((names) => names ?? [])
}

const unknownMember = (path: Path, message: string): IssueFault => ({
  path,
  detail: `Unknown member "${String(path.at(-1))}".${message === '' ? '' : ` ${message}`}`,
  isUnknown: true,
})

/**
 * The name of every parameter as it is spelled in a URL. All transports use it, so that an error reads the same
 * everywhere.
 */
export const parameterNames = (query: z.ZodObject | undefined): string[] =>
  query === undefined
    ? []
    : queryFields(query).map(({ name, kind }) => (kind === 'free' || kind === 'indexed' ? `${name}[…]` : name))

/** Names that other APIs use for our parameters. */
const otherNames: Readonly<Partial<Record<string, string>>> = {
  limit: 'page[limit]',
  size: 'page[limit]',
  per_page: 'page[limit]',
  page_size: 'page[limit]',
  pageSize: 'page[limit]',
  'page[size]': 'page[limit]',
  offset: 'page[offset]',
  skip: 'page[offset]',
  'page[number]': 'page[offset]',
  page: 'page[offset]',
  cursor: 'page[after]',
  after: 'page[after]',
  sort: 'sortOrder[…]',
  sort_by: 'sortOrder[…]',
  order: 'sortOrder[…]',
  order_by: 'sortOrder[…]',
  orderBy: 'sortOrder[…]',
  q: 'search',
  query: 'search',
}

function nearParameter(name: string, allowed: readonly string[]): string {
  const other = Object.hasOwn(otherNames, name) ? otherNames[name]?.replace('[…]', '') : undefined
  const meant = allowed.find((one) => one === other || one.startsWith(`${other ?? name}[`))
  if (meant !== undefined) return ` Did you mean "${meant}"?`
  if (allowed.length === 0) return ' No parameters are allowed.'
  const near = suggestion(name, allowed)
  return near === '' && allowed.length <= listedMax ? ` Allowed: ${allowed.join(', ')}.` : near
}

/** Parameters that a text lists; `meta` has all of them. */
const listedMax = 20

export const unknownParameter = (name: string, allowed: readonly string[]): Fault => ({
  code: 'unknown_parameter',
  detail: `There is no parameter "${name}".${nearParameter(name, allowed)}`,
  source: { parameter: name },
  meta: { allowed },
})

const bodyFault = (path: Path, detail: string): Fault => ({
  code: 'invalid_body',
  detail: asSentence(detail),
  source: { pointer: pointer(path.slice(1)) },
})

const parameterFault = (path: Path, detail: string): Fault => ({
  code: 'invalid_parameter',
  detail: asSentence(detail),
  source: { parameter: parameterName(path) },
})

/** Deeper values are not CRM data, and recursive code must end at some depth. */
export const depthMax = 64

/** The only member of what stands for a number that cannot be kept: no body may have such a name otherwise. */
const inexactName = '\0number'

/** Returns a marker to read in place of an inexact number, so that a fault can name its place. */
export const markInexact = (numeral: string): string => JSON.stringify({ [inexactName]: numeral.slice(0, shownMax) })

/** Digits of a number that its refusal repeats. */
const shownMax = 100

/**
 * Finds what no schema can accept: texts that Postgres cannot store (NUL, halves of surrogate pairs) or that take long
 * to fold (docs/decisions/0017), numbers that would be changed (docs/decisions/0019), members that would reach an
 * object's prototype, and values nested too deeply. Reports only the first of each call.
 */
export function findUnstorable(input: unknown, at: readonly (string | number)[] = []): Fault | undefined {
  return findIn(input, [...at])
}

type Trail = (string | number)[]

function findIn(value: unknown, path: Trail): Fault | undefined {
  if (typeof value === 'string')
    return isStorableText(value) ? undefined : unstorableFault(path, `Text must be ${storableRule}.`)
  if (typeof value !== 'object' || value === null) return undefined
  if (path.length > depthMax) return unstorableFault(path.slice(0, 4), `Values can be nested at most ${depthMax} deep.`)
  return Array.isArray(value) ? findInItems(value, path) : findInMembers(Object.entries(value), path)
}

function findInItems(items: readonly unknown[], path: Trail): Fault | undefined {
  for (let index = 0; index < items.length; index++) {
    path.push(index)
    const found = findIn(items[index], path)
    if (found !== undefined) return found
    path.pop()
  }
  return undefined
}

function findInMembers(members: readonly [string, unknown][], path: Trail): Fault | undefined {
  for (const [key, member] of members) {
    if (key === '__proto__') return unstorableFault(path, 'A member must not be named "__proto__".')
    if (key === inexactName)
      return unstorableFault(path, `${String(member)} cannot be stored exactly. Send fewer digits, or a string.`)
    if (!isStorableText(key)) return unstorableFault(path, `Names must be ${storableRule}.`)
    path.push(key)
    const found = findIn(member, path)
    if (found !== undefined) return found
    path.pop()
  }
  return undefined
}

const storableRule = `valid Unicode: at most ${marksMax} combining marks in a row, no NUL, no unpaired surrogates`

const unstorableFault = (path: Trail, detail: string): Fault =>
  path[0] === 'body'
    ? { code: 'invalid_body', detail, source: { pointer: pointer(path.slice(1)) } }
    : { code: 'invalid_parameter', detail, source: { parameter: parameterName(path.length === 0 ? ['input'] : path) } }
