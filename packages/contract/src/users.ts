import { z } from 'zod'
import { domain } from './endpoint.ts'
import { offsetPageQuery, page } from './paging.ts'
import { empty, id, silentQuery, timestamp, wrappedOrBare } from './shared.ts'

export const role = z.enum(['admin', 'member', 'viewer']).meta({ description: '`viewer` reads what a `member` may read; `admin` may do everything.', example: 'member' })

export const user = z
  .object({
    type: z.literal('user'),
    id,
    attributes: z.object({
      _id: id,
      name: z.string().nullable(),
      email: z.string(),
      roles: z.object({ items: z.array(role) }),
      last_active_at: timestamp.nullable(),
      _created_at: timestamp,
    }),
  })
  .meta({ id: 'User' })

export const users = domain({
  list: {
    method: 'GET',
    path: '/workspaces/{workspace}/users',
    caller: 'any',
    scope: 'members:read',
    summary: 'List members',
    query: z.strictObject({ ...offsetPageQuery() }),
    response: page(user),
  },
  get: {
    method: 'GET',
    path: '/workspaces/{workspace}/users/{id}',
    caller: 'any',
    scope: 'members:read',
    summary: 'Get a member',
    response: z.object({ data: user }),
  },
  update: {
    method: 'PATCH',
    path: '/workspaces/{workspace}/users/{id}',
    caller: 'any',
    scope: 'members:write',
    role: 'admin',
    summary: "Change a member's role",
    description: 'Counts at once, on other nodes of the server after 5 seconds at the latest. The last admin stays one. People change their own name on their account page.',
    query: z.strictObject({ ...silentQuery }),
    body: wrappedOrBare('user', z.strictObject({ role })),
    response: z.object({ data: user }),
    errors: ['last_admin'],
    examples: { body: { data: { type: 'user', attributes: { role: 'viewer' } } } },
  },
  remove: {
    method: 'DELETE',
    path: '/workspaces/{workspace}/users/{id}',
    caller: 'any',
    scope: 'members:write',
    role: 'admin',
    summary: 'Remove a member',
    description: 'Ends the membership, and with it their personal keys, tokens and grants in this workspace. What they made stays, with their name. The last admin cannot be removed.',
    query: z.strictObject({ ...silentQuery }),
    response: empty,
    errors: ['last_admin'],
  },
})
