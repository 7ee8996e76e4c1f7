import type { AttributeShape, FieldSchema, JsonSchema } from '@kontor/contract'

/** The keywords of a value, in a field's schema or in that of its items. */
type ValueSchema = Pick<
  FieldSchema,
  'type' | 'const' | 'enum' | 'minLength' | 'maxLength' | 'format' | 'minimum' | 'maximum' | 'multipleOf'
>

/** JSON Schema names of formats: these accept addresses and hosts beyond ASCII. */
const formatNames: Readonly<Record<string, string>> = { email: 'idn-email', hostname: 'idn-hostname', uri: 'iri' }

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

/** The allowed values, if they are texts, numbers or flags: generators make no types of objects. */
function choices({ const: only, enum: options }: ValueSchema): JsonSchema {
  const values = only === undefined ? options : [only]
  return values?.every(isPlain) === true ? { enum: values } : {}
}

const pick = (schema: ValueSchema, ...keywords: readonly (keyof ValueSchema)[]): JsonSchema =>
  Object.fromEntries(
    keywords.filter((keyword) => schema[keyword] !== undefined).map((keyword) => [keyword, schema[keyword]]),
  )

/**
 * A schema for a value, with the keywords that every reader of JSON Schema interprets alike. Patterns are left out,
 * because they use the syntax of RE2; so are decimal steps, which most validators compute with the errors of doubles.
 */
export function valueShape(type: string | readonly string[] | undefined, schema: ValueSchema): JsonSchema {
  const wholeStep = Number.isInteger(schema.multipleOf) ? pick(schema, 'multipleOf') : {}
  const format = schema.format === undefined ? {} : { format: formatNames[schema.format] ?? schema.format }
  return {
    ...(type !== undefined && { type }),
    ...pick(schema, 'minLength', 'maxLength', 'minimum', 'maximum'),
    ...wholeStep,
    ...format,
    ...choices(schema),
  }
}

/** A value that is answered as it is sent. */
export const alike = (shape: JsonSchema): AttributeShape => ({ answered: shape, sent: shape })

type Described = { readonly schema: FieldSchema; readonly required: boolean }

/** The lower bound of a length: a required value is not empty. */
const least = (bound: number | undefined, required: boolean): number | undefined =>
  required ? Math.max(bound ?? 0, 1) : bound

export const textShape = ({ schema, required }: Described): AttributeShape =>
  alike(valueShape('string', { ...schema, minLength: least(schema.minLength, required) }))

/** The shape of a collection: an object with its items, which an answer has even if there are none. */
export function itemsShape({ schema: { minItems, maxItems }, required }: Described, item: JsonSchema): AttributeShape {
  const collection = (bounds: JsonSchema): JsonSchema => ({
    type: 'object',
    properties: { items: { type: 'array', items: item, ...bounds } },
    required: ['items'],
    additionalProperties: false,
  })
  const most = maxItems === undefined ? {} : { maxItems }
  const fewest = least(minItems, required)
  const bounds = { ...(fewest !== undefined && { minItems: fewest }), ...most }
  return { answered: collection(required ? bounds : most), sent: collection(bounds) }
}
