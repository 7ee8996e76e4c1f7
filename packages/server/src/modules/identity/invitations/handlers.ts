import { attributesOf, invitations, invitationSortColumns, type Output, type Role } from '@kontor/contract'
import { textOf } from '../../../lib/guards.ts'
import { actorUserId, isDelegate } from '../../../kernel/actor.ts'
import { isoTime } from '../../../kernel/clock.ts'
import { hashSecret, isId, newSecret } from '../../../kernel/ids.ts'
import { implement, type WorkspaceReadContext, type WriteContext } from '../../../kernel/implement.ts'
import { shortPage } from '../../../kernel/short-page.ts'
import { presenterOf } from '../../../kernel/resource.ts'
import type { Mailer } from '../../mail/index.ts'
import { tokenBytes } from '../sign-in/index.ts'
import { emailKey, findMember, findUser, findUserByEmail, lockRole, requireMayGive } from '../users/index.ts'
import { findWorkspace } from '../../workspaces/index.ts'
import { invitationMail, isPending, stateOf, validMs } from './link.ts'
import {
  deleteInvitation,
  findInvitation,
  findInvitationByEmail,
  insertInvitation,
  invitationsIn,
  lockInvitation,
  updateInvitation,
  type InvitationRow,
} from './store.ts'
import { sortedColumns } from '../../../kernel/requested-order.ts'

type Services = {
  readonly authUrl: string
  /** Without one, links are returned to the inviting admin. */
  readonly mailer: Mailer | undefined
  readonly onError: (error: unknown) => void
}

export const invitationHandlers = (services: Services) =>
  implement(invitations, {
    async list(ctx, input) {
      const read = invitationsIn(ctx.workspace.workspaceId)
      const { rows, ...envelope } = await shortPage(ctx, invitations.list, input, { ...sorting, read })
      return { body: { data: rows.map((row) => present(row, ctx.now)), ...envelope } }
    },

    async create(ctx, { body }) {
      const { email, role, name } = attributesOf(body)
      const inviterId = await requireInviter(ctx, role)
      const token = newSecret(tokenBytes)
      const row: InvitationRow = {
        workspace_id: ctx.workspace.workspaceId,
        id: ctx.newId(),
        email,
        email_key: emailKey(email),
        role,
        name: name ?? null,
        created_at: ctx.now,
        created_by: inviterId,
        ...sending(ctx, services, token),
      }
      await requireNew(ctx, row)
      if (!(await insertInvitation(ctx.tx, row)))
        throw taken(ctx, 'Another request is inviting this address at the moment.')
      await ctx.emit([{ type: 'member.invited', object: 'invitation', recordId: row.id, payload: { email, role } }])
      return { body: { data: await send(ctx, services, row, token) } }
    },

    get: async (ctx, { id }) => ({
      body: {
        data: present(
          required(ctx, isId(id) ? await findInvitation(ctx.tx, ctx.workspace.workspaceId, id) : undefined),
          ctx.now,
        ),
      },
    }),

    async remove(ctx, { id }) {
      const row = await requireLocked(ctx, id)
      await deleteInvitation(ctx.tx, row)
      await ctx.emit([
        { type: 'member.invitation_revoked', object: 'invitation', recordId: id, payload: { email: row.email } },
      ])
      return { body: {} }
    },

    async resend(ctx, { id }) {
      const row = await requireLocked(ctx, id)
      const token = newSecret(tokenBytes)
      const change = { ...sending(ctx, services, token), created_by: await requireInviter(ctx, row.role) }
      await updateInvitation(ctx.tx, { workspace_id: row.workspace_id, id, ...change })
      await ctx.emit([
        { type: 'member.invitation_resent', object: 'invitation', recordId: id, payload: { email: row.email } },
      ])
      return { body: { data: await send(ctx, services, { ...row, ...change }, token) } }
    },
  })

/** The database columns that invitations are sorted by; an invitation expires a fixed time after it was sent. */
const columns = { ...sortedColumns(invitationSortColumns), expires_at: 'sent_at' } as const

