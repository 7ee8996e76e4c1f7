import { z } from 'zod'
import type { Json } from '../harness/http.ts'
import type { JsonSchema } from '../harness/json-schema.ts'

/** A body with one fault, and the JSON Pointer that the answer must give. */
export type BodyFault = { readonly what: string; readonly body: Json; readonly pointer: string }

/** Values of another type than the schema's; empty where it takes any. */
function wrongValues({ type, enum: options, const: constant }: JsonSchema): Json[] {
  const others: Record<string, Json> = {
    string: 5,
    number: 'five',
    integer: 'five',
    array: {},
    object: [],
    boolean: 'true',
  }
  if (type === undefined) return []
  return [others[type], null, ...(options !== undefined || constant !== undefined ? ['no-such-option'] : [])]
}

/** RFC 6901. */
const at = (path: readonly (string | number)[]): string =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** Sets what stands at a path of a copy; undefined takes it out. */
function changed(body: Json, path: readonly (string | number)[], value: Json): Json {
  const [head, ...rest] = path
  if (head === undefined) return value
  const copy = Array.isArray(body) ? [...body] : { ...body }
  const inner = changed(copy[head], rest, value)
  if (inner === undefined) delete copy[head]
  else copy[head] = inner
  return copy
}

/**
 * Everything that the schema of a body says must be refused, derived from a body that is right: another type at each
 * member, each required member taken out, and one more member wherever members are closed.
 */
export function bodyFaults(schema: z.ZodType, right: Json): BodyFault[] {
  const root = z.toJSONSchema(schema, { io: 'input' }) as JsonSchema
  const faults: BodyFault[] = [
    ...(schema.safeParse(undefined).success ? [] : [{ what: 'no body', body: undefined, pointer: '' }]),
    ...[null, [], 'text', 5, true].map((body) => ({
      what: `the body ${JSON.stringify(body)}`,
      body: JSON.stringify(body),
      pointer: '',
    })),
  ]
  const add = (what: string, path: readonly (string | number)[], value: Json) =>
    faults.push({ what: `${what} ${at(path)}`, body: changed(right, path, value), pointer: at(path) })
  const follow = (given: JsonSchema): JsonSchema =>
    given.$ref === undefined ? given : (root.$defs?.[given.$ref.split('/').at(-1) as string] as JsonSchema)
  /** Where a body may come in several shapes, the one that the right body has. */
  const shape =
    (root.anyOf ?? root.oneOf)
      ?.map(follow)
      .find(({ required = [] }) => required.every((name) => right?.[name] !== undefined)) ?? root
  const walk = (given: JsonSchema, value: Json, path: readonly (string | number)[]): void => {
    const member = follow(given)
    if (path.length > 0) for (const wrong of wrongValues(member)) add(`${JSON.stringify(wrong)} at`, path, wrong)
    if (member.additionalProperties === false) add('one more member,', [...path, 'bo/gus~'], 1)
    for (const name of member.required ?? []) {
      // Without its envelope, a wrapped body is a bare one, and has the faults of that.
      if (shape === root || path.length > 0) add('without', [...path, name], undefined)
    }
    for (const [name, inner] of Object.entries(member.properties ?? {}))
      if (value?.[name] !== undefined) walk(inner, value[name], [...path, name])
    if (member.items !== undefined && Array.isArray(value) && value.length > 0) {
      if ((member.minItems ?? 0) > 0) add('nothing in', path, [])
      walk(member.items, value[0], [...path, 0])
    }
  }
  walk(shape, right, [])
  return faults
}
