import { z } from 'zod'
import { jsonTypes } from './json-types.ts'
import { closed } from './shared.ts'

/** The field types of Kontor; plain JSON Schema without `xSvcType` is mapped to the nearest. */
export const fieldTypes = [
  'text',
  'long_text',
  'rich_text',
  'number',
  'currency',
  'rating',
  'checkbox',
  'date',
  'timestamp',
  'select',
  'multi_select',
  'email_addresses',
  'phone_numbers',
  'domains',
  'url',
  'location',
  'person_name',
  'labels',
  'participants',
  'reference',
  'user_reference',
  'json',
] as const

export type FieldTypeName = (typeof fieldTypes)[number]

export const relationshipKinds = ['many-to-one', 'one-to-many', 'many-to-many', 'one-to-one'] as const

export type RelationshipKind = (typeof relationshipKinds)[number]

/** The kind of a relationship as seen from its other end. */
export const mirroredKinds: Readonly<Record<RelationshipKind, RelationshipKind>> = {
  'many-to-one': 'one-to-many',
  'one-to-many': 'many-to-one',
  'many-to-many': 'many-to-many',
  'one-to-one': 'one-to-one',
}

/** Values of `format` that are checked; JSON Schema knows more. */
export const formats = ['date', 'date-time', 'time', 'email', 'hostname', 'ipv4', 'ipv6', 'uri', 'uuid'] as const

export type Format = (typeof formats)[number]

const optionsMax = 1000

const jsonType = z.enum(jsonTypes)

const type = z
  .union([jsonType, z.array(jsonType).min(1).max(jsonTypes.length)], {
    error: `Must be a JSON type or a list of them: ${jsonTypes.join(', ')}.`,
  })
  .meta({
    description:
      'JSON type, or several, for example `["string","null"]`. `null` has no effect: `required` lists ' +
      'the fields that must have a value.',
  })

const text = {
  type: type.optional(),
  title: z.string().min(1).max(200).optional().meta({ description: 'The name shown to people.' }),
  description: z.string().max(10_000).optional(),
  examples: z.array(z.unknown()).max(100).optional(),
  enum: z.array(z.unknown()).min(1).max(optionsMax).optional().meta({ description: 'Select options.' }),
  const: z.unknown().optional().meta({ description: 'The only value.' }),
  format: z.enum(formats).optional(),
  pattern: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .meta({
      description:
        'A regular expression in the syntax of RE2, so that checking takes linear time: no lookaround, no back ' +
        'references.',
    }),
  minLength: z.int().min(0).optional(),
  maxLength: z.int().min(0).optional(),
}

const number = {
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  multipleOf: z.number().gt(0).optional(),
}

const items = closed({ ...text, ...number }, 'An item takes').meta({
  id: 'ItemSchema',
  description: 'The schema of each item of a collection.',
})

const relationship = closed(
  {
    kind: z.enum(relationshipKinds),
    entity: z.string().min(1).max(100).meta({ description: 'The object at the other end.', example: 'company' }),
    field: z
      .string()
      .min(1)
      .max(100)
      .meta({ description: 'The field of that object which leads back.', example: 'people' }),
  },
  'A relationship takes',
).meta({ id: 'Relationship' })

const enumMetadata = z
  .record(
    z.string(),
    closed(
      { id: z.string().max(100).optional(), rank: z.number().optional(), color: z.string().max(100).optional() },
      'An option takes',
    ),
  )
  .meta({ id: 'EnumMetadata', description: 'By option: how it is shown.' })

