import { z } from 'zod'
import { domain } from './endpoint.ts'
import { shortList } from './paging.ts'
import { empty, id, role, silentQuery, timestamp, wrappedOrBare, emailAddress, visibleText } from './shared.ts'

const attributes = z.object({
  _id: id,
  email: z.string(),
  name: z.string().nullable(),
  role,
  state: z.enum(['pending', 'expired', 'ended']).meta({
    description:
      'An accepted invitation is deleted: the person is then a member. An invitation ends when its inviter is no ' +
      'longer an admin; another admin can send it again.',
  }),
  expires_at: timestamp,
  _created_at: timestamp,
  _created_by: id.meta({ description: 'The member who sent the invitation last.' }),
})

/** Columns that invitations are sorted by. */
export const invitationSortColumns = ['email', 'name', 'role', 'expires_at', '_created_at'] as const

export const invitation = z.object({ type: z.literal('invitation'), id, attributes }).meta({ id: 'Invitation' })

const acceptUrl = z
  .url()
  .nullable()
  .meta({
    description:
      'The link to accept the invitation, for you to pass on; shown only once. Null if the server sends e-mail: ' +
      'then only the invited person receives it. Also null for apps and agents; an admin can send the invitation ' +
      'again.',
  })

export const invitationWithLink = z
  .object({ type: z.literal('invitation'), id, attributes: attributes.extend({ accept_url: acceptUrl }) })
  .meta({ id: 'InvitationWithLink' })

const collection = '/workspaces/{workspace}/invitations'

export const invitations = domain({
  list: {
    method: 'GET',
    path: collection,
    caller: 'any',
    scope: 'members:read',
    summary: 'List invitations',
    description: 'Lists the invitations that have not been accepted yet, the oldest first unless sorted.',
    ...shortList(invitation, invitationSortColumns, {}),
  },
  create: {
    method: 'POST',
    path: collection,
    caller: 'any',
    scope: 'members:write',
    role: 'admin',
    status: 201,
    summary: 'Invite a person',
    description:
      'Sends an e-mail with a link that makes the recipient a member. The link works once, for 7 days. If the ' +
      'installation sends no e-mail, the response contains the link. An address that is already invited, ' +
      'or that a member has, is a conflict. A credential with scopes can invite members and viewers, but ' +
      'no admins.',
    emits: ['member.invited'],
    query: z.strictObject({ ...silentQuery }),
    body: wrappedOrBare(
      'invitation',
      z.strictObject({
        email: emailAddress.max(254).meta({ example: 'grace@example.com' }),
        role: role.default('member'),
        name: visibleText(200)
          .optional()
          .meta({ description: 'The name of a new account; ignored if the person has one.' }),
      }),
    ),
    response: z.object({ data: invitationWithLink }),
    secret: true,
    errors: ['unique_violation'],
    examples: {
      body: {
        data: { type: 'invitation', attributes: { email: 'grace@example.com', role: 'member', name: 'Grace Hopper' } },
      },
    },
  },
  get: {
    method: 'GET',
    path: `${collection}/{id}`,
    caller: 'any',
    scope: 'members:read',
    summary: 'Get an invitation',
    description: 'Returns the invited address, the role, and when the link expires.',
    response: z.object({ data: invitation }),
  },
  remove: {
    method: 'DELETE',
    path: `${collection}/{id}`,
    caller: 'any',
    scope: 'members:write',
    role: 'admin',
    summary: 'Revoke an invitation',
    description: 'Deletes an invitation; its link stops working.',
    emits: ['member.invitation_revoked'],
    query: z.strictObject({ ...silentQuery }),
    response: empty,
  },
  resend: {
    method: 'POST',
    path: `${collection}/{id}/resend`,
    caller: 'any',
    scope: 'members:write',
    role: 'admin',
    summary: 'Send an invitation again',
    description:
      'Sends a new link, valid for 7 days; the old link stops working. The invitation is then yours, and ' +
      'ends if you stop being an admin.',
    emits: ['member.invitation_resent'],
    query: z.strictObject({ ...silentQuery }),
    response: z.object({ data: invitationWithLink }),
    secret: true,
  },
})
