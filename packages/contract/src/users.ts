import { z } from 'zod'
import { domain } from './endpoint.ts'
import { shortList } from './paging.ts'
import { empty, id, role, silentQuery, timestamp, wrappedOrBare } from './shared.ts'

/** Columns that members are sorted by. */
export const userSortColumns = ['name', 'email', 'roles', 'last_active_at', '_created_at'] as const

export const user = z
  .object({
    type: z.literal('user'),
    id,
    attributes: z.object({
      _id: id,
      name: z
        .object({
          first_name: z.string().nullable(),
          last_name: z.string().nullable(),
          full_name: z.string().nullable(),
        })
        .meta({
          description: 'What the account is called; all null where it has no name. The last word is the last name.',
          example: { first_name: 'Grace', last_name: 'Hopper', full_name: 'Grace Hopper' },
        }),
      email: z.string(),
      roles: z.object({ items: z.array(role).min(1).max(1) }).meta({ description: 'The one role in this workspace.' }),
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
    description: 'In the order in which they came unless sorted; by `name` is by the full name, regardless of case.',
    ...shortList(user, userSortColumns, {}),
  },
  get: {
    method: 'GET',
    path: '/workspaces/{workspace}/users/{id}',
    caller: 'any',
    scope: 'members:read',
    summary: 'Get a member',
    description: 'Name, address and role of a member, and when they were last active.',
    response: z.object({ data: user }),
  },
  update: {
    method: 'PATCH',
    path: '/workspaces/{workspace}/users/{id}',
    caller: 'any',
    scope: 'members:write',
    role: 'admin',
    summary: "Change a member's role",
    description:
      'Counts at once, on other nodes of the server after 5 seconds at the latest. The last admin stays one. ' +
      'People change their own name on their account page.',
    emits: ['member.updated'],
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
    description:
      'Ends the membership, and with it their personal keys, tokens and grants in this workspace. What they ' +
      'made stays, with their name. The last admin cannot be removed.',
    emits: ['member.removed'],
    query: z.strictObject({ ...silentQuery }),
    response: empty,
    errors: ['last_admin'],
  },
})
