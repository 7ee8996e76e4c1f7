import { isDeepStrictEqual } from 'node:util'
import { nameOf, schemaIn, type Schema } from '../openapi.ts'
import type { Api } from './api.ts'

/** A difference between two versions of the API. */
export type Change = {
  readonly kind: 'breaking' | 'addition'
  /** The operation, event or named schema that it is in, and the way to it from there. */
  readonly where: string
  readonly what: string
}

/**
 * Returns whether callers send a value or get it: what they may send must not shrink, what they get not grow in kind.
 */
export type Direction = 'sent' | 'answered'

/** Two versions of an API, from the view of one direction. */
export type Versions = { readonly before: Api; readonly after: Api; readonly direction: Direction }

type Pair = { readonly before: Schema; readonly after: Schema; readonly where: string }

export const breaking = (where: string, what: string): Change => ({ kind: 'breaking', where, what })
export const addition = (where: string, what: string): Change => ({ kind: 'addition', where, what })

/**
 * The differences of two schemas. Named ones are compared by their names, elsewhere; `above` are pairs of different
 * names that are being compared, which schemas within themselves come back to.
 */
export function schemaChanges(
  versions: Versions,
  { before, after, where }: Pair,
  above: readonly string[] = [],
): Change[] {
  if (isDeepStrictEqual(before, after)) return []
  const names = `${nameOf(before)} ${nameOf(after)}`
  if (names !== ' ' && above.includes(names)) return []
  const pair = {
    before: schemaIn(versions.before.components, before),
    after: schemaIn(versions.after.components, after),
    where,
  }
  const within = [...above, names]
  if (alternativesOf(pair.before) !== undefined || alternativesOf(pair.after) !== undefined)
    return alternativeChanges(versions, pair, within)
  return [
    ...typeChanges(versions, pair),
    ...valueChanges(versions, pair),
    ...(versions.direction === 'sent' ? boundChanges(pair) : []),
    ...memberChanges(versions, pair, within),
  ]
}

const alternativesOf = ({ anyOf, oneOf }: Schema): readonly Schema[] | undefined => anyOf ?? oneOf

/** The alternatives of a schema; several types at once are as many alternatives. */
function eachOf(schema: Schema): readonly Schema[] {
  const types: readonly string[] = [schema.type ?? []].flat()
  return alternativesOf(schema) ?? (types.length > 1 ? types.map((type) => ({ ...schema, type })) : [schema])
}

/** Each alternative that callers send is still taken by one; each that they get is one that they have got before. */
function alternativeChanges(versions: Versions, { before, after, where }: Pair, above: readonly string[]): Change[] {
  const [old, now] = [eachOf(before), eachOf(after)]
  const fits = (a: Schema, b: Schema): boolean =>
    schemaChanges(versions, { before: a, after: b, where }, above).every(({ kind }) => kind === 'addition')
  const isTaken = (one: Schema): boolean => now.some((other) => fits(one, other))
  const isKnown = (one: Schema): boolean => old.some((other) => fits(other, one))
  const [lost, gained] = [old.filter((one) => !isTaken(one)), now.filter((one) => !isKnown(one))]
  return versions.direction === 'sent'
    ? [
        ...lost.map((one) => breaking(where, `takes no ${kindOf(one)} any more, or less of it`)),
        ...gained.map((one) => addition(where, `takes ${kindOf(one)}`)),
      ]
    : gained.map((one) => breaking(where, `may be ${kindOf(one)}, which it was not`))
}

const kindOf = (schema: Schema): string => (nameOf(schema) === '' ? typesOf(schema).join(' or ') : nameOf(schema))

const anything = 'any value'
const typesOf = ({ type }: Schema): readonly string[] => (type === undefined ? [anything] : [type].flat())

const isAmong = (type: string, types: readonly string[]): boolean =>
  types.includes(type) || types.includes(anything) || (type === 'integer' && types.includes('number'))

