import { z } from 'zod'
import { domain } from './endpoint.ts'
import { page } from './paging.ts'
import { id, silentQuery, timestamp, visibleText } from './shared.ts'

export const workspace = z
  .object({
    type: z.literal('workspace'),
    id,
    attributes: z.object({
      slug: z.string().meta({ description: 'Never changes.', example: 'acme' }),
      name: z.string().meta({ example: 'Acme' }),
      organization_id: id,
      created_at: timestamp,
    }),
  })
  .meta({ id: 'Workspace' })

export const workspaces = domain({
  list: {
    method: 'GET',
    path: '/workspaces',
    caller: 'user',
    scope: null,
    openToApps: true,
    summary: 'List workspaces',
    description: 'Returns all workspaces of the signed-in user, in one page. User access token only.',
    response: page(workspace),
  },
  update: {
    method: 'PATCH',
    path: '/workspaces/{workspace}',
    caller: 'user',
    scope: null,
    openToApps: 'workspaces:write',
    role: 'admin',
    summary: 'Rename a workspace',
    description: 'Changes the display name; the slug stays. Admins with a user access token only.',
    emits: ['workspace.updated'],
    query: z.strictObject({ ...silentQuery }),
    body: z.strictObject({
      data: z.strictObject({
        type: z.literal('workspace'),
        id: id.optional(),
        attributes: z.strictObject({ name: visibleText(200) }),
      }),
    }),
    response: z.object({ data: workspace }),
    examples: { body: { data: { type: 'workspace', attributes: { name: 'Acme Europe' } } } },
  },
})

export const workspaceSlug = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'must be 1 to 63 lower-case letters, digits and inner hyphens')
