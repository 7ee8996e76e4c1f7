import type { Role } from '@kontor/contract'
import type { RowOf } from '../../../db/columns.ts'
import { shortList, type ListReader } from '../../../db/short-list.ts'
import { param, statement } from '../../../db/statement.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'

/**
 * An invitation; `sent_at` is when the link was made, which expires some days later, and `ended_at` when its inviter,
 * `created_by`, could no longer make it (docs/decisions/0088). If `mailed`, the link went only to the address, so a
 * person who has it has verified the address.
 */
export type InvitationRow = RowOf<'invitation'> & { readonly role: Role }

const columns = [
  'i.workspace_id',
  'i.id',
  'i.email',
  'i.email_key',
  'i.role',
  'i.name',
  'i.token_hash',
  'i.created_at',
  'i.created_by',
  'i.sent_at',
  'i.mailed',
  'i.ended_at',
] as const

type OfWorkspace = { readonly workspace_id: string }

const byId = statement<OfWorkspace & { id: string }, InvitationRow>(({ knex }) =>
  knex('invitation as i')
    .select(...columns)
    .where({ 'i.workspace_id': param('workspace_id'), 'i.id': param('id') }),
)

const forChange = statement<OfWorkspace & { id: string }, InvitationRow>(({ knex, dialect }) =>
  dialect.locked(
    knex('invitation as i')
      .select(...columns)
      .where({ 'i.workspace_id': param('workspace_id'), 'i.id': param('id') }),
    'delete',
  ),
)

const byEmail = statement<OfWorkspace & { email_key: string }, InvitationRow>(({ knex }) =>
  knex('invitation as i')
    .select(...columns)
    .where({ 'i.workspace_id': param('workspace_id'), 'i.email_key': param('email_key') }),
)

/** An invitation with what the invited person is shown of it. */
export type ToldInvitation = InvitationRow & {
  readonly workspace_name: string
  readonly inviter_name: string | null
  readonly inviter_email: string | null
}

const byToken = statement<{ token_hash: string }, ToldInvitation>(({ knex }) =>
  knex('invitation as i')
    .join('workspace as w', 'w.id', 'i.workspace_id')
    .leftJoin('app_user as u', 'u.id', 'i.created_by')
    .select(...columns, 'w.name as workspace_name', 'u.name as inviter_name', 'u.email as inviter_email')
    .where('i.token_hash', param('token_hash')),
)

export const findInvitation = (tx: ReadTx, workspaceId: string, id: string): Promise<InvitationRow | undefined> =>
  tx.first(byId, { workspace_id: workspaceId, id })
/** The same, which no other transaction changes or deletes any more. */
export const lockInvitation = (tx: Tx, workspaceId: string, id: string): Promise<InvitationRow | undefined> =>
  tx.first(forChange, { workspace_id: workspaceId, id })
export const findInvitationByEmail = (
  tx: ReadTx,
  workspaceId: string,
  emailKey: string,
): Promise<InvitationRow | undefined> => tx.first(byEmail, { workspace_id: workspaceId, email_key: emailKey })
export const findInvitationByToken = (tx: ReadTx, tokenHash: string): Promise<ToldInvitation | undefined> =>
  tx.first(byToken, { token_hash: tokenHash })
/** The list of the invitations of a workspace. */
export const invitationsIn = (workspaceId: string): ListReader<InvitationRow> =>
  shortList({ from: ({ knex }) => knex('invitation as i').where('i.workspace_id', workspaceId), columns, id: 'i.id' })

/** Inserts an invitation; false if the address is already invited, even by another request at this moment. */
export const insertInvitation = async (tx: Tx, row: InvitationRow): Promise<boolean> =>
  (await tx.insertNew('invitation', [row], ['id'])).length === 1

export const updateInvitation = (
  tx: Tx,
  row: Pick<InvitationRow, 'workspace_id' | 'id' | 'token_hash' | 'sent_at' | 'mailed' | 'created_by' | 'ended_at'>,
): Promise<void> => tx.updateByKey('invitation', ['workspace_id', 'id'], [row])

/** Ends the invitations that a member has made. */
export const endInvitations = (tx: Tx, workspaceId: string, userId: string, now: number): Promise<number> =>
  tx.change(({ knex }) =>
    knex('invitation')
      .where({ workspace_id: workspaceId, created_by: userId })
      .whereNull('ended_at')
      .update({ ended_at: now }),
  )

/** Returns whether it was still there. */
export const deleteInvitation = async (
  tx: Tx,
  { workspace_id, id }: Pick<InvitationRow, 'workspace_id' | 'id'>,
): Promise<boolean> => (await tx.deleteReturning('invitation', [{ workspace_id, id }], ['id'])).length === 1
