import { z } from 'zod'
import { domain } from './endpoint.ts'
import { shortList } from './paging.ts'
import { keyScopePattern, scopeFault } from './scopes.ts'
import { empty, id, silentQuery, timestamp, visibleText } from './shared.ts'

const keyScopes = z
  .array(z.string().regex(keyScopePattern, { error: ({ input }) => scopeFault(input) }))
  .max(100)
  .meta({
    description:
      'The scopes of the key; empty for everything that its actor may do. Only keys can also have ' +
      '`deliveries:read:<id of a webhook>` and `deliveries:write:<id of a webhook>`, to read and resend ' +
      'the deliveries of that webhook. A key with only these scopes can do nothing beyond that.',
    example: ['records:read'],
  })

const keyName = visibleText(200).meta({ example: 'Nightly import' })

const attributes = z.object({
  _id: id,
  name: z.string(),
  key_prefix: z.string().meta({ description: 'Leading characters of the key.', example: 'kp_Zk3w' }),
  scopes: z.array(z.string()),
  actor: z
    .object({ type: z.enum(['user', 'workspace']), id })
    .meta({ description: 'The user or workspace that the key acts as.' }),
  on_behalf_of: z.string().nullable(),
  hidden: z.boolean(),
  _created_by: z.string(),
  expires_at: timestamp.nullable(),
  _created_at: timestamp,
  _updated_at: timestamp,
  last_used_at: timestamp.nullable().meta({ description: 'Written at most once a minute.' }),
})

/** Columns that API keys are sorted by. */
export const apiKeySortColumns = ['name', 'expires_at', 'last_used_at', '_created_at', '_updated_at'] as const

export const apiKey = z.object({ type: z.literal('api-key'), id, attributes }).meta({ id: 'ApiKey' })

export const apiKeyWithSecret = z
  .object({
    type: z.literal('api-key'),
    id,
    attributes: attributes.extend({
      cleartext_api_key: z.string().meta({ description: 'The secret; shown only once.' }),
    }),
  })
  .meta({ id: 'ApiKeyWithSecret' })

const collection = '/workspaces/{workspace}/api-keys'

export const apiKeys = domain({
  list: {
    method: 'GET',
    path: collection,
    caller: 'any',
    scope: null,
    openToApps: 'keys:write',
    summary: 'List API keys',
    description: 'Lists your own personal keys, the oldest first unless sorted. Admins also see the workspace keys.',
    ...shortList(apiKey, apiKeySortColumns, {}),
  },
  create: {
    method: 'POST',
    path: collection,
    caller: 'user',
    scope: null,
    openToApps: 'keys:write',
    role: 'viewer',
    status: 201,
    summary: 'Create an API key',
    description:
      'A personal key acts as its creator; only admins create workspace keys. Only this response ' +
      'contains the secret.',
    emits: ['api_key.created'],
    query: z.strictObject({ ...silentQuery }),
    body: z.strictObject({
      data: z.strictObject({
        type: z.literal('api-key'),
        attributes: z.strictObject({
          name: keyName,
          scopes: keyScopes.default([]),
          actor_type: z
            .enum(['user', 'workspace'])
            .default('user')
            .meta({ description: '`user`: a personal key; `workspace`: a workspace key.' }),
          expires_at: timestamp.nullable().optional(),
        }),
      }),
    }),
    response: z.object({ data: apiKeyWithSecret }),
    secret: true,
    errors: ['forbidden'],
    examples: {
      body: {
        data: { type: 'api-key', attributes: { name: 'Nightly import', scopes: ['records:read'], actor_type: 'user' } },
      },
    },
  },
  get: {
    method: 'GET',
    path: `${collection}/{id}`,
    caller: 'any',
    scope: null,
    openToApps: 'keys:write',
    summary: 'Get an API key',
    description:
      'Returns the name, the scopes and the actor of a key. The secret was shown only when the key was created.',
    response: z.object({ data: apiKey }),
  },
  update: {
    method: 'PATCH',
    path: `${collection}/{id}`,
    caller: 'any',
    scope: null,
    openToApps: 'keys:write',
    role: 'viewer',
    summary: 'Rename an API key',
    description: 'Only the name can be changed: actor and scopes are chosen when a key is created.',
    emits: ['api_key.updated'],
    query: z.strictObject({ ...silentQuery }),
    body: z.strictObject({
      data: z.strictObject({
        type: z.literal('api-key'),
        id: id.optional(),
        attributes: z.strictObject({ name: keyName }),
      }),
    }),
    response: z.object({ data: apiKey }),
    errors: ['forbidden'],
    examples: { body: { data: { type: 'api-key', attributes: { name: 'Hourly import' } } } },
  },
  remove: {
    method: 'DELETE',
    path: `${collection}/{id}`,
    caller: 'any',
    scope: null,
    openToApps: 'keys:write',
    role: 'viewer',
    summary: 'Revoke an API key',
    description:
      'It stops working; other keys of the same actor stay. Workflows, agents, campaigns and webhooks that were ' +
      'created or enabled with it are disabled with `credential_ended`, as when it expires.',
    emits: ['api_key.revoked'],
    query: z.strictObject({ ...silentQuery }),
    response: empty,
    errors: ['forbidden'],
  },
  rotate: {
    method: 'POST',
    path: `${collection}/{id}/rotate`,
    caller: 'user',
    scope: null,
    openToApps: 'keys:write',
    role: 'viewer',
    summary: 'Rotate an API key',
    description:
      'Gives the key a new secret. The old one stays valid for `overlap_hours`, and up to ten earlier ones for as ' +
      'long as their rotation promised; `overlap_hours: 0` ends all of them. Everything that was ' +
      'created with the key keeps working.',
    emits: ['api_key.rotated'],
    query: z.strictObject({ ...silentQuery }),
    body: z.strictObject({ overlap_hours: z.number().min(0).max(72).default(0) }).prefault({}),
    response: z.object({ data: apiKeyWithSecret }),
    secret: true,
    errors: ['forbidden'],
    examples: { body: { overlap_hours: 24 } },
  },
})
