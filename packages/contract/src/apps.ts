import { z } from 'zod'
import { domain } from './endpoint.ts'
import { shortList } from './paging.ts'
import { appTypes, redirectUriFault, type AppType } from './redirect-uri.ts'
import { describeScope, personalScopes, scopes as scopeNames } from './scopes.ts'
import { empty, id, silentQuery, timestamp, visibleText, wrappedOrBare } from './shared.ts'

const appRedirectUrisMax = 20
const redirectUriMax = 500

/** Controls, and characters that reverse the direction of text: they make one name look like another. */
const disguising = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u

/** The name of an app, as people see it before they consent. */
export const appName = visibleText(100)
  .refine((name) => !disguising.test(name), {
    error: 'Must not contain control characters or characters that change the direction of text.',
  })
  .meta({ example: 'Mail Merge' })

const type = z.enum(appTypes).meta({
  description:
    '`confidential`: it runs on a server and keeps a secret. `public`: it runs in a browser or on a device, has no ' +
    'secret, and uses PKCE.',
})
const redirectUris = z
  .array(z.string().max(redirectUriMax))
  .min(1)
  .max(appRedirectUrisMax)
  .meta({
    description: 'The addresses that people are sent back to, compared exactly. HTTPS, except on the loopback host.',
    example: ['https://app.example.com/callback'],
  })
const allowedScopes =
  `The scopes are: ${[...scopeNames, ...personalScopes].join(', ')}; for records of one object, records:read:person ` +
  'and the like; and to sign in, openid.'
const scope = z.string().refine((name) => describeScope(name) !== undefined, {
  error: ({ input }) => `"${String(input).slice(0, 64)}" is not a scope. ${allowedScopes}`,
})
const scopes = z
  .array(scope)
  .max(100)
  .nullable()
  .meta({
    description: 'The scopes that it may request; null for all that end with the consent.',
    example: ['records:read'],
  })

const attributes = z.object({
  _id: id,
  name: z.string(),
  type,
  redirect_uris: z.array(z.string()),
  scopes: z.array(z.string()).nullable().meta({ description: 'The scopes that it may request; null: all.' }),
  secret_id: z.string().nullable().meta({
    description: 'Changes with each rotation of the secret; null for a public app.',
    example: 'Z0nQ4tB1xkE7',
  }),
  people: z.int().meta({ description: 'Members who have connected it to this workspace.', example: 3 }),
  _created_at: timestamp,
  _created_by: id.nullable().meta({ description: 'The admin who registered it; null if that is unknown.' }),
})

/** Columns that apps are sorted by. */
export const appSortColumns = ['name', '_created_at'] as const

export const app = z.object({ type: z.literal('app'), id, attributes }).meta({ id: 'App' })

export const appWithSecret = z
  .object({
    type: z.literal('app'),
    id,
    attributes: attributes.extend({
      client_secret: z.string().nullable().meta({ description: 'The secret; shown only once. Null for a public app.' }),
    }),
  })
  .meta({ id: 'AppWithSecret' })

/** Adds the fault of each redirect URI. */
function checkRedirectUris(
  context: z.core.$RefinementCtx,
  given: { readonly type: AppType; readonly redirect_uris: readonly string[] },
): void {
  for (const [index, uri] of given.redirect_uris.entries()) {
    const message = redirectUriFault(uri, given.type)
    if (message !== undefined)
      context.addIssue({ code: 'custom', message: `The redirect URI ${message}`, path: ['redirect_uris', index] })
  }
}

/** An app that is registered, of a workspace or by the operator of a server. */
export const newApp = z
  .strictObject({
    name: appName,
    type: type.default('confidential'),
    redirect_uris: redirectUris,
    scopes: scopes.default(null),
  })
  .superRefine((given, context) => checkRedirectUris(context, given))

const collection = '/workspaces/{workspace}/apps'

export const apps = domain({
  list: {
    method: 'GET',
    path: collection,
    caller: 'any',
    scope: 'members:read',
    role: 'admin',
    summary: 'List apps',
    description: 'Lists the OAuth apps that are registered for this workspace, by name unless sorted.',
    ...shortList(app, appSortColumns, {}),
  },
  create: {
    method: 'POST',
    path: collection,
    caller: 'user',
    scope: null,
    role: 'admin',
    status: 201,
    summary: 'Register an app',
    description:
      'Registers an OAuth app. Only members of this workspace can connect it, and only to this workspace. Its ' +
      '`id` is its client id. Only this response contains the client secret.',
    emits: ['app.created'],
    query: z.strictObject({ ...silentQuery }),
    body: wrappedOrBare('app', newApp),
    response: z.object({ data: appWithSecret }),
    secret: true,
    errors: ['unique_violation'],
    examples: {
      body: {
        name: 'Mail Merge',
        type: 'confidential',
        redirect_uris: ['https://app.example.com/callback'],
        scopes: ['records:read'],
      },
    },
  },
  get: {
    method: 'GET',
    path: `${collection}/{id}`,
    caller: 'any',
    scope: 'members:read',
    role: 'admin',
    summary: 'Get an app',
    description: 'Returns the name, the redirect URIs and the scopes of an app. The secret is not shown.',
    response: z.object({ data: app }),
  },
  update: {
    method: 'PATCH',
    path: `${collection}/{id}`,
    caller: 'user',
    scope: null,
    role: 'admin',
    summary: 'Change an app',
    description:
      'Changes the redirect URIs or the scopes. People keep the name that they consented to: register another app ' +
      'to change it. Fewer scopes apply to tokens that are issued from then on.',
    emits: ['app.updated'],
    query: z.strictObject({ ...silentQuery }),
    body: wrappedOrBare('app', z.strictObject({ redirect_uris: redirectUris.optional(), scopes: scopes.optional() })),
    response: z.object({ data: app }),
    examples: { body: { redirect_uris: ['https://app.example.com/callback', 'http://localhost:3000/callback'] } },
  },
  remove: {
    method: 'DELETE',
    path: `${collection}/{id}`,
    caller: 'any',
    scope: 'members:write',
    role: 'admin',
    summary: 'Remove an app',
    description:
      'Ends every consent to it and all its tokens. Workflows, agents, campaigns and webhooks that were created with ' +
      'it are disabled with `credential_ended`.',
    emits: ['app.deleted'],
    query: z.strictObject({ ...silentQuery }),
    response: empty,
  },
  rotate: {
    method: 'POST',
    path: `${collection}/{id}/rotate`,
    caller: 'user',
    scope: null,
    role: 'admin',
    summary: 'Rotate the secret of an app',
    description:
      'Gives a confidential app a new secret; the old one stops working immediately. Only this response contains it.',
    emits: ['app.secret_rotated'],
    query: z.strictObject({ ...silentQuery }),
    body: z
      .strictObject({
        secret_id: z.string().max(100).optional().meta({
          description: 'The `secret_id` that you have read: refused with 422 if the app has another secret by now.',
        }),
      })
      .prefault({}),
    response: z.object({ data: appWithSecret }),
    secret: true,
    examples: { body: {} },
  },
})
