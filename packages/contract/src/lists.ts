import { z } from 'zod'
import { exampleIds } from './example-ids.ts'
import { domain } from './endpoint.ts'
import { exportedRecords } from './export.ts'
import { filterQuery } from './filters.ts'
import {
  listChange,
  listLayout,
  listPermission,
  listResource,
  listSql,
  listStates,
  listTypes,
  newList,
} from './list.ts'
import { recordPageQuery, shortList, sortQuery } from './paging.ts'
import { bulkItemsMax } from './records.ts'
import { fieldsQuery, includeQuery } from './includes.ts'
import { objectName } from './record.ts'
import { recordPage } from './resources.ts'
import { searchText } from './search.ts'
import { recordReference } from './record-reference.ts'
import { empty, id, silentQuery } from './shared.ts'

/** Columns that lists are sorted by. */
export const listSortColumns = ['title', 'rank', '_created_at', '_updated_at'] as const

const answer = z.object({ data: listResource }).meta({ id: 'ListAnswer' })

/** As it stands, or in the envelope of a resource. */
const bareOrWrapped = <T extends z.ZodType>(attributes: T) =>
  z.union([
    attributes,
    z.strictObject({ data: z.strictObject({ type: z.literal('list'), id: id.optional(), attributes }) }),
  ])

const entries = z.strictObject({
  data: z
    .array(z.strictObject({ type: objectName, id: recordReference }).meta({ id: 'ListEntryInput' }))
    .min(1)
    .max(bulkItemsMax),
})

const collection = '/workspaces/{workspace}/objects/{object}/lists'
const one = `${collection}/{list}` as const
const ofOne = `${one}/resources` as const

const exampleEntries = { body: { data: [{ type: 'person', id: exampleIds.person }] } }

const asked = ['unknown_field', 'unknown_operator', 'unknown_value'] as const
const queried = [...asked, 'unsupported_sql'] as const

const ownFilter = z.strictObject({
  type: z
    .array(z.enum(listTypes))
    .max(2)
    .optional()
    .meta({ description: 'Lists of these types.', example: ['static', 'dynamic'] }),
  state: z.enum(listStates).optional().meta({ description: 'Lists in this state.' }),
  layout: listLayout.optional().meta({ description: 'Lists of this layout.' }),
  permission: listPermission.optional().meta({ description: 'Lists with this permission.' }),
  owner_id: id.optional().meta({ description: 'Lists of this owner.' }),
})

const filter = ownFilter.extend({
  entity: z
    .array(z.string().min(1).max(64))
    .max(200)
    .optional()
    .meta({ description: 'Lists of these objects.', example: ['person'] }),
})

const titleSearch = {
  search: z.string().min(1).max(200).optional().meta({ description: 'A part of the title, regardless of case.' }),
}

/** Query parameters of an export beside those of the list. */
const exportBody = z.strictObject({
  sql: listSql.optional().meta({
    description:
      'For a dynamic list: a query to export instead of its own, such as one that is being edited. For a static ' +
      'list: a query that narrows it, without `LIMIT`.',
  }),
  ...exportedRecords,
  search: z.union([searchText, z.strictObject({ query: searchText })]).optional(),
})

