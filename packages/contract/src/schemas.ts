import { z } from 'zod'
import { taskAnswer, taskError } from './async-tasks.ts'
import { domain } from './endpoint.ts'
import { cursorLinks } from './paging.ts'
import { change } from './mutations.ts'
import { newOptions } from './field-schema.ts'
import { newObject, newProperties, objectSchemaDocument, objectSchemaInput } from './schema-document.ts'
import { commaList, empty, id, withoutBody, silentQuery } from './shared.ts'

export const schemaResource = z
  .object({ type: z.literal('schema'), id, attributes: objectSchemaDocument })
  .meta({ id: 'Schema' })

const schemaAnswer = z.object({ data: schemaResource }).meta({ id: 'SchemaAnswer' })

const plan = z
  .object({
    type: z.literal('schema-plan'),
    id,
    attributes: z.object({
      valid: z.boolean().meta({ description: 'True if every record that was checked is valid under the new schema.' }),
      changes: z.array(change).meta({ description: 'The changes, field by field; paths start with the object.' }),
      lost: z
        .array(z.object({ field: z.string(), reason: z.string(), count: z.int() }))
        .meta({ description: 'The values that would be lost, and of how many records.' }),
      violations: z.array(taskError).meta({ description: 'The records that would make the change fail.' }),
      examined_records: z
        .int()
        .meta({ description: 'Number of checked records; only the oldest are checked if there are very many.' }),
      total_records: z.int(),
      breaks: z.object({ lists: z.array(id), workflows: z.array(id) }).meta({
        description: 'Lists and workflows that use what would be removed, as far as the caller may read them.',
      }),
    }),
  })
  .meta({ id: 'SchemaPlan' })

export type SchemaPlan = z.infer<typeof plan>

const openApiDocument = z
  .looseObject({
    openapi: z.string(),
    info: z.record(z.string(), z.unknown()),
    paths: z.record(z.string(), z.unknown()),
    components: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'OpenApiDocument', description: 'An OpenAPI 3.1 document.' })

const optionsResult = z
  .object({
    id,
    type: z.literal('schema-validation-result'),
    attributes: z.object({
      isValid: z.boolean(),
      errors: z.array(taskError).optional().meta({ description: 'Why nothing was changed.' }),
      values: z
        .record(z.string(), z.array(z.string()))
        .optional()
        .meta({ description: 'The new options of each field.' }),
    }),
  })
  .meta({ id: 'SchemaValidationResult' })

const S = '/workspaces/{workspace}/schemas'

/** Only admins change schemas (decisions on access). */
const changing = {
  caller: 'any',
  scope: 'schemas:write',
  role: 'admin',
  query: z.strictObject(silentQuery),
  errors: ['schema_modification_in_progress'],
} as const

/** Events of a change of fields: queries and filters that name the fields follow it. */
const touched = ['schema.updated', 'list.updated', 'webhook.updated', 'workflow.updated'] as const

const exampleDocument = {
  $id: 'https://crm.example.com/schemas/entities/c_committee',
  xSvcLabel: { singular: 'Committee', plural: 'Committees' },
  properties: {
    name: { type: ['string', 'null'], title: 'Name', xSvcPrimary: true },
    founded: { xSvcType: 'date', title: 'Founded' },
    website: { xSvcType: 'url', title: 'Website' },
    jurisdiction: { xSvcType: 'long_text', title: 'Jurisdiction' },
  },
} as const

