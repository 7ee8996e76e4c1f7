import { z } from 'zod'
import { exampleIds } from './example-ids.ts'
import { domain } from './endpoint.ts'
import { errorObject } from './errors.ts'
import { recordReference } from './record-reference.ts'
import { countryCode, id, withoutBody } from './shared.ts'
import { exampleAttributes, record, objectName } from './record.ts'
import { mutationMeta, mutationQuery, removal } from './mutations.ts'
import { includeQuery, fieldsQuery } from './includes.ts'

export const bulkItemsMax = 10_000

/** The time in which a deleted record can be restored. */
export const deletedKeptDays = 30

/** Records that one request merges into another: each brings its feed and all its links into one transaction. */
export const mergeSourcesMax = 100

const attributes = z.record(z.string(), z.unknown()).meta({
  id: 'Attributes',
  description: 'Values by field name. A reference is the id of a record, or a `RecordMatch`.',
})

const changedAttributes = z.record(z.string(), z.unknown()).meta({
  id: 'ChangedAttributes',
  description:
    'Values by field name; those that are absent stay, `null` clears. A reference is the id of a record, or a ' +
    '`RecordMatch`.',
})

export const recordInput = z.strictObject({ type: objectName, attributes }).meta({ id: 'RecordInput' })

const recordChange = z
  .strictObject({ type: objectName, id: id.optional(), attributes: changedAttributes })
  .meta({ id: 'RecordChange' })

const matchOn = z
  .string()
  .min(1)
  .max(200)
  .meta({
    id: 'UniqueField',
    description:
      'A unique field; if a record has the same value, your values are merged into it. Omitted values ' +
      'stay, including parts of names, locations and JSON objects; collections are united, with your ' +
      'items first; other values replace the old ones.',
  })
  .optional()

const defaultCountry = countryCode
  .meta({
    id: 'DefaultCountry',
    description:
      'The country of phone numbers in this body without a country code, as a two-letter code (ISO 3166); by default ' +
      'the setting `default_country`.',
    example: 'CH',
  })
  .optional()

/** The write strategies of a change. */
export const writeStrategies = z
  .record(
    z.string(),
    z.strictObject({
      collection: z.enum(['append', 'remove', 'replace']).optional(),
      array: z.enum(['append', 'replace']).optional(),
      object: z.enum(['merge', 'replace']).optional(),
    }),
  )
  .meta({
    id: 'WriteStrategies',
    description:
      'The write strategy by field. By default a value is replaced. With `match_on`, which only ' +
      'creations have, collections are united and objects merged.',
    example: { labels: { collection: 'append' } },
  })

export type WriteStrategies = z.infer<typeof writeStrategies>

export const single = z.object({ data: record, meta: mutationMeta.optional() }).meta({ id: 'RecordAnswer' })

export const singleWithIncluded = z
  .object({ data: record, included: z.array(record), meta: mutationMeta })
  .meta({ id: 'ResourceAnswer' })

const bulkMeta = mutationMeta
  .extend({
    created: z.int().meta({ description: 'Records that were created.' }),
    updated: z.int().meta({ description: 'Items that changed a record which `match_on` found.' }),
    unchanged: z.int().meta({ description: 'Items that found a record as it should be.' }),
  })
  .meta({ id: 'BulkMeta' })

const createdMany = z.object({ data: z.array(record), meta: bulkMeta }).meta({ id: 'BulkAnswer' })

const bulkResult = z
  .object({
    index: z.int().meta({ description: 'Position of the item in the body, from 0.' }),
    status: z.int().meta({
      description:
        'The status that the item would have in a request of its own: 201, 200 if it was merged into a ' +
        'record, or that of its errors.',
    }),
    data: record.optional(),
    errors: z
      .array(errorObject)
      .min(1)
      .optional()
      .meta({ description: 'Why the item was refused; pointers are from the root of the body.' }),
  })
  .meta({ id: 'BulkResult', description: 'The result of one item: `data` or `errors`.' })

const createdEach = z
  .object({
    results: z.array(bulkResult),
    meta: bulkMeta.extend({ succeeded: z.int(), failed: z.int() }).meta({ id: 'BulkResultsMeta' }),
  })
  .meta({ id: 'BulkResults', description: 'One result for each item, in the order of the body.' })

