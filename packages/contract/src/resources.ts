import { z } from 'zod'
import { aggregateBody, aggregatePage } from './aggregates.ts'
import { exampleIds } from './example-ids.ts'
import { domain } from './endpoint.ts'
import { explainQuery } from './explain.ts'
import { filterQuery, filterTree } from './filters.ts'
import {
  linkedOffsetQuery,
  linkedPageQuery,
  pageLinks,
  recordPageMeta,
  recordPageQuery,
  sortColumn,
  sortList,
  sortQuery,
} from './paging.ts'
import { deletedKeptDays, recordInput, singleWithIncluded } from './records.ts'
import { fieldsQuery, includeQuery } from './includes.ts'
import { mutationQuery } from './mutations.ts'
import { deletedRecord, exampleAttributes, objectName, record } from './record.ts'
import { searchText } from './search.ts'
import { recordReference } from './record-reference.ts'

const collection = '/workspaces/{workspace}/objects/{object}/resources'

const linked = z.object({ type: z.string(), id: recordReference }).meta({ id: 'LinkedRecordInput' })

const links = z
  .record(z.string(), z.strictObject({ data: z.union([linked, z.array(linked).max(1000), z.null()]) }))
  .meta({
    id: 'RelationshipsInput',
    description: 'By relationship field: the records to link.',
    example: { company_id: { data: { type: 'company', id: exampleIds.company } } },
  })

export const recordPage = z
  .object({ data: z.array(record), included: z.array(record), meta: recordPageMeta, links: pageLinks })
  .meta({ id: 'RecordPage' })

const deletedPage = z
  .object({ data: z.array(deletedRecord), meta: recordPageMeta, links: pageLinks })
  .meta({ id: 'DeletedRecordPage' })

const stats = z
  .object({
    type: z.literal('object-stats'),
    id: objectName,
    attributes: z.object({ count: z.int().meta({ description: 'Exact number of records that the caller may see.' }) }),
  })
  .meta({ id: 'ObjectStats', description: 'Numbers about the records of an object that the caller may see.' })

const deletedFilter = {
  filter: filterQuery.filter.meta({
    description:
      'By `_deleted_at`, with the operators of a time: `filter[_deleted_at][Is after]=2026-01-31T09:30:00Z`, ' +
      '`filter[_deleted_at][Within]=-7d`. `Less than` and `Greater than` compare with seconds since 1970.',
    example: { _deleted_at: { 'Is after': '2026-01-31T09:30:00Z' } },
  }),
}

/** Records in JSON:API form: the same records as under `/records`, with `included`. */
export const resources = domain({
  list: {
    method: 'GET',
    replica: true,
    path: collection,
    caller: 'any',
    scope: 'records:read',
    summary: 'List records',
    description:
      'Returns a page of records with an exact total. Follow `links.next`: every page is equally fast. A ' +
      'page of more than 1,000 records is streamed.',
    query: z.strictObject({
      ...recordPageQuery(),
      ...sortQuery,
      ...filterQuery,
      search: searchText.optional(),
      ...fieldsQuery,
      ...includeQuery,
      ...explainQuery,
    }),
    response: recordPage,
    errors: ['unknown_field', 'unknown_operator', 'unknown_value', 'cursor_mismatch', 'forbidden'],
  },
  query: {
    method: 'POST',
    safe: true,
    replica: true,
    path: `${collection}/query`,
    caller: 'any',
    scope: 'records:read',
    summary: 'Query records',
    description:
      'Lists records with a filter tree for OR and NOT. Send the same body to `links.next`: its page ' +
      'replaces that of the body.',
    query: z.strictObject({ ...linkedPageQuery, ...explainQuery }),
    body: z.strictObject({
      filter: filterTree.optional(),
      search: searchText.optional(),
      sort: sortList.optional(),
      ...recordPageQuery(),
      ...fieldsQuery,
      ...includeQuery,
    }),
    response: recordPage,
    errors: ['unknown_field', 'unknown_operator', 'unknown_value', 'cursor_mismatch', 'forbidden'],
    examples: {
      body: {
        filter: {
          or: [
            { field: 'job_title', op: 'Is', value: 'Senator' },
            { not: { field: 'email_addresses', op: 'Is empty' } },
          ],
        },
        sort: [{ column: 'name', dir: 'ASC' }],
      },
    },
  },
  aggregate: {
    method: 'POST',
    safe: true,
    replica: true,
    path: `${collection}/aggregate`,
    caller: 'any',
    scope: 'records:read',
    summary: 'Aggregate records',
    description:
      'Counts, sums and other measures of the records that the caller may see, all together or by up to two ' +
      'fields. All values are exact. Send the same body to `links.next`.',
    query: z.strictObject(linkedOffsetQuery),
    body: aggregateBody,
    response: aggregatePage,
    errors: ['unknown_field', 'unknown_operator', 'unknown_value'],
    examples: {
      body: {
        filter: { field: 'email_addresses', op: 'Is not empty' },
        group_by: [{ field: 'company_id' }],
        measures: [{ function: 'count' }, { function: 'count_distinct', field: 'job_title' }],
        sort: [{ column: 'count', dir: 'DESC' }],
      },
    },
  },
  create: {
    method: 'POST',
    path: collection,
    caller: 'any',
    scope: 'records:write',
    status: 201,
    versioned: true,
    summary: 'Create a record with relationships',
    description:
      'Creates one record together with its links, all or nothing. Without links, `POST …/records` does ' +
      'the same, and can also update an existing record.',
    emits: ['record.created', 'record.updated', 'relationship.set'],
    query: mutationQuery,
    body: z.strictObject({ data: recordInput.extend({ relationships: links.optional() }) }),
    response: singleWithIncluded,
    errors: ['unique_violation', 'match_ambiguous', 'related_not_found'],
    examples: {
      body: {
        data: {
          type: 'person',
          attributes: {
            ...exampleAttributes,
            name: { first_name: 'Katherine', last_name: 'Johnson' },
            email_addresses: { items: ['katherine@example.com'] },
          },
          relationships: { company_id: { data: { type: 'company', id: exampleIds.company } } },
        },
      },
    },
  },
  get: {
    method: 'GET',
    replica: true,
    path: `${collection}/{id}`,
    caller: 'any',
    scope: 'records:read',
    versioned: true,
    summary: 'Get a record as a resource',
    description: 'Returns one record by its id, with the related records that `include` names.',
    query: z.strictObject({ ...includeQuery, ...fieldsQuery }),
    response: singleWithIncluded,
    errors: ['unknown_field'],
  },
  stats: {
    method: 'GET',
    replica: true,
    path: '/workspaces/{workspace}/objects/{object}/stats',
    caller: 'any',
    scope: 'records:read',
    summary: 'Count the records of an object',
    description:
      'Returns the number of records that the caller may see: the `total_records` of a list without a filter.',
    response: z.object({ data: stats }),
  },
  listDeleted: {
    method: 'GET',
    replica: true,
    path: '/workspaces/{workspace}/objects/{object}/deleted-resources',
    caller: 'any',
    scope: 'records:read',
    summary: 'List deleted records',
    description:
      `Lists the records that were deleted in the last ${deletedKeptDays} days and can be restored, the last deleted ` +
      'first unless sorted. Callers who could see a record still see it here.',
    query: z.strictObject({
      ...recordPageQuery(),
      sortOrder: sortColumn.optional().meta({ description: 'By `_deleted_at`, the only column.' }),
      ...deletedFilter,
    }),
    response: deletedPage,
    errors: ['unknown_field', 'unknown_operator', 'unknown_value', 'cursor_mismatch'],
  },
})