export const schemas = domain({
  list: {
    method: 'GET',
    path: S,
    caller: 'any',
    scope: 'schemas:read',
    summary: 'List object schemas',
    description: 'Lists the objects of the workspace, standard and custom ones, with their fields as JSON Schema.',
    query: z.strictObject({
      page: z
        .strictObject({
          cursor: z
            .string()
            .min(1)
            .max(4096)
            .optional()
            .meta({ description: 'Opaque cursor, as found in `links.next`.' }),
          limit: z.int().min(1).max(1000).default(50).meta({ description: 'Schemas in a page.' }),
        })
        .prefault({}),
    }),
    response: z.object({ data: z.array(schemaResource), links: cursorLinks }),
    errors: ['cursor_mismatch'],
  },
  describe: {
    method: 'GET',
    path: '/workspaces/{workspace}/openapi.json',
    caller: 'any',
    scope: 'schemas:read',
    digested: true,
    summary: 'Describe the workspace as OpenAPI',
    description:
      'Returns this reference with the objects of the workspace, for client generators: for each object the paths ' +
      'of its records, with its attributes, relationships, sort columns and includes as types. The ' +
      'same schemas give the same document and the same `ETag`. `objects` limits it to the paths of some ' +
      'objects and the types that they need.',
    query: z.object({
      objects: commaList(z.string()).min(1).optional().meta({
        description:
          'Names of objects, separated by commas: `person,deal`. Only their paths are returned; by default all.',
      }),
    }),
    response: openApiDocument,
    errors: ['unknown_value'],
  },
  create: {
    method: 'POST',
    path: `${S}/objects`,
    ...changing,
    status: 201,
    summary: 'Create an object',
    description: 'An object without a primary field gets the text field `name`.',
    emits: ['schema.created', ...touched],
    body: z.union([
      newObject,
      z.strictObject({ data: z.strictObject({ type: z.literal('schema'), attributes: newObject }) }),
    ]),
    response: schemaAnswer,
    examples: {
      body: {
        name: 'Project',
        plural: 'Projects',
        properties: { begins_on: { xSvcType: 'date', title: 'Begins on' } },
      },
    },
  },
  get: {
    method: 'GET',
    path: `${S}/objects/{object}`,
    caller: 'any',
    scope: 'schemas:read',
    summary: 'Get an object schema',
    description: 'Returns the fields of one object as JSON Schema, with labels and rules.',
    response: schemaAnswer,
  },
  replace: {
    method: 'PUT',
    path: `${S}/objects/{object}`,
    ...changing,
    errors: [...changing.errors, 'unique_violation'],
    summary: 'Replace an object schema',
    description:
      'Send the complete document; the task in the response makes the changes. Missing fields are ' +
      'removed with their values, `xSvcPrevName` renames, values are checked against new rules, and ' +
      'removed options are cleared. A field cannot become unique (`xSvcUnique`) while several records ' +
      'have the same value: 409 lists them. If another change of one of its objects is in progress, the ' +
      'task is `queued`: parts that you did not change follow that change, and parts that both change ' +
      'differently are rejected (409).',
    emits: touched,
    body: objectSchemaInput,
    response: taskAnswer,
    examples: { body: exampleDocument },
  },
  remove: {
    method: 'DELETE',
    path: `${S}/objects/{object}`,
    ...changing,
    summary: 'Delete an object',
    description:
      'Deletes a custom object permanently, with all its records and links. If another change of the ' +
      'object is in progress, the task is `queued`.',
    emits: ['schema.deleted', 'list.deleted', ...touched],
    response: taskAnswer,
  },
  plan: {
    method: 'POST',
    safe: true,
    path: `${S}/objects/{object}/plan`,
    caller: 'any',
    scope: 'schemas:read',
    recordScope: 'records:read',
    summary: 'Plan the replacement of an object schema',
    description:
      'Shows the changes and losses that replacing the schema by this document would cause, for the ' +
      'records that the caller may see. For an object of your own that does not exist yet, it shows the fields that ' +
      'creating it would add. Writes nothing.',
    body: objectSchemaInput,
    response: z.object({ data: plan }),
    examples: { body: exampleDocument },
  },
  addProperties: {
    method: 'POST',
    path: `${S}/{entity}/properties`,
    ...changing,
    status: 202,
    summary: 'Add fields',
    description:
      'Takes effect immediately; if another change of one of the objects is in progress, as a task that ' +
      'is `queued`.',
    emits: touched,
    body: z.strictObject({ data: z.strictObject({ type: z.literal('schema-properties'), attributes: newProperties }) }),
    response: empty,
    examples: {
      body: {
        data: {
          type: 'schema-properties',
          attributes: { chamber: { xSvcType: 'select', title: 'Chamber', enum: ['House', 'Senate'] } },
        },
      },
    },
  },
  addRelationship: {
    method: 'POST',
    path: `${S}/{entity}/relationships`,
    ...changing,
    status: 202,
    summary: 'Add a relationship',
    description:
      'Connects two objects. The body contains, by object, the field at each end; a missing end is created. ' +
      'Takes effect immediately. If another change of one of the objects is in progress, the task is `queued`.',
    emits: touched,
    body: z.strictObject({
      data: z.strictObject({ type: z.literal('relationship'), attributes: z.record(z.string(), newProperties) }),
    }),
    response: empty,
    examples: {
      body: {
        data: {
          type: 'relationship',
          attributes: {
            c_committee: {
              members: {
                title: 'Members',
                xSvcRelationship: { kind: 'many-to-many', entity: 'person', field: 'committees' },
              },
            },
            person: {
              committees: {
                title: 'Committees',
                xSvcRelationship: { kind: 'many-to-many', entity: 'c_committee', field: 'members' },
              },
            },
          },
        },
      },
    },
  },
  removeRelationship: {
    method: 'DELETE',
    path: `${S}/{entity}/relationships/{field}`,
    ...changing,
    summary: 'Remove a relationship',
    description:
      'Removes a relationship at both ends, with its links. If another change of one of its objects is ' +
      'in progress, the task is `queued`.',
    emits: touched,
    response: taskAnswer,
  },
  updateOptions: {
    method: 'PATCH',
    path: S,
    ...changing,
    summary: 'Add or remove options',
    description:
      '`append` adds options. `remove` also clears their values in records: a select becomes empty, a multi-select ' +
      'loses them.',
    emits: touched,
    body: z.strictObject({
      data: z
        .array(
          z.strictObject({
            type: z.literal('schema-properties'),
            id: id.meta({ description: 'The `$id` of the schema.', example: exampleDocument.$id }),
            attributes: z.record(z.string(), newOptions),
            meta: z.record(z.string(), z.strictObject({ enum: z.enum(['append', 'remove']) })),
          }),
        )
        .min(1)
        .max(1),
    }),
    response: z.object({ data: z.array(optionsResult) }),
    examples: {
      body: {
        data: [
          {
            type: 'schema-properties',
            id: 'https://crm.example.com/schemas/entities/deal',
            attributes: { stage: { enum: ['On hold'] } },
            meta: { stage: { enum: 'append' } },
          },
        ],
      },
    },
  },
  reorder: {
    method: 'PATCH',
    path: `${S}/{entity}/fields-order`,
    ...changing,
    status: 202,
    summary: 'Order fields',
    description: 'Sets the order in which fields are shown. Records do not change.',
    emits: ['schema.updated'],
    body: z.strictObject({
      data: z.strictObject({
        type: z.literal('schema-property-order'),
        attributes: z.strictObject({ order: z.array(z.string()).meta({ description: 'Every field of the object.' }) }),
      }),
    }),
    response: withoutBody,
    examples: {
      body: {
        data: { type: 'schema-property-order', attributes: { order: ['founded', 'name', 'website', 'jurisdiction'] } },
      },
    },
  },
  show: {
    method: 'PATCH',
    path: `${S}/{entity}/fields-visibility`,
    ...changing,
    status: 204,
    summary: 'Show or hide fields',
    description: 'Shows or hides fields in the details of a record. Records do not change.',
    emits: ['schema.updated'],
    body: z.strictObject({
      data: z.strictObject({
        type: z.literal('schema-property-visibility'),
        attributes: z.strictObject({ hiddenInDetails: z.record(z.string(), z.boolean()) }),
      }),
    }),
    response: withoutBody,
    examples: {
      body: { data: { type: 'schema-property-visibility', attributes: { hiddenInDetails: { founded: true } } } },
    },
  },
})