const sorting = { columns, otherwise: { column: 'created_at', descending: false } } as const

type CreateContext = WriteContext<'unique_violation'>

const taken = (ctx: CreateContext, detail: string, existingId?: string) =>
  ctx.fail('unique_violation', {
    detail,
    meta: { field: 'email', ...(existingId !== undefined && { existing_id: existingId }) },
  })

/**
 * Finds the inviter for a role. Their own role is locked until the end of the call, so that they are not demoted before
 * the invitation is there to be ended with it (docs/decisions/0088).
 */
async function requireInviter(ctx: WriteContext, role: Role): Promise<string> {
  requireMayGive(ctx, role)
  const userId = textOf(actorUserId(ctx.actor))
  if ((await lockRole(ctx.tx, ctx.workspace.workspaceId, userId)) === 'admin') return userId
  throw ctx.fail('forbidden', { detail: 'Only admins can invite, and you are no longer one.' })
}

/** An invitation that has expired or ended can be replaced by a new one. */
async function requireNew(ctx: CreateContext, { workspace_id, email, email_key }: InvitationRow): Promise<void> {
  const user = await findUserByEmail(ctx.tx, email)
  if (user !== undefined && (await findMember(ctx.tx, workspace_id, user.id)) !== undefined)
    throw taken(ctx, 'A member already has this address.', user.id)
  const known = await findInvitationByEmail(ctx.tx, workspace_id, email_key)
  if (known === undefined) return
  if (isPending(known, ctx.clockNow))
    throw taken(ctx, 'This address is already invited; send that invitation again, or revoke it.', known.id)
  await deleteInvitation(ctx.tx, known)
}

/** The columns that change with each link that is sent: only the newest opens the invitation, which is valid again. */
const sending = (ctx: WriteContext, { mailer }: Services, token: string) => ({
  token_hash: hashSecret(token),
  sent_at: ctx.clockNow,
  mailed: mailer !== undefined,
  ended_at: null,
})

/**
 * Sends the link only to the address where that is possible: a person who opens it has then verified the address. Else
 * it is shown to the inviter, and never to an app or an agent: with it they could make the account themselves.
 */
async function send(
  ctx: WriteContext,
  { authUrl, mailer, onError }: Services,
  row: InvitationRow,
  token: string,
): Promise<Output<typeof invitations.create>['data']> {
  const url = `${authUrl}/auth/invitation?token=${token}`
  const presented = present(row, ctx.now)
  if (mailer === undefined) {
    const accept_url = isDelegate(ctx.actor) ? null : url
    return { ...presented, attributes: { ...presented.attributes, accept_url } }
  }
  const [inviter, workspace] = await Promise.all([
    findUser(ctx.tx, textOf(actorUserId(ctx.actor))),
    findWorkspace(ctx.tx, ctx.workspace.slug),
  ])
  const mail = invitationMail({
    email: row.email,
    workspaceName: workspace?.name ?? ctx.workspace.slug,
    inviter: inviter?.name ?? inviter?.email ?? 'An admin',
    url,
  })
  ctx.afterCommit(() => void mailer(mail).catch(onError))
  return { ...presented, attributes: { ...presented.attributes, accept_url: null } }
}

/** An invitation that nobody else changes or accepts until the end of the call. */
const requireLocked = async (ctx: WriteContext, id: string): Promise<InvitationRow> =>
  required(ctx, isId(id) ? await lockInvitation(ctx.tx, ctx.workspace.workspaceId, id) : undefined)

function required(ctx: WorkspaceReadContext, row: InvitationRow | undefined): InvitationRow {
  if (row === undefined) throw ctx.fail('not_found', { detail: 'There is no invitation with this id.' })
  return row
}

const presentRow = presenterOf(invitations.get.response.shape.data)

const present = (row: InvitationRow, now: number): Output<typeof invitations.get>['data'] =>
  presentRow(row, { state: stateOf(row, now), expires_at: isoTime(row.sent_at + validMs) })
