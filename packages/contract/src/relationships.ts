import { z } from 'zod'
import { exampleIds } from './example-ids.ts'
import { domain } from './endpoint.ts'
import { filterQuery } from './filters.ts'
import { recordPageQuery, sortQuery } from './paging.ts'
import { bulkItemsMax } from './records.ts'
import { fieldsQuery, includeQuery } from './includes.ts'
import { mutationQuery, removal } from './mutations.ts'
import { objectName } from './record.ts'
import { recordPage } from './resources.ts'
import { recordMatch, recordReference } from './record-reference.ts'
import { id } from './shared.ts'

const path = '/workspaces/{workspace}/objects/{object}/records/{id}/relationships/{relationship}'

const identifier = z.strictObject({ type: objectName, id: recordReference }).meta({ id: 'LinkInput' })

/** In a replacement of one-to-many links `id: null` unlinks all that are there first. */
const entry = z
  .strictObject({
    type: objectName,
    id: z
      .union([id, recordMatch, z.null()])
      .meta({ description: 'null: every record that is linked now is unlinked first.' }),
  })
  .meta({ id: 'LinkReplacement' })

const oneOrMany = <T extends z.ZodType>(item: T) => z.union([item, z.array(item).max(bulkItemsMax)])

const example = { data: [{ type: 'deal', id: exampleIds.deal }] }

/** The links of one record along one relationship field of its object. */
export const relationships = domain({
  list: {
    method: 'GET',
    replica: true,
    path,
    caller: 'any',
    scope: 'records:read',
    summary: 'List related records',
    description:
      'Returns a page of related records, the oldest first unless sorted. `include` names paths from the ' +
      'record in the path, so they start with the relationship: `deals.company_id`.',
    query: z.strictObject({ ...recordPageQuery(), ...sortQuery, ...filterQuery, ...fieldsQuery, ...includeQuery }),
    response: recordPage,
    errors: ['unknown_field', 'unknown_operator', 'unknown_value', 'cursor_mismatch'],
  },
  replace: {
    method: 'PATCH',
    path,
    caller: 'any',
    scope: 'records:write',
    emits: ['relationship.set', 'relationship.unset', 'record.updated'],
    bodySize: 'bulk',
    summary: 'Replace related records',
    description:
      'For to-one and many-to-many relationships, the records of the body replace the links: `[]` or ' +
      'null removes all. For one-to-many, they are added, and moved from their current record; an entry ' +
      'with `id: null` first removes all links.',
    query: mutationQuery,
    body: z.strictObject({ data: z.union([entry, z.array(entry).max(bulkItemsMax), z.null()]) }),
    response: removal,
    errors: ['related_not_found', 'match_ambiguous'],
    examples: { body: example },
  },
  add: {
    method: 'POST',
    path,
    caller: 'any',
    scope: 'records:write',
    status: 200,
    emits: ['relationship.set', 'record.updated'],
    bodySize: 'bulk',
    summary: 'Add related records',
    description: 'For to-many relationships. Existing links stay unchanged.',
    query: mutationQuery,
    body: z.strictObject({ data: oneOrMany(identifier) }),
    response: removal,
    errors: ['related_not_found', 'match_ambiguous'],
    examples: { body: example },
  },
  remove: {
    method: 'DELETE',
    path,
    caller: 'any',
    scope: 'records:write',
    emits: ['relationship.unset', 'record.updated'],
    bodySize: 'bulk',
    summary: 'Remove links',
    description: 'Removes only links; the records stay. Missing links are ignored.',
    query: mutationQuery,
    body: z.strictObject({ data: oneOrMany(identifier) }),
    response: removal,
    errors: ['match_ambiguous'],
    examples: { body: example },
  },
})