function typeChanges({ direction }: Versions, { before, after, where }: Pair): Change[] {
  const [old, now] = [typesOf(before), typesOf(after)]
  const lost = old.filter((type) => !isAmong(type, now))
  const gained = now.filter((type) => !isAmong(type, old))
  return direction === 'sent'
    ? [
        ...lost.map((type) => breaking(where, `takes no ${type} any more`)),
        ...gained.map((type) => addition(where, `takes ${type}`)),
      ]
    : gained.map((type) => breaking(where, `may be ${type}, which it was not`))
}

const told = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join(', ')

/** Words that are answered may become more: the guide on versions says so. */
function valueChanges({ direction }: Versions, { before, after, where }: Pair): Change[] {
  const [old, now] = [before.enum, after.enum]
  const gained = (now ?? []).filter((value) => !(old ?? []).includes(value))
  const lost = (old ?? []).filter((value) => !(now ?? []).includes(value))
  if (direction === 'answered')
    return old !== undefined && gained.length > 0 ? [addition(where, `may be ${told(gained)}`)] : []
  if (now === undefined) return []
  if (old === undefined) return [breaking(where, `takes only ${told(now)}`)]
  return [
    ...(lost.length > 0 ? [breaking(where, `takes no ${told(lost)} any more`)] : []),
    ...(gained.length > 0 ? [addition(where, `takes ${told(gained)}`)] : []),
  ]
}

const least = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems'] as const
const most = ['maximum', 'maxLength', 'maxItems'] as const

function boundChanges({ before, after, where }: Pair): Change[] {
  const raised = least.filter((name) => (after[name] ?? -Infinity) > (before[name] ?? -Infinity))
  const lowered = most.filter((name) => (after[name] ?? Infinity) < (before[name] ?? Infinity))
  const stricter = [...raised, ...lowered].map((name) => `has the stricter \`${name}\` ${JSON.stringify(after[name])}`)
  return [
    ...stricter,
    ...(after.format !== undefined && after.format !== before.format ? [`is to be a ${after.format}`] : []),
    ...(takesAllOf(before.pattern, after.pattern) ? [] : ['has another `pattern`']),
  ].map((what) => breaking(where, what))
}

/** Of two patterns no more is known than whether one lists all alternatives of the other. */
function takesAllOf(before: string | undefined, after: string | undefined): boolean {
  if (after === undefined || after === before) return true
  const [old = [], now = []] = [before, after].map((pattern) => pattern?.split(/[|()]/))
  return before !== undefined && old.every((part) => now.includes(part))
}

function memberChanges(versions: Versions, { before, after, where }: Pair, above: readonly string[]): Change[] {
  const [old, now] = [before.properties ?? {}, after.properties ?? {}]
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])]
  const inner = (at: string, a: unknown, b: unknown): Change[] =>
    isSchema(a) && isSchema(b) ? schemaChanges(versions, { before: a, after: b, where: at }, above) : []
  return [
    ...names.flatMap((name) => [
      ...presenceChanges(versions.direction, { before, after, where }, name),
      ...inner(`${where}.${name}`, old[name], now[name]),
    ]),
    ...inner(`${where}[]`, before.items, after.items),
    ...inner(`${where}.*`, before.additionalProperties, after.additionalProperties),
    ...(versions.direction === 'sent' && after.additionalProperties === false && before.additionalProperties !== false
      ? [breaking(where, 'takes no other members any more')]
      : []),
  ]
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null

function presenceChanges(direction: Direction, { before, after, where }: Pair, name: string): Change[] {
  const [was, is] = [before, after].map(({ properties = {} }) => Object.hasOwn(properties, name))
  const [wasRequired, isRequired] = [before, after].map(({ required = [] }) => required.includes(name))
  if (is !== true) return [breaking(where, `has no \`${name}\` any more`)]
  if (direction === 'sent' && isRequired === true && wasRequired !== true) return [breaking(where, `needs \`${name}\``)]
  if (was !== true) return [addition(where, `has \`${name}\``)]
  return direction === 'answered' && wasRequired === true && isRequired !== true
    ? [breaking(where, `may come without \`${name}\``)]
    : []
}
