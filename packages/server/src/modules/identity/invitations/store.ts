import type { Role } from '@kontor/contract'
import type { RowOf } from '../../../db/columns.ts'
import { shortList, type ListReader } from '../../../db/short-list.ts'
import { columnsOf, finder, rowsOf } from '../../../db/rows.ts'
import type { Tx } from '../../../db/tx.ts'

/**
 * An invitation; `sent_at` is when the link was made, which expires some days later, and `ended_at` when its inviter,
 * `created_by`, could no longer make it (docs/decisions/0088). If `mailed`, the link went only to the address, so a
 * person who has it has verified the address.
 */
export type InvitationRow = RowOf<'invitation'> & { readonly role: Role }

const columns = columnsOf('invitation')

const invitations = rowsOf<InvitationRow>('invitation', columns)

export const findInvitation = invitations.find('workspace_id', 'id')

/** The same, which no other transaction changes or deletes any more. */
export const lockInvitation = invitations.lock('delete', 'workspace_id', 'id')

export const findInvitationByEmail = invitations.find('workspace_id', 'email_key')

/** An invitation with what the invited person is shown of it. */
export type ToldInvitation = InvitationRow & {
  readonly workspace_name: string
  readonly inviter_name: string | null
  readonly inviter_email: string | null
}

export const findInvitationByToken = finder<[tokenHash: string], ToldInvitation>(({ knex }, tokenHash) =>
  knex('invitation as i')
    .join('workspace as w', 'w.id', 'i.workspace_id')
    .leftJoin('app_user as u', 'u.id', 'i.created_by')
    .select(...columns.map((column) => `i.${column}`))
    .select('w.name as workspace_name', 'u.name as inviter_name', 'u.email as inviter_email')
    .where('i.token_hash', tokenHash),
)

/** The list of the invitations of a workspace. */
export const invitationsIn = (workspaceId: string): ListReader<InvitationRow> =>
  shortList({ from: ({ knex }) => knex('invitation').where('workspace_id', workspaceId), columns, id: 'id' })

/** Inserts an invitation; false if the address is already invited, even by another request at this moment. */
export const insertInvitation = invitations.insertNew

export const updateInvitation = invitations.update('workspace_id', 'id')

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
