import { contract, inputSchema, isStream, type Endpoint } from '@kontor/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { Failure, type Fault } from '../errors.ts'
import { parseInput } from './parse.ts'

type Schema = z.core.JSONSchema.JSONSchema

const wrong = [null, [], {}, 5, '', 'no such thing', { bogus: 1 }]

/** Calls that do not fit an endpoint: each member of its input, at any depth and in each form, with other values. */
class WrongCalls {
  readonly #root: Schema
  readonly #walked = new Set<Schema>()

  constructor(endpoint: Endpoint) {
    this.#root = z.toJSONSchema(inputSchema(endpoint), { io: 'input', unrepresentable: 'any' })
  }

  *all(): Generator {
    yield* this.#wrong(this.#root, 0)
  }

  #follow(schema: Schema | boolean | undefined): Schema {
    if (typeof schema !== 'object') return {}
    const name = schema.$ref?.split('/').at(-1)
    const named = name === undefined ? undefined : this.#root.$defs?.[name]
    return typeof named === 'object' ? named : schema
  }

  /** A value that has what a schema requires, as far as its own faults need it. */
  #base(given: Schema, depth: number): unknown {
    const {
      type,
      const: constant,
      enum: options,
      anyOf,
      required = [],
      properties,
      items,
      ...rest
    } = this.#follow(given)
    const [first] = rest.examples ?? options ?? []
    if (constant !== undefined || first !== undefined) return constant ?? first
    if (anyOf?.[0] !== undefined) return this.#base(this.#follow(anyOf[0]), depth)
    if (type === 'object')
      return Object.fromEntries(required.map((name) => [name, this.#base(this.#follow(properties?.[name]), depth + 1)]))
    if (type === 'array')
      return rest.minItems && !Array.isArray(items) ? [this.#base(this.#follow(items), depth + 1)] : []
    if (type === 'boolean') return true
    return type === 'integer' || type === 'number' ? 1 : 'some'
  }

  *#wrong(given: Schema, depth: number): Generator {
    const schema = this.#follow(given)
    yield* depth === 0 ? [] : wrong
    if (this.#walked.has(schema)) return
    this.#walked.add(schema)
    for (const branch of schema.anyOf ?? schema.oneOf ?? []) yield* this.#wrong(this.#follow(branch), depth + 1)
    if (schema.items !== undefined && !Array.isArray(schema.items))
      for (const item of this.#wrong(this.#follow(schema.items), depth + 1)) yield [item]
    if (schema.properties === undefined) return
    const base = Object(this.#base(schema, depth))
    yield { ...base, bogus: 1 }
    for (const [name, inner] of Object.entries(schema.properties))
      for (const value of this.#wrong(this.#follow(inner), depth + 1)) yield { ...base, [name]: value }
  }
}

/** Texts of Zod, which address the author of a schema, and texts that do not say what is allowed. */
const unreadable = [
  /^$|^Invalid |^Unrecognized key|^Too (small|big)|expected .* received|undefined|\[object |NaN\b/,
  /\bMust be \.|text like \/|see the documentation/,
  /^(Unknown member|There is no parameter) "[^"]*"\.$/,
  /^Unknown member "data"/,
]

const endpoints = Object.entries(contract).flatMap(([domain, byKey]) =>
  Object.entries(byKey).map(([key, endpoint]): [string, Endpoint] => [`${domain}.${key}`, endpoint]),
)

/** The faults of a call; none if it fits. */
function faultsOf(endpoint: Endpoint, input: unknown): readonly Fault[] {
  try {
    parseInput(endpoint, input)
    return []
  } catch (failure) {
    if (failure instanceof Failure) return failure.faults
    throw failure
  }
}

test('each fault of an input says in our words what is wrong and what is allowed', () => {
  let total = 0
  const silent = new Set<string>()
  for (const [name, endpoint] of endpoints.filter(([, one]) => !isStream(one)))
    for (const input of new WrongCalls(endpoint).all()) {
      const faults = faultsOf(endpoint, input)
      total += faults.length
      for (const { detail = '', source } of faults)
        if (unreadable.some((words) => words.test(detail))) silent.add(`${name}, ${JSON.stringify(source)}: ${detail}`)
    }
  expect([...silent]).toEqual([])
  expect(total).toBeGreaterThan(10_000)
})
