import { z } from 'zod'
import { exampleIds } from './example-ids.ts'
import { domain } from './endpoint.ts'
import { accessDefaults } from './schema-document.ts'
import { accessLevels, empty, id, silentQuery, timestamp } from './shared.ts'

/** Grants that one request may give. */
export const bulkGrantsMax = 1000

const level = z.enum(accessLevels).meta({
  id: 'AccessLevel',
  description:
    '`view`, `comment`, `edit` (change, delete and restore), `manage` (share it, too); each includes those before it.',
  example: 'view',
})

const granteeType = z
  .enum(['user', 'workspace'])
  .meta({ description: "`workspace`: every member, and the workspace's keys.", example: 'user' })

const grant = z
  .object({
    type: z.literal('object-record-access'),
    id,
    attributes: z.object({
      _id: id,
      object_id: id.meta({ description: 'The shared thing: the id of a record or a list, or the name of an object.' }),
      grantee_type: granteeType,
      grantee_id: id.nullable().meta({ description: 'The user; null for the workspace.' }),
      access_level: level,
      _created_at: timestamp,
      _created_by: id,
      _updated_at: timestamp.nullable(),
      _updated_by: id.nullable(),
    }),
  })
  .meta({ id: 'AccessGrant' })

export type AccessGrantResource = z.infer<typeof grant>

const grantInput = z
  .strictObject({
    type: z.enum(['object-record-access', 'object-access']),
    attributes: z.strictObject({
      grantee_type: granteeType
        .optional()
        .meta({ description: 'May be omitted if the grantee is a user and their id is sent.' }),
      grantee_id: id
        .nullable()
        .optional()
        .meta({ description: 'A member of the workspace; null, or omitted, for the workspace itself.' }),
      delegate_type: granteeType.optional().meta({ description: 'Another name of `grantee_type`.' }),
      delegate_id: id.nullable().optional().meta({ description: 'Another name of `grantee_id`.' }),
      access_level: level,
      notify: z
        .boolean()
        .optional()
        .meta({
          description:
            'True if the grantee is notified; by default true. The event contains it too, for programs that ' +
            'read events.',
        }),
    }),
  })
  .meta({ id: 'AccessGrantInput' })

export type AccessGrantInput = z.infer<typeof grantInput>

const reason = z
  .object({
    access_level: level,
    source: z.enum(['role', 'owner', 'object_default', 'object_grant', 'grant', 'visibility']).meta({
      description:
        "An admin's role, having created it, what the object gives to every member, a grant on all records " +
        'of the object, a grant, or the `visibility` that it has itself.',
    }),
    grant_id: id.nullable().meta({ description: 'The grant, if `source` is a grant.' }),
    grantee_type: granteeType.nullable(),
  })
  .meta({
    id: 'AccessReason',
    description: 'One thing that gives access. The highest of them counts; a viewer reads at most.',
  })

export type AccessReason = z.infer<typeof reason>

const explanation = z
  .object({
    type: z.literal('access-explanation'),
    id: id.meta({ description: 'The record, object or list that the question is about.' }),
    attributes: z.object({
      user_id: id,
      role: z.enum(['admin', 'member', 'viewer']),
      object_default: z.enum(accessDefaults),
      access_level: z
        .enum(['none', ...accessLevels])
        .meta({ description: 'The access of the user: the highest level that applies.' }),
      reasons: z
        .array(reason)
        .meta({ description: 'Everything that gives access, the highest level first; empty if nothing does.' }),
    }),
  })
  .meta({ id: 'AccessExplanation' })

const collection = '/workspaces/{workspace}/objects/{object}/records/{id}/access'

const exampleGrant = {
  type: 'object-record-access',
  attributes: { grantee_type: 'user', grantee_id: exampleIds.member, access_level: 'view' },
}

const ofObject = '/workspaces/{workspace}/objects/{object}/access'

const sharing = 'Requires `manage`. Workspace keys cannot call it.'

