import { z } from 'zod'
import type { Schema } from '../openapi.ts'
import { membersOf, type Field } from './fields.ts'
import recorded from '../../plugins.json' with { type: 'json' }

type Members = Readonly<Record<string, unknown>>

/** A trigger, block or exit, as the reference shows it. */
export type Plugin = {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly kinds: readonly string[]
  readonly types: readonly string[]
  /** An input, of what its members give as examples; undefined where one that is required gives none. */
  readonly example: Members | undefined
  readonly input: readonly Field[]
  readonly output: readonly Field[]
}

const isNamed = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A schema with what it refers to in its place; one within itself is told as an object. */
function inPlace(value: unknown, definitions: Members, above: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((one) => inPlace(one, definitions, above))
  if (!isNamed(value)) return value
  const { $ref: reference, $defs: _, ...others } = value
  const entries = Object.entries(others).map(([key, inner]) => [key, inPlace(inner, definitions, above)])
  if (typeof reference !== 'string') return Object.fromEntries(entries)
  const name = reference.slice('#/$defs/'.length)
  const meant = above.includes(name) ? { type: 'object' } : inPlace(definitions[name], definitions, [...above, name])
  return { ...(isNamed(meant) ? meant : {}), ...Object.fromEntries(entries) }
}

function exampleOf({ properties, required }: Members): Members | undefined {
  const members = isNamed(properties) ? Object.entries(properties) : []
  const given = members.flatMap(([name, member]) =>
    isNamed(member) && 'example' in member ? [[name, member['example']] as const] : [],
  )
  const names = new Set<unknown>(given.map(([name]) => name))
  return Array.isArray(required) && !required.every((name) => names.has(name)) ? undefined : Object.fromEntries(given)
}

const fieldsOf = (given: Members): Field[] =>
  membersOf(inPlace(given, isNamed(given['$defs']) ? given['$defs'] : {}) as Schema)

const schema = z.record(z.string(), z.unknown())

const plugin = z
  .strictObject({
    id: z.string(),
    title: z.string(),
    description: z.string(),
    kinds: z.array(z.string()),
    workflow_types: z.array(z.string()),
    input: schema,
    output: schema,
  })
  .transform(({ workflow_types: types, input, output, ...words }): Plugin => ({
    ...words,
    types,
    example: exampleOf(input),
    input: fieldsOf(input),
    output: fieldsOf(output),
  }))

/** All triggers, exits and blocks, as a server answered of them; `tests/guides/plugins` says when that has changed. */
export const plugins: readonly Plugin[] = z.array(plugin).parse(recorded)
