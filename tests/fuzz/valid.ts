import { inputSchema, type Endpoint } from '@kontor/contract'
import { z } from 'zod'
import type { Json } from '../harness/http.ts'
import type { JsonSchema } from '../harness/json-schema.ts'
import {
  attributesOf,
  conditionOf,
  filterQueryOf,
  instant,
  paragraphs,
  relationshipsOf,
  sentence,
  textByName,
} from './attributes.ts'
import type { Random } from '../harness/random.ts'
import { wholeCall } from './whole-calls.ts'
import type { Words } from './words.ts'

const schemas = new WeakMap<Endpoint, JsonSchema>()

function schemaOf(endpoint: Endpoint): JsonSchema {
  const schema = schemas.get(endpoint) ?? (z.toJSONSchema(inputSchema(endpoint), { io: 'input' }) as JsonSchema)
  schemas.set(endpoint, schema)
  return schema
}

/** The share of optional members that are given. */
const optional = 0.35

/** Makes one call that its endpoint should take. */
class Making {
  readonly #root: JsonSchema
  readonly #endpoint: Endpoint
  readonly #object: string
  readonly #random: Random
  readonly #words: Words

  constructor(endpoint: Endpoint, random: Random, words: Words) {
    this.#root = schemaOf(endpoint)
    this.#endpoint = endpoint
    this.#random = random
    this.#words = words
    this.#object = words.object(random)
  }

  make(): Json {
    return { ...this.#value(this.#root, []), ...wholeCall(this.#endpoint, this.#object, this.#random, this.#words) }
  }

  #value(schema: JsonSchema, path: readonly string[]): Json {
    const random = this.#random
    const name = path.at(-1) ?? ''
    if (schema.$ref !== undefined)
      return this.#value(this.#root.$defs?.[schema.$ref.split('/').at(-1) as string] as JsonSchema, path)
    if ('const' in schema) return schema.const
    if (schema.enum !== undefined) return random.pick(schema.enum)
    const options = schema.anyOf ?? schema.oneOf
    if (options !== undefined) return this.#value(this.#option(options, path), path)
    if (schema.type === 'object') return this.#members(schema, path)
    if (schema.type === 'array') return this.#list(schema, path)
    if (schema.type === 'string') return this.#text(schema, name, path)
    if (schema.type === 'integer' || schema.type === 'number') return this.#number(schema, name)
    if (schema.type === 'boolean') return random.chance(0.5)
    return schema.type === 'null' ? null : sentence(random)
  }

  /** The deeper in, the earlier an option that goes no deeper. */
  #option(options: readonly JsonSchema[], path: readonly string[]): JsonSchema {
    return path.length > 6 ? (options[0] as JsonSchema) : this.#random.pick(options)
  }

  #members({ properties = {}, required = [], additionalProperties }: JsonSchema, path: readonly string[]): Json {
    const open = typeof additionalProperties === 'object' && Object.keys(properties).length === 0
    const known = open ? this.#openMembers(path, additionalProperties) : this.#condition(properties)
    if (known !== undefined) return known
    const wanted = Object.entries(properties).filter(
      ([name]) =>
        required.includes(name) ||
        (path.length < 8 && this.#random.chance(optional) && !(name === 'before' && this.#random.chance(0.8))),
    )
    return Object.fromEntries(wanted.map(([name, schema]) => [name, this.#value(schema, [...path, name])]))
  }

  /** A condition makes sense as a whole only. */
  #condition(properties: object): Json {
    return 'field' in properties && 'op' in properties
      ? conditionOf(this.#object, this.#random, this.#words)
      : undefined
  }

  #openMembers(path: readonly string[], values: JsonSchema): Json {
    const [random, words, object] = [this.#random, this.#words, this.#object]
    const name = path.at(-1)
    if (name === 'attributes') return attributesOf(object, random, words)
    if (name === 'relationships') return relationshipsOf(object, random, words)
    if (name === 'filter') return filterQueryOf(object, random, words)
    if (name === 'fields') return { [object]: [words.field(random, object), words.field(random, object)] }
    return Object.fromEntries(
      Array.from({ length: random.below(3) }, () => words.field(random, object)).map((key) => [
        key,
        this.#value(values, [...path, key]),
      ]),
    )
  }

  #list({ items = {}, minItems = 0, maxItems = 1000 }: JsonSchema, path: readonly string[]): Json {
    if (path.at(-1) === 'message' && this.#random.chance(0.6)) return paragraphs(this.#random)
    const most = path.length > 6 ? 0 : this.#random.chance(0.05) ? 20 : 3
    const length = Math.min(maxItems, Math.max(minItems, this.#random.below(most + 1)))
    return Array.from({ length }, () => this.#value(items, path))
  }

  #number({ minimum = 0, maximum = 1000 }: JsonSchema, name: string): number {
    if (name === 'limit')
      return Math.max(minimum, Math.min(maximum, this.#random.chance(0.02) ? 1500 : this.#random.between(1, 12)))
    return this.#random.between(minimum, Math.min(maximum, minimum + 20))
  }

  #text({ format, minLength = 0, maxLength = 1000 }: JsonSchema, name: string, path: readonly string[]): string {
    const random = this.#random
    const text =
      this.#wordFor(name, path) ??
      textByName[name]?.(random) ??
      (format === 'date-time' ? instant(random) : sentence(random))
    return text.padEnd(minLength, 'x').slice(0, maxLength)
  }

  #wordFor(name: string, path: readonly string[]): string | undefined {
    const [random, words, object] = [this.#random, this.#words, this.#object]
    if (path.length === 1 && name === 'workspace') return 'acme'
    if (name === 'object' || name === 'entity' || name === 'type') return object
    if (path.length === 1 && this.#endpoint.path.includes(`{${name}}`)) return words.id(random, this.#kindOf(name))
    if (name === 'column' || name === 'match_on' || name === 'field') return words.field(random, object)
    if (name === 'after' || name === 'before' || name === 'cursor') return words.cursor(random)
    if (name === 'actor') return words.id(random, 'users')
    if (name === 'id' || name === 'items' || name.endsWith('_id')) return words.id(random, object)
    return undefined
  }

  /**
   * Returns the kind of thing that a parameter of the path names: a record of the object, or something of the
   * collection before it.
   */
  #kindOf(parameter: string): string {
    const segments = this.#endpoint.path.split('/')
    const collection = segments[segments.indexOf(`{${parameter}}`) - 1] as string
    return collection === 'records' || collection === 'resources' ? this.#object : collection
  }
}

/** The input of a call, flat as tRPC and actions take it: parameters by name, the body under `body`. */
export const validInput = (endpoint: Endpoint, random: Random, words: Words): Json =>
  new Making(endpoint, random, words).make()
