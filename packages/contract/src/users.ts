import { z } from 'zod'
import { domain } from './endpoint.ts'
import { offsetPageQuery, page } from './paging.ts'
import { id, timestamp } from './shared.ts'

export const user = z
  .object({
    type: z.literal('user'),
    id,
    attributes: z.object({
      _id: id,
      name: z.string().nullable(),
      email: z.string(),
      roles: z.object({ items: z.array(z.enum(['admin', 'member', 'viewer'])) }),
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
})
