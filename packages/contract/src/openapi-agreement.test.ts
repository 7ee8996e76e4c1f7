import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Contract } from './endpoint.ts'
import { contract } from './index.ts'
import { namedSchemas, operationId, toOpenApi } from './openapi.ts'
import { queryFields } from './query-fields.ts'
import { withoutBody } from './shared.ts'

type Schema = { [key: string]: unknown }
type Json = { [key: string]: Json } & { name?: string; description?: string }

const document: Json = JSON.parse(
  JSON.stringify(toOpenApi(contract, { serverUrl: 'http://kontor.test/v1', authUrl: 'http://kontor.test' })),
)

const zodsOwn = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input' })

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const sameForAll = (map: unknown) =>
  Object.fromEntries(Object.entries(map as Schema).map(([key, inner]) => [key, comparable(inner)]))

// Keywords that only one of the generators writes, without a difference in meaning.
const superfluous = (key: string, value: unknown, { format, properties }: Schema): boolean =>
  (key === 'default' && properties !== undefined && JSON.stringify(value) === '{}') ||
  ['$schema', '$defs', 'id', 'propertyNames'].includes(key) ||
  Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER ||
  (key === 'pattern' && ['date-time', 'date', 'email'].includes(String(format))) ||
  (key === 'additionalProperties' && isSchema(value) && Object.keys(value).length === 0)

/** `anyOf: [X, null]` as `type: [x, 'null']`, where X is no reference. */
function withNullInType(schema: Schema): Schema {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema
  const [first, second] = anyOf as [Schema, Schema]
  if (second.type !== 'null' || typeof first.type !== 'string') return schema
  return {
    ...first,
    ...rest,
    type: [first.type, 'null'],
    ...(Array.isArray(first.enum) && { enum: [...(first.enum as unknown[]), null] }),
  }
}

/**
 * The generator takes a key that may hold anything for optional; Zod wants it there. Looser, so harmless in an answer.
 */
const requiredOf = ({ required, properties }: Schema) =>
  (required as string[])
    .filter(
      (name) => Object.keys(((properties ?? {}) as { [name: string]: Schema })[name] ?? { unknown: true }).length > 0,
    )
    .toSorted()

/** A schema with the dialects of both generators taken out. */
function comparable(schema: unknown): unknown {
  if (!isSchema(schema)) return schema
  const { allOf, ...own } = schema
  // A reference with words of its own: one generator writes siblings, the other `allOf`.
  const merged: Schema =
    Array.isArray(allOf) && own.type === undefined ? Object.assign({}, ...(allOf as Schema[]), own) : schema
  const entries = Object.entries(merged).filter(([key, value]) => !superfluous(key, value, merged))
  return withNullInType(
    Object.fromEntries(
      entries.map(([key, value]): [string, unknown] => {
        if (key === '$ref') return [key, String(value).split('/').at(-1)]
        if (key === 'const') return ['enum', [value]]
        if (key === 'properties') return [key, sameForAll(value)]
        if (key === 'required') return [key, requiredOf(merged)]
        if (key === 'anyOf' || key === 'oneOf') return ['anyOf', (value as unknown[]).map(comparable)]
        return [key, key === 'items' || key === 'additionalProperties' ? comparable(value) : value]
      }),
    ),
  )
}

const endpoints = Object.entries(contract as Contract).flatMap(([domain, byKey]) =>
  Object.entries(byKey).map(([key, endpoint]) => ({ id: operationId(domain, key), endpoint })),
)

const bodyOf = (node: Json | undefined, media = 'application/json') => comparable(node?.content?.[media]?.schema)

describe('two generators that know nothing of each other agree', () => {
  it.each([...namedSchemas(contract)])('on the component %s', (id, schema) => {
    // A schema with an id is, to Zod, a reference into its own definitions.
    expect(comparable(document.components?.schemas?.[id])).toEqual(comparable(zodsOwn(schema).$defs?.[id]))
  })

  it.each(endpoints)('on what $id takes and answers', ({ endpoint }) => {
    const operation = document.paths?.[endpoint.path]?.[endpoint.method.toLowerCase()]
    if (endpoint.response !== withoutBody)
      expect(bodyOf(operation?.responses?.[String(endpoint.status ?? 200)], endpoint.media)).toEqual(
        comparable(zodsOwn(endpoint.response)),
      )
    if (endpoint.body) expect(bodyOf(operation?.requestBody)).toEqual(comparable(zodsOwn(endpoint.body)))
  })

  it.each(endpoints)('on the query of $id', ({ endpoint }) => {
    const operation = document.paths?.[endpoint.path]?.[endpoint.method.toLowerCase()]
    const fields = endpoint.query
      ? queryFields(endpoint.query).filter(({ kind }) => kind !== 'free' && kind !== 'indexed')
      : []
    for (const { name, schema } of fields) {
      const parameter = (Object.values(operation?.parameters ?? {}) as Json[]).find(
        (candidate) => candidate.name === name,
      )
      const { description, ...own } = comparable(zodsOwn(schema)) as Schema
      expect({ name, ...(comparable(parameter?.schema) as Schema) }).toEqual({ name, ...own })
      expect(parameter?.description).toBe(description)
    }
  })
})
