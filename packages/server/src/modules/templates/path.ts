import { parsedJson, isList, isRecord, isString } from '../../lib/guards.ts'
import { z } from 'zod'
import { change, type Change } from '@kontor/contract'

/** The values that variables and filters read: the state of the trigger and of each block that has run. */
export type RunScope = Readonly<Record<string, unknown>>

/** The longest path: two names of 200 characters below the longest that a block leaves. */
export const pathMax = 500

/** The deepest path; JSON in bodies is nested no deeper. */
export const segmentsMax = 70

/** One member of a path: a plain name behind its dot, or any name in brackets and quotes. */
const segment = /(?:\["((?:[^"\\]|\\.)*)"\]|\[(\d{1,9})\]|(\.?)((?:[^.["]|\[(?!"))+))/gsy

/** The names that a path consists of, `a.b` or `a["First Name"].b`; undefined for one that cannot be read. */
export function segmentsOf(path: string): readonly string[] | undefined {
  if (!path.includes('["')) return path.split('.')
  const names: string[] = []
  let at = 0
  for (const [all, quoted, index, dot, plain] of path.matchAll(segment)) {
    const name = quoted === undefined ? (index ?? plain) : parsedJson(`"${quoted}"`)
    const isBare = quoted === undefined && index === undefined
    if (!isString(name) || (isBare && (dot === '') !== (names.length === 0))) return undefined
    names.push(name)
    at += all.length
  }
  return at === path.length ? names : undefined
}

/** The characters of a plain name in a variable. */
const plainName = /^[^{}\s|.["]+$/

/** The path of some names; those that are not plain are in brackets. */
export const pathOf = (names: readonly string[]): string =>
  names.reduce(
    (path, name) =>
      plainName.test(name) ? `${path}${path === '' ? '' : '.'}${name}` : `${path}[${JSON.stringify(name)}]`,
    '',
  )

/**
 * Returns what a path leads to, `trigger.state.event.object._id`, along own members and indexes; null where it ends.
 */
export const lookUp = (scope: RunScope, path: string): unknown => found(scope, segmentsOf(path) ?? []) ?? null

/** Returns what a path leads to; undefined where there is no such member. */
export function found(scope: RunScope, names: readonly string[]): unknown {
  const value = valueAt(scope, names)
  if (value !== undefined) return value
  return valueAt(scope, headerAt(names) === -1 ? withIndexes(names) : withLowerHeader(names))
}

const indexed = /^([^[\]]+)((?:\[\d{1,9}\])+)$/

/** Names in which `items[0]` is two of them. Where a form has a member of that name, it comes first. */
export const withIndexes = (names: readonly string[]): readonly string[] =>
  names.flatMap((name) => {
    const [, list, indexes = ''] = indexed.exec(name) ?? []
    return list === undefined ? [name] : [list, ...indexes.slice(1, -1).split('][')]
  })

/** The place of a header's name; -1 where a path leads to none. They are kept in lower case, and found in any. */
function headerAt(names: readonly string[]): number {
  const [first, state, event, data, headers] = names
  if (state !== 'state') return -1
  if (first === 'trigger' && event === 'event' && data === 'data' && headers === 'headers') return 5
  return event === 'output' && data === 'headers' ? 4 : -1
}

const withLowerHeader = (names: readonly string[]): readonly string[] =>
  names.map((name, index) => (index === headerAt(names) ? name.toLowerCase() : name))

function valueAt(scope: RunScope, names: readonly string[]): unknown {
  if (names.length === 0) return undefined
  let value: unknown = scope
  for (const name of names) {
    if (isList(value)) value = /^\d{1,9}$/.test(name) ? value[Number(name)] : undefined
    else value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
    if (value === undefined) return undefined
  }
  return value
}

/** The path of a filter's field: what begins with `state.` is of the trigger. */
export const fieldPath = (field: string): string => (field.startsWith('state.') ? `trigger.${field}` : field)

const changes = z.array(change)

/** The changes of the record that began a run; none where it began otherwise. */
export function diffIn(scope: RunScope): readonly Change[] {
  const parsed = changes.safeParse(lookUp(scope, 'trigger.state.event.object.diff'))
  return parsed.success ? parsed.data : []
}
