import { z } from 'zod'
import { fieldSchema, fieldSchemaInput, newFieldSchema } from './field-schema.ts'
import { closed, visibleText } from './shared.ts'

export const accessDefaults = ['none', 'view', 'comment', 'edit'] as const

/** The dialect of every schema document. */
export const dialectUrl = 'https://json-schema.org/draft/2020-12/schema'

export const fieldsMax = 500
export const objectsMax = 200

const label = closed({ singular: visibleText(200), plural: visibleText(200) }, 'A label takes')

const presentation = {
  rank: z.number().optional(),
  icon: z.string().min(1).max(100).optional(),
  backgroundColor: z.string().min(1).max(100).optional(),
}

const documentKeywords = {
  $schema: z.literal(dialectUrl),
  $id: z.string().min(1).max(2000).meta({ example: 'https://crm.example.com/schemas/entities/person' }),
  title: z.string().min(1).max(100).meta({ description: 'Slug of the object.', example: 'person' }),
  type: z.literal('object'),
  xSvcNamespace: z.literal('objects'),
  xSvcLabel: label,
  xSvcAIDescription: z.string().max(10_000).optional(),
  description: z.string().max(10_000).optional(),
  deprecated: z.boolean().optional(),
  properties: z.record(z.string(), fieldSchema),
  required: z.array(z.string()).max(fieldsMax).optional().meta({ description: 'Fields that must have a value.' }),
  readOnly: z.boolean().optional().meta({ description: 'True if the API cannot write its records.' }),
  xSvcAccess: closed({ default: z.enum(accessDefaults) }, 'Access takes')
    .optional()
    .meta({ description: 'The access of members to all records of the object.' }),
  xSvcPresentation: closed(presentation, 'The presentation of an object takes').optional(),
}

export const objectSchemaDocument = closed(documentKeywords, 'A schema takes').meta({
  id: 'ObjectSchemaDocument',
  description: 'JSON Schema 2020-12 of an object.',
})

export type ObjectSchemaDocument = z.infer<typeof objectSchemaDocument>

/** Field schemas by field name, where nothing can be renamed. */
export const newProperties = z
  .record(z.string(), newFieldSchema)
  .meta({ id: 'NewProperties', description: 'Field schemas by field name.' })

const propertiesInput = z
  .record(z.string(), fieldSchemaInput)
  .meta({ id: 'PropertiesInput', description: 'Field schemas by field name.' })

/** A whole document as it is sent: what every object has need not be said again. */
export const objectSchemaInput = closed(
  {
    ...documentKeywords,
    $schema: documentKeywords.$schema.optional(),
    title: documentKeywords.title.optional(),
    type: documentKeywords.type.optional(),
    xSvcNamespace: documentKeywords.xSvcNamespace.optional(),
    xSvcLabel: label.optional(),
    properties: propertiesInput,
  },
  'A schema takes',
).meta({ id: 'ObjectSchemaInput' })

export type ObjectSchemaInput = z.infer<typeof objectSchemaInput>

/** The body that makes an object. */
export const newObject = z
  .strictObject({
    name: visibleText(32).meta({
      description:
        'The API name is `c_` and this name in lower case, with `_` for other characters than letters and digits.',
      example: 'Committee',
    }),
    plural: visibleText(200).meta({ example: 'Committees' }),
    description: z.string().max(10_000).optional(),
    icon: presentation.icon,
    backgroundColor: presentation.backgroundColor,
    properties: newProperties.optional(),
  })
  .meta({ id: 'NewObject' })

export type NewObject = z.infer<typeof newObject>