/** Spec §4: who else may see a record, a list, a meeting or a message, and what they may do with it. */
export const access = domain({
  listOfObject: {
    method: 'GET',
    path: ofObject,
    caller: 'any',
    scope: 'access:read',
    recordScope: 'records:read',
    summary: 'List the grants of an object',
    description: 'Lists the grants on all records of an object. Workspace keys cannot call it.',
    response: z.object({ data: z.array(grant) }),
    errors: ['forbidden'],
  },
  createOfObject: {
    method: 'POST',
    path: ofObject,
    caller: 'any',
    role: 'admin',
    scope: 'access:write',
    recordScope: 'records:read',
    status: 201,
    alternativeStatus: { status: 200, description: 'The grantee had a grant: it now has this level.' },
    summary: 'Share all records of an object',
    description:
      'Grants a level on all records of an object, future ones included, to a member or to the whole ' +
      'workspace, for example meetings to an assistant. It adds to the default of the object. Workspace ' +
      'keys cannot call it.',
    emits: ['access.granted', 'access.updated'],
    query: z.strictObject(silentQuery),
    body: z.strictObject({ data: grantInput }),
    response: z.object({ data: grant }),
    examples: { body: { data: exampleGrant } },
  },
  removeOfObject: {
    method: 'DELETE',
    path: `${ofObject}/{grant}`,
    caller: 'any',
    role: 'admin',
    scope: 'access:write',
    recordScope: 'records:read',
    status: 202,
    summary: 'Revoke a grant of an object',
    description: 'Grants on single records stay. Workspace keys cannot call it.',
    emits: ['access.revoked'],
    query: z.strictObject(silentQuery),
    response: empty,
  },
  list: {
    method: 'GET',
    path: collection,
    caller: 'any',
    scope: 'access:read',
    recordScope: 'records:read',
    summary: 'List the grants of a record',
    description:
      'Lists the grants. `meta.viewerAccess` contains the access of the caller and its sources, the ' +
      'highest first. `{object}` is an object, or `list`. Workspace keys cannot call it.',
    response: z.object({ data: z.array(grant), meta: z.object({ viewerAccess: z.array(reason) }) }),
    errors: ['forbidden'],
  },
  create: {
    method: 'POST',
    path: collection,
    caller: 'any',
    scope: 'access:write',
    recordScope: 'records:read',
    status: 201,
    alternativeStatus: { status: 200, description: 'The grantee had a grant: it now has this level.' },
    summary: 'Share a record',
    description: `Grants a level to a member, or to the whole workspace. ${sharing}`,
    emits: ['access.granted', 'access.updated'],
    query: z.strictObject(silentQuery),
    body: z.strictObject({ data: grantInput }),
    response: z.object({ data: grant }),
    examples: { body: { data: exampleGrant } },
  },
  createMany: {
    method: 'POST',
    path: `${collection}/bulk`,
    caller: 'any',
    scope: 'access:write',
    recordScope: 'records:read',
    status: 201,
    summary: 'Share a record with many',
    description: `Up to ${bulkGrantsMax} grants, all or none. ${sharing}`,
    emits: ['access.granted', 'access.updated'],
    query: z.strictObject(silentQuery),
    body: z.strictObject({ data: z.array(grantInput).min(1).max(bulkGrantsMax) }),
    response: z.object({ data: z.array(grant) }),
    examples: {
      body: {
        data: [
          exampleGrant,
          { type: 'object-record-access', attributes: { grantee_type: 'workspace', access_level: 'comment' } },
        ],
      },
    },
  },
  explain: {
    method: 'GET',
    path: `${collection}/explain`,
    caller: 'any',
    scope: 'access:read',
    recordScope: 'records:read',
    summary: 'Explain access',
    description:
      'Explains the access of a member to a record. Anyone who may see the record may call it. Workspace ' +
      'keys cannot call it.',
    query: z.strictObject({
      user: id.optional().meta({ description: 'A member of the workspace; by default the caller.' }),
    }),
    response: z.object({ data: explanation }),
    errors: ['forbidden', 'unknown_value'],
  },
  update: {
    method: 'PATCH',
    path: `${collection}/{grant}`,
    caller: 'any',
    scope: 'access:write',
    recordScope: 'records:read',
    summary: 'Change a grant',
    description: `Changes the level of a grant. ${sharing}`,
    emits: ['access.updated'],
    query: z.strictObject(silentQuery),
    body: z.union([
      z.strictObject({ access_level: level }),
      z.strictObject({
        data: z.strictObject({
          type: z.literal('object-record-access'),
          id: id.optional(),
          attributes: z.strictObject({ access_level: level }),
        }),
      }),
    ]),
    response: z.object({ data: grant }),
    examples: { body: { access_level: 'edit' } },
  },
  remove: {
    method: 'DELETE',
    path: `${collection}/{grant}`,
    caller: 'any',
    scope: 'access:write',
    recordScope: 'records:read',
    status: 202,
    summary: 'Revoke a grant',
    description: sharing,
    emits: ['access.revoked'],
    query: z.strictObject(silentQuery),
    response: empty,
  },
})
