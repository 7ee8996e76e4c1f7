import { z } from 'zod'
import { domain } from './endpoint.ts'
import { cursorLinks } from './paging.ts'
import { newObject, objectSchemaDocument } from './schema-document.ts'
import { id, silentQuery } from './shared.ts'

export const schemaResource = z.object({ type: z.literal('schema'), id, attributes: objectSchemaDocument }).meta({ id: 'Schema' })

const schemaAnswer = z.object({ data: schemaResource }).meta({ id: 'SchemaAnswer' })

const S = '/workspaces/{workspace}/schemas'

/** Only admins change schemas (decisions on access). */
const changing = { caller: 'any', scope: 'schemas:write', role: 'admin', query: z.strictObject(silentQuery) } as const

export const schemas = domain({
  list: {
    method: 'GET',
    path: S,
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
  create: {
    method: 'POST',
    path: `${S}/objects`,
    ...changing,
    status: 201,
    summary: 'Create an object',
    description: 'Bare, or as `{data: {type, attributes}}`. Without a primary field it gets the text `name`.',
    body: z.union([newObject, z.strictObject({ data: z.strictObject({ type: z.literal('schema'), attributes: newObject }) })]),
    response: schemaAnswer,
    examples: { body: { name: 'Committee', plural: 'Committees', properties: { founded: { xSvcType: 'date', title: 'Founded' } } } },
  },
  get: {
    method: 'GET',
    path: `${S}/objects/{object}`,
    caller: 'any',
    scope: 'schemas:read',
    summary: 'Get an object schema',
    response: schemaAnswer,
  },
})