const many = z.object({ data: z.array(record), meta: mutationMeta.optional() }).meta({ id: 'RecordsAnswer' })

const collection = '/workspaces/{workspace}/objects/{object}/records'

/** One who is not in the sample data, so that the example creates a record. */
const newPerson = {
  name: { first_name: 'Mary', last_name: 'Jackson' },
  email_addresses: { items: ['mary.jackson@example.com'] },
  job_title: 'Engineer',
}

export const records = domain({
  create: {
    method: 'POST',
    path: collection,
    caller: 'any',
    scope: 'records:write',
    status: 201,
    alternativeStatus: { status: 200, description: 'The record that `match_on` found and that was merged into.' },
    versioned: true,
    summary: 'Create a record',
    description:
      'Creates one record with its attributes. With `match_on`, a record that has the same value of this ' +
      'unique field is updated instead, and the response is 200; `meta` sets the write strategy of a ' +
      'field. `POST …/resources` creates a record together with its links.',
    emits: ['record.created', 'record.updated', 'access.revoked'],
    query: mutationQuery,
    body: z.strictObject({
      data: recordInput,
      match_on: matchOn,
      meta: writeStrategies.optional(),
      default_country: defaultCountry,
    }),
    response: single,
    errors: ['unique_violation', 'match_ambiguous'],
    examples: { body: { data: { type: 'person', attributes: newPerson }, match_on: 'email_addresses' } },
  },
  createMany: {
    method: 'POST',
    path: `${collection}/bulk`,
    caller: 'any',
    scope: 'records:write',
    status: 201,
    alternativeStatus: {
      status: 200,
      description: 'With `atomic=false`: what became of each item.',
      response: createdEach,
    },
    emits: ['record.created', 'record.updated', 'access.revoked'],
    bodySize: 'bulk',
    itemByItem: { item: recordInput, instead: { type: 'record', attributes: {} } },
    summary: 'Create many records',
    description:
      'Up to 10,000, all or none. With `match_on`, existing records are updated, as in a single ' +
      'creation. With `atomic=false`, each item succeeds or fails separately, in the order of the body: ' +
      'valid items are written, and the response contains a result for each item. Only faults outside ' +
      'the items reject the whole request.',
    query: mutationQuery.extend({
      atomic: z.boolean().optional().meta({
        description: 'By default `true`: all items or none. With `false`, each item succeeds or fails separately.',
      }),
    }),
    body: z.strictObject({
      data: z.array(recordInput).min(1).max(bulkItemsMax),
      match_on: matchOn,
      meta: writeStrategies.optional(),
      default_country: defaultCountry,
    }),
    response: createdMany,
    errors: ['unique_violation', 'match_ambiguous'],
    examples: { body: { data: [{ type: 'person', attributes: exampleAttributes }], match_on: 'email_addresses' } },
  },
  get: {
    method: 'GET',
    path: `${collection}/{id}`,
    caller: 'any',
    scope: 'records:read',
    versioned: true,
    summary: 'Get a record',
    description:
      'Returns one record by its id, in the same form as changes do. For lists, filters and counts, use ' +
      '`GET …/resources`.',
    query: z.strictObject({ ...includeQuery, ...fieldsQuery }),
    response: singleWithIncluded,
    errors: ['unknown_field'],
  },
  update: {
    method: 'PATCH',
    path: `${collection}/{id}`,
    caller: 'any',
    scope: 'records:write',
    versioned: true,
    summary: 'Update a record',
    description: 'Changes the attributes that you send; `null` clears. A write that changes nothing leaves no trace.',
    emits: ['record.updated', 'access.revoked'],
    query: mutationQuery,
    body: z.strictObject({ data: recordChange, meta: writeStrategies.optional() }),
    response: single,
    errors: ['unique_violation', 'match_ambiguous'],
    examples: { body: { data: { type: 'person', attributes: { job_title: 'Professor' } } } },
  },
  updateMany: {
    method: 'PATCH',
    path: collection,
    caller: 'any',
    scope: 'records:write',
    emits: ['record.updated', 'access.revoked'],
    bodySize: 'bulk',
    summary: 'Update many records',
    description: 'All or none, up to 10,000; every id is checked first.',
    query: mutationQuery,
    body: z.strictObject({
      data: z
        .array(recordChange.extend({ id: recordReference }))
        .min(1)
        .max(bulkItemsMax),
      meta: writeStrategies.optional(),
    }),
    response: many,
    errors: ['unique_violation', 'match_ambiguous'],
    examples: { body: { data: [{ type: 'person', id: exampleIds.person, attributes: { job_title: 'Professor' } }] } },
  },
  remove: {
    method: 'DELETE',
    path: `${collection}/{id}`,
    caller: 'any',
    scope: 'records:delete',
    versioned: true,
    summary: 'Delete a record',
    description:
      'The record disappears everywhere. It can be restored for the number of days that `GET …/limits` returns.',
    emits: ['record.deleted', 'record.updated'],
    query: mutationQuery,
    response: removal,
  },
  removeMany: {
    method: 'DELETE',
    path: collection,
    caller: 'any',
    scope: 'records:delete',
    emits: ['record.deleted', 'record.updated'],
    bodySize: 'bulk',
    summary: 'Delete many records',
    description: 'All or none, up to 10,000; an unknown id is 404 and nothing is deleted.',
    query: mutationQuery,
    errors: ['match_ambiguous'],
    body: z.strictObject({ items: z.array(recordReference).min(1).max(bulkItemsMax) }),
    response: removal,
    examples: { body: { items: [exampleIds.spare] } },
  },
  restore: {
    method: 'POST',
    path: `${collection}/restore`,
    caller: 'any',
    scope: 'records:write',
    emits: ['record.restored', 'record.updated'],
    bodySize: 'bulk',
    summary: 'Restore deleted records',
    description:
      `All or none, up to 10,000, within ${deletedKeptDays} days of their deletion. Their links are ` +
      'restored too, if the other end exists and no other link has replaced them. An id that cannot be ' +
      'restored, since it was never deleted, is purged or was merged, is 404 and named in `meta.ids`.',
    query: mutationQuery,
    body: z.strictObject({ items: z.array(id).min(1).max(bulkItemsMax) }),
    response: many,
    errors: ['unique_violation'],
    examples: { body: { items: [exampleIds.deleted] } },
  },
  merge: {
    method: 'POST',
    path: `${collection}/{id}/merges`,
    caller: 'any',
    scope: 'records:delete',
    recordScope: 'records:write',
    status: 204,
    alternativeStatus: {
      status: 200,
      description: 'In a dry run: what would change.',
      response: z.strictObject({ meta: mutationMeta }).meta({ id: 'MergeRehearsal' }),
    },
    summary: 'Merge records',
    description:
      'Merges up to 100 records, the sources, into the record in the path. Its values win, empty ones ' +
      'are filled from the sources in their order, and collections are united. Links, comments, ' +
      'activities and places in static lists move, and references to a source now refer to it. The ' +
      'sources then return 404 with `meta.merged_into`, and cannot be restored. It requires the level ' +
      '`manage` on every one of the records, or `edit` if that is the default of their object. The ' +
      'owners of the sources manage the target from then on; other grants on the sources move only if ' +
      'the caller could have granted them on the target. With `dry_run=true` the response is 200 instead ' +
      'of 204, after the same checks, and `meta.diff` lists everything that would change in the target: ' +
      'values, links, comments (`comments`), grants (`access`, then the id of a user or `workspace`) and ' +
      'lists (`lists`), as far as the caller may see them.',
    emits: ['record.merged', 'record.updated'],
    query: mutationQuery,
    errors: ['match_ambiguous'],
    body: z.strictObject({
      data: z.strictObject({
        type: objectName,
        attributes: z.strictObject({
          sources: z
            .array(recordReference)
            .min(1)
            .max(mergeSourcesMax)
            .meta({ description: 'Ids of records of the same object, each once.' }),
        }),
      }),
    }),
    response: withoutBody,
    examples: { body: { data: { type: 'person', attributes: { sources: [exampleIds.duplicate] } } } },
  },
})