const fieldKeywords = {
  ...text,
  ...number,
  default: z.unknown().optional().meta({ description: 'The value of a record that is created without one.' }),
  items: items.optional(),
  uniqueItems: z
    .boolean()
    .optional()
    .meta({ description: 'Items of a collection are always unique; for a JSON array this is checked.' }),
  minItems: z.int().min(0).optional(),
  maxItems: z.int().min(0).optional(),
  readOnly: z.boolean().optional().meta({ description: 'True if the API cannot write the field.' }),
  deprecated: z.boolean().optional(),
  xSvcType: z
    .enum(fieldTypes)
    .optional()
    .meta({ description: 'The field type; by default the one nearest to the JSON type.' }),
  xSvcPrimary: z.boolean().optional().meta({ description: 'True for the primary field.' }),
  xSvcUnique: z.boolean().optional().meta({ description: 'True if no two records can have the same value.' }),
  xSvcSearchable: z.boolean().optional(),
  xSvcRelationship: relationship.optional(),
  xSvcEnumMetadata: enumMetadata.optional(),
  xSvcPresentation: closed(
    { rank: z.number().optional(), hiddenInDetails: z.boolean().optional() },
    'The presentation of a field takes',
  ).optional(),
}

export const fieldSchema = closed(fieldKeywords, 'A field takes').meta({ id: 'FieldSchema' })

export type FieldSchema = z.infer<typeof fieldSchema>
export type Keyword = keyof FieldSchema

const sentJsonType = z.enum([...jsonTypes, 'date'])

/** Spellings that other clients send; the server stores and answers with its own (docs/decisions/0060). */
const spellings = {
  type: z
    .union([sentJsonType, z.array(sentJsonType).min(1).max(jsonTypes.length)], {
      error: `Must be a JSON type or a list of them: ${jsonTypes.join(', ')}; or "date", with or without "null".`,
    })
    .optional()
    .meta({
      description:
        'JSON type, or several, for example `["string","null"]`. `null` has no effect: `required` lists ' +
        'the fields that must have a value. `date` means a text with `xSvcType: date`.',
    }),
  oneOf: z
    .array(
      closed(
        {
          $ref: z
            .string()
            .regex(/\/schemas\/core\/collectionOfIds$/, 'Must end in /schemas/core/collectionOfIds.')
            .optional(),
          type: z.literal('null').optional(),
        },
        'An alternative takes',
      ),
    )
    .min(1)
    .max(2)
    .optional()
    .meta({
      description:
        'Another spelling of the `type` of a to-many relationship: ' +
        '`[{"$ref":"{schema_base}/schemas/core/collectionOfIds"},{"type":"null"}]`.',
    }),
  properties: closed(
    {
      items: closed(
        {
          type: z.literal('array').optional(),
          items: closed(
            { type: z.literal('string').optional(), enum: z.array(z.unknown()).min(1).max(optionsMax) },
            'Items take',
          ),
          minItems: z.int().min(0).optional(),
          maxItems: z.int().min(0).optional(),
          uniqueItems: z.literal(true).optional(),
        },
        'A collection takes',
      ),
    },
    'A multi-select takes',
  )
    .optional()
    .meta({
      description:
        'Another spelling of the options of a multi-select: `{"items":{"type":"array","items":{"enum":[…]}}}`.',
    }),
}

/** A field as it is sent. */
export const newFieldSchema = closed({ ...fieldKeywords, ...spellings }, 'A field takes').meta({ id: 'NewFieldSchema' })

export type NewFieldSchema = z.infer<typeof newFieldSchema>

/** Options as they are sent, in either spelling. */
export const newOptions = closed(
  {
    type: spellings.type,
    enum: fieldKeywords.enum,
    properties: spellings.properties,
    xSvcEnumMetadata: fieldKeywords.xSvcEnumMetadata,
  },
  'Options take',
).meta({ id: 'NewOptions' })

export const fieldSchemaInput = closed(
  {
    ...fieldKeywords,
    ...spellings,
    xSvcPrevName: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .meta({ description: 'The old name of a renamed field; the field keeps its values.' }),
  },
  'A field takes',
).meta({ id: 'FieldSchemaInput' })

export type FieldSchemaInput = z.infer<typeof fieldSchemaInput>
