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
          description:
            'The name of the account; all members are null if it has no name. The last word is the last name.',
          example: { first_name: 'Grace', last_name: 'Hopper', full_name: 'Grace Hopper' },
        }),
      email: z.string(),
      email_verified: z.boolean().meta({
        description:
          'False for an account that was created with an invitation link passed on by an admin, until its ' +
          'holder proves that they own the address.',
      }),
      second_factor: z
        .boolean()
        .nullable()
        .meta({
          description:
            'True if the account requires a second factor when its holder signs in. Only admins and the ' +
            'member can see it; it is null for everyone else.',
        }),
      roles: z.object({ items: z.array(role).min(1).max(1) }).meta({ description: 'The role in this workspace.' }),
      last_active_at: timestamp.nullable(),
      _created_at: timestamp,
    }),
  })
  .meta({ id: 'User' })

const thing = z.object({ id, name: z.string() })
const things = (description: string) => z.array(thing).meta({ description })
const switchable = (description: string) =>
  z.array(thing.extend({ enabled: z.boolean().meta({ description: 'True if it is active.' }) })).meta({ description })

const made = z
  .object({
    type: z.literal('user-made'),
    id,
    attributes: z.object({
      api_keys: things('Workspace keys that the member created. Personal keys end with the membership.'),
      apps: things('Apps that are registered for this workspace.'),
      webhooks: switchable('Webhooks, named by their URL.'),
      workflows: switchable('Workflows that act for the member.'),
      agents: switchable('Agents that act for the member.'),
      campaigns: switchable('Campaigns that send for the member.'),
      inbound_addresses: switchable('Workflows and agents, by their ids, that receive requests at an address.'),
      schedules: switchable('Workflows, by their ids, that run on a schedule.'),
    }),
  })
  .meta({ id: 'UserMade' })

const endMadeQuery = {
  end_made: z
    .boolean()
    .optional()
    .meta({
      description:
        'Also revoke the workspace keys, remove the apps and webhooks, and disable the workflows, agents ' +
        'and campaigns that they created.',
    }),
}

/** The role of a member, in the form of a change or as it is read. */
const userChange = z
  .strictObject({
    role: role.optional().meta({ description: 'The new role. Required without `roles`.' }),
    roles: z
      .object({ items: z.array(role).min(1).max(1) })
      .optional()
      .meta({ description: 'The role as `GET` returns it, so that what was read can be sent back.' }),
  })
  .refine((given) => given.role !== undefined || given.roles !== undefined, {
    error: 'Send the role: viewer, member or admin.',
    path: ['role'],
  })

export const users = domain({
  list: {
    method: 'GET',
    path: '/workspaces/{workspace}/users',
    caller: 'any',
    scope: 'members:read',
    summary: 'List members',
    description:
      'Lists the members of the workspace, the oldest first unless sorted. `name` sorts by the full name, ' +
      'regardless of case.',
    ...shortList(user, userSortColumns, {}),
  },
  get: {
    method: 'GET',
    path: '/workspaces/{workspace}/users/{id}',
    caller: 'any',
    scope: 'members:read',
    summary: 'Get a member',
    description: 'Returns the name, address and role of a member, and when they were last active.',
    response: z.object({ data: user }),
  },
  made: {
    method: 'GET',
    path: '/workspaces/{workspace}/users/{id}/made',
    caller: 'any',
    scope: 'members:read',
    role: 'admin',
    summary: 'List the keys, apps and webhooks that a member created',
    description:
      'Lists the workspace keys, apps, webhooks, workflows, agents and campaigns of a member or former ' +
      'member. Workspace keys and apps keep working when the member is removed. Everything that acts for ' +
      'the member is then disabled with `owner_left`, and everything created with a key or app is ' +
      'disabled with `credential_ended` when that key or app ends. `end_made=true` in either change ends ' +
      'all of them.',
    response: z.object({ data: made }),
  },
  update: {
    method: 'PATCH',
    path: '/workspaces/{workspace}/users/{id}',
    caller: 'any',
    scope: 'members:write',
    role: 'admin',
    summary: "Change a member's role",
    description:
      'Takes effect immediately; other servers apply it within 5 seconds. The last admin cannot be demoted. People ' +
      'change their own name on their account page. When a member is demoted, the invitations that they sent as an ' +
      'admin end, and webhooks, workflows, agents and campaigns that act for them are disabled with ' +
      '`owner_demoted`, until someone enables them again. A credential with scopes cannot make anyone an admin.',
    emits: ['member.updated', 'api_key.revoked', 'app.deleted', 'webhook.deleted', 'workflow.updated'],
    query: z.strictObject({ ...silentQuery, ...endMadeQuery }),
    body: wrappedOrBare('user', userChange),
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
      'Ends the membership, and with it their personal keys, tokens, grants and invitations in this ' +
      'workspace. Everything they created stays, with their name: workspace keys and apps keep working ' +
      'unless `end_made` ends them; webhooks, workflows, agents and campaigns that act for them are ' +
      'disabled with `owner_left`. The last admin cannot be removed.',
    emits: ['member.removed', 'api_key.revoked', 'app.deleted', 'webhook.deleted', 'workflow.updated'],
    query: z.strictObject({ ...silentQuery, ...endMadeQuery }),
    response: empty,
    errors: ['last_admin'],
  },
})
