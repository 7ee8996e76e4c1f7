import { z } from 'zod'
import { domain } from './endpoint.ts'
import { cursorLinks } from './paging.ts'
import { id } from './shared.ts'

/** The field types of Kontor; plain JSON Schema without `xSvcType` is mapped to the nearest. */
export const fieldTypes = [
  'text', 'long_text', 'rich_text', 'number', 'currency', 'rating', 'checkbox', 'date', 'timestamp', 'select', 'multi_select',
  'email_addresses', 'phone_numbers', 'domains', 'url', 'location', 'person_name', 'labels', 'participants', 'reference',
  'user_reference', 'json',
] as const

export type FieldTypeName = (typeof fieldTypes)[number]

export const relationshipKinds = ['many-to-one', 'one-to-many', 'many-to-many', 'one-to-one'] as const

export type RelationshipKind = (typeof relationshipKinds)[number]

export const accessDefaults = ['none', 'view', 'comment', 'edit'] as const

export const fieldSchema = z
  .looseObject({
    type: z.union([z.string(), z.array(z.string())]).optional().meta({ description: 'JSON type, or several, for example `["string","null"]`.' }),
    title: z.string().optional(),
    enum: z.array(z.unknown()).optional().meta({ description: 'Select options.' }),
    xSvcType: z.enum(fieldTypes).optional(),
    xSvcPrimary: z.boolean().optional().meta({ description: 'Marks the primary field.' }),
    xSvcUnique: z.boolean().optional(),
    xSvcRelationship: z.object({ kind: z.enum(relationshipKinds), entity: z.string(), field: z.string() }).optional(),
  })
  .meta({ id: 'FieldSchema' })

export type FieldSchema = z.infer<typeof fieldSchema>

export const objectSchemaDocument = z
  .looseObject({
    $schema: z.string(),
    $id: z.string().meta({ example: 'https://crm.example.com/schemas/entities/person' }),
    title: z.string().meta({ description: 'Slug of the object.' }),
    type: z.literal('object'),
    xSvcNamespace: z.string(),
    xSvcLabel: z.object({ singular: z.string(), plural: z.string() }),
    xSvcAIDescription: z.string().optional(),
    properties: z.record(z.string(), fieldSchema),
    required: z.array(z.string()).optional(),
    readOnly: z.boolean().optional(),
    xSvcAccess: z.object({ default: z.enum(accessDefaults) }).optional(),
  })
  .meta({ id: 'ObjectSchemaDocument', description: 'JSON Schema 2020-12 of an object.' })

export type ObjectSchemaDocument = z.infer<typeof objectSchemaDocument>

export const schemaResource = z.object({ type: z.literal('schema'), id, attributes: objectSchemaDocument }).meta({ id: 'Schema' })

export const schemas = domain({
  list: {
    method: 'GET',
    path: '/workspaces/{workspace}/schemas',
    caller: 'any',
    scope: 'schemas:read',
    summary: 'List object schemas',
    query: z.strictObject({
      page: z
        .strictObject({
          cursor: z.string().min(1).max(4096).optional().meta({ description: 'Opaque cursor, as found in `links.next`.' }),
          limit: z.int().min(1).max(1000).default(50).meta({ description: 'Schemas in a page.' }),
        })
        .prefault({}),
    }),
    response: z.object({ data: z.array(schemaResource), links: cursorLinks }),
    errors: ['cursor_mismatch'],
  },
  get: {
    method: 'GET',
    path: '/workspaces/{workspace}/schemas/objects/{object}',
    caller: 'any',
    scope: 'schemas:read',
    summary: 'Get an object schema',
    response: z.object({ data: schemaResource }),
  },
})
