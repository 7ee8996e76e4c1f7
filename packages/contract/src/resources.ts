import { z } from 'zod'
import { domain } from './endpoint.ts'
import { filterQuery } from './filters.ts'
import { page, pageQuery, sortQuery } from './paging.ts'
import { exampleAttributes, mutationQuery, record, recordInput, singleWithIncluded } from './records.ts'
import { resourceIdentifier } from './shared.ts'

const collection = '/workspaces/{workspace}/objects/{object}/resources'

const links = z
  .record(z.string(), z.strictObject({ data: z.union([resourceIdentifier, z.array(resourceIdentifier).max(1000), z.null()]) }))
  .meta({
    id: 'RelationshipsInput',
    description: 'By relationship field: the records to link.',
    example: { company_id: { data: { type: 'company', id: '019b2f6e-7a00-7000-8000-000000000003' } } },
  })

/** Records in JSON:API form: the same records as under `/records`, with `included`. */
export const resources = domain({
  list: {
    method: 'GET',
    path: collection,
    caller: 'any',
    scope: 'records:read',
    summary: 'List records',
    description: 'A page of records with an exact total. Follow `links.next`: it costs the same at any depth.',
    query: z.strictObject({ ...pageQuery(), ...sortQuery, ...filterQuery }),
    response: page(record).extend({ included: z.array(record) }),
    errors: ['unknown_field', 'unknown_operator', 'unknown_value', 'cursor_mismatch'],
  },
  create: {
    method: 'POST',
    path: collection,
    caller: 'any',
    scope: 'records:write',
    status: 201,
    versioned: true,
    summary: 'Create a record with relationships',
    query: mutationQuery,
    body: z.strictObject({ data: recordInput.extend({ relationships: links.optional() }) }),
    response: singleWithIncluded,
    errors: ['unique_violation', 'related_not_found'],
    examples: { body: { data: { type: 'person', attributes: exampleAttributes } } },
  },
  get: {
    method: 'GET',
    path: `${collection}/{id}`,
    caller: 'any',
    scope: 'records:read',
    versioned: true,
    summary: 'Get a record as a resource',
    response: singleWithIncluded,
  },
})