/** Spec §2, §4: lists of records, put together by hand or by a query. */
export const lists = domain({
  list: {
    method: 'GET',
    path: '/workspaces/{workspace}/lists',
    caller: 'any',
    scope: 'lists:read',
    summary: 'List lists',
    description:
      'Lists of all objects that the caller may see; the oldest first unless sorted. Without a filter, ' +
      'dynamic lists are omitted; with a filter, those that match are included.',
    ...shortList(listResource, listSortColumns, { filter: filter.optional(), ...titleSearch }),
    errors: ['unknown_field', 'unknown_value'],
  },
  listOfObject: {
    method: 'GET',
    path: collection,
    caller: 'any',
    scope: 'lists:read',
    summary: 'List the lists of an object',
    description: 'Static and dynamic lists that the caller may see; the oldest first unless sorted.',
    ...shortList(listResource, listSortColumns, { filter: ownFilter.optional(), ...titleSearch }),
  },
  create: {
    method: 'POST',
    path: collection,
    caller: 'any',
    scope: 'lists:write',
    status: 201,
    versioned: true,
    summary: 'Create a list',
    description:
      'A static list contains the records that you add to it. A dynamic list contains the records that its ' +
      '`query` finds whenever it is read, as far as the reader may see them. Once a dynamic list is published, it ' +
      'is also evaluated continuously, with the access of its owner or of a workspace key if it has no owner, and ' +
      'records that join or leave it cause events. A query requires `records:read` for every object in it.',
    emits: ['list.created', 'access.granted'],
    query: z.strictObject(silentQuery),
    body: bareOrWrapped(newList),
    response: answer,
    errors: queried,
    examples: { body: { title: 'Key people', type: 'static', layout: 'table', rank: 1, permission: 'workspace_edit' } },
  },
  get: {
    method: 'GET',
    path: one,
    caller: 'any',
    scope: 'lists:read',
    versioned: true,
    summary: 'Get a list',
    description: 'Returns the title, permission and layout of a list. `GET …/resources` below it returns its records.',
    response: answer,
  },
  update: {
    method: 'PATCH',
    path: one,
    caller: 'any',
    scope: 'lists:write',
    versioned: true,
    summary: 'Update a list',
    description:
      'Omitted attributes stay. Changing the permission requires `manage`, changing the query of a ' +
      'dynamic list its owner or an admin, and everything else `edit`.',
    emits: ['list.updated', 'access.granted', 'access.updated', 'access.revoked'],
    query: z.strictObject(silentQuery),
    body: bareOrWrapped(listChange),
    response: answer,
    errors: queried,
    examples: { body: { title: 'Key people of the Senate', description: 'Whom to call first.', rank: 2 } },
  },
  remove: {
    method: 'DELETE',
    path: one,
    caller: 'any',
    scope: 'lists:write',
    status: 202,
    versioned: true,
    summary: 'Delete a list',
    description: 'Deletes a list permanently; its records stay. Requires `manage`.',
    emits: ['list.deleted'],
    query: z.strictObject(silentQuery),
    response: empty,
  },
  publish: {
    method: 'POST',
    path: `${one}/publish`,
    caller: 'any',
    scope: 'lists:write',
    status: 201,
    versioned: true,
    summary: 'Publish a list',
    description:
      'Publishes a draft. From now on, Kontor evaluates a dynamic list with the access of its owner, or of a ' +
      'workspace key if the owner is not a member. Sharing the list shows others, in the activities of ' +
      "records that they may see, which of them its owner's query finds.",
    emits: ['list.published'],
    query: z.strictObject(silentQuery),
    response: answer,
    errors: ['list_broken'],
  },
  unpublish: {
    method: 'POST',
    path: `${one}/unpublish`,
    caller: 'any',
    scope: 'lists:write',
    status: 201,
    versioned: true,
    summary: 'Unpublish a list',
    description: 'Makes the list a draft: it can be read as before, but records join and leave it without events.',
    emits: ['list.unpublished'],
    query: z.strictObject(silentQuery),
    response: answer,
  },
  listRecords: {
    method: 'GET',
    replica: true,
    path: ofOne,
    caller: 'any',
    scope: 'records:read',
    summary: 'List the records of a list',
    description:
      'Lists the records of the list that the caller may see, like the records of an object. A static ' +
      'list returns the oldest first unless sorted, a dynamic list the order of its query, which is ' +
      'evaluated for every response.',
    query: z.strictObject({
      ...recordPageQuery(),
      ...sortQuery,
      ...filterQuery,
      search: searchText.optional(),
      ...fieldsQuery,
      ...includeQuery,
    }),
    response: recordPage,
    errors: [...asked, 'cursor_mismatch', 'list_broken'],
  },
  addRecords: {
    method: 'POST',
    path: ofOne,
    caller: 'any',
    scope: 'lists:write',
    recordScope: 'records:read',
    status: 200,
    emits: ['list.entry_added'],
    bodySize: 'bulk',
    summary: 'Add records to a list',
    description:
      `Up to ${bulkItemsMax}, all or none. Records that are already in the list stay unchanged. Static ` +
      'lists only.',
    query: z.strictObject(silentQuery),
    body: entries,
    response: empty,
    errors: ['related_not_found', 'match_ambiguous'],
    examples: exampleEntries,
  },
  removeRecords: {
    method: 'DELETE',
    path: ofOne,
    caller: 'any',
    scope: 'lists:write',
    recordScope: 'records:read',
    emits: ['list.entry_removed'],
    bodySize: 'bulk',
    summary: 'Remove records from a list',
    description: 'The records themselves stay. Records that are not in the list are ignored. Static lists only.',
    query: z.strictObject(silentQuery),
    body: entries,
    response: empty,
    errors: ['match_ambiguous'],
    examples: exampleEntries,
  },
  exportRows: {
    method: 'POST',
    safe: true,
    replica: true,
    path: `${one}/rows/csv`,
    caller: 'any',
    scope: 'records:read',
    media: 'text/csv',
    summary: 'Export a list as CSV',
    description:
      'Returns a header line, and one line for each record of the list that the caller may see, streamed as they ' +
      'are read. `kontor import` reads the same values again. Several items of one field are separated ' +
      'by `; `, and an item with a semicolon is quoted like a cell. Rich texts, participants, `json` and ' +
      'structured locations are JSON. Texts that a spreadsheet would read as a formula start with an ' +
      'apostrophe. Included related records have a column for each of their attributes, ' +
      '`company_id.name`; relationships to many also have `deals._count`, and their cells contain the ' +
      'first 100. Lines end as in RFC 4180. Over tRPC and actions, up to 1,000 records.',
    query: z.strictObject({
      ...sortQuery,
      ...filterQuery,
      search: searchText.optional(),
      ...fieldsQuery,
      ...includeQuery,
      ...silentQuery,
    }),
    body: exportBody.prefault({}),
    examples: {
      body: {
        sql: "SELECT * FROM person WHERE job_title LIKE '%Senator%'",
        search: 'hopper',
        sort: [{ column: 'name', dir: 'ASC' }],
        fields: { person: ['name', 'job_title'], company: ['name'] },
        include: ['company_id'],
      },
    },
    response: z.string().meta({
      description: 'CSV in UTF-8.',
      example: '_id,name,job_title\r\n019b2f6e-7a00-7000-8000-000000000001,Grace Hopper,Rear admiral\r\n',
    }),
    errors: [...queried, 'list_broken'],
  },
})
