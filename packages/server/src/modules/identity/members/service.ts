import type { Role } from '@kontor/contract'
import type { Tx } from '../../../db/tx.ts'
import { newId } from '../../../kernel/ids.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import type { Telling } from '../../../kernel/invoke/runtime.ts'
import { deleteGrantsOfUser, deleteObjectGrantsOfUser, grantedObject } from '../../access/index.ts'
import { deleteKeysOfUser, type KeyAuthenticator } from '../api-keys/index.ts'
import { putProjection } from '../../records/index.ts'
import { holdSchemas, raiseEpoch, userSchema } from '../../schemas/index.ts'
import {
  deleteMembership,
  findUser,
  insertMembership,
  listMembershipsOfUser,
  lockAdminsAnd,
  updateRole,
  updateUser,
  type MemberChanges,
  type MemberRow,
} from '../users/index.ts'
import type { Memberships } from '../../workspaces/index.ts'

type Person = { readonly id: string; readonly email: string; readonly name: string | null }

/**
 * Updates a person's record in a workspace; without a role it is that of a former member, whom records may still
 * reference.
 */
function projectMember(
  tx: Tx,
  workspaceId: string,
  { id, email, name }: Person,
  role: Role | undefined,
  now: number,
): Promise<void> {
  const data = { ...(name !== null && { name }), email, roles: { items: role === undefined ? [] : [role] } }
  return putProjection(tx, { workspaceId, schema: userSchema, id, data, now, countId: newId(now) })
}

type Joining = {
  readonly workspaceId: string
  readonly person: Person
  readonly role: Role
  /** Null for a person whom the operator adds. */
  readonly invitationId: string | null
}

/** Adds a person who is not a member yet. */
export async function addMember(
  tx: Tx,
  { changeTimes, writeEvents, clock }: Telling,
  { workspaceId, person, role, invitationId }: Joining,
): Promise<void> {
  const { now, confirmed } = await changeTimes.begin(tx, workspaceId, clock.now())
  await insertMembership(tx, { workspace_id: workspaceId, user_id: person.id, role, created_at: now })
  await projectMember(tx, workspaceId, person, role, now)
  await writeEvents(tx, { workspaceId, actor: { kind: 'user', userId: person.id, scopes: [] }, silent: false, now }, [
    { type: 'member.joined', object: 'user', recordId: person.id, payload: { role, invitation_id: invitationId } },
  ])
  await confirmed
}

type Services = {
  readonly memberships: Memberships
  readonly keys: KeyAuthenticator
  /** Ends the invitations of a member who may no longer invite; the membership is locked. */
  readonly endInvitations: (tx: Tx, workspaceId: string, userId: string, now: number) => Promise<number>
}

/** Changes of members that take effect at once on this node (docs/decisions/0024). */
export const memberChanges = ({ memberships, keys, endInvitations }: Services): MemberChanges => ({
  async changeRole(ctx, member, role) {
    await requireOtherAdmin(ctx, member)
    await updateRole(ctx.tx, ctx.workspace.workspaceId, member.id, role)
    if (role !== 'admin') await endInvitations(ctx.tx, ctx.workspace.workspaceId, member.id, ctx.clockNow)
    await projectMember(ctx.tx, ctx.workspace.workspaceId, member, role, ctx.now)
    await ctx.emit([
      { type: 'member.updated', object: 'user', recordId: member.id, payload: { role, previous_role: member.role } },
    ])
    ctx.afterCommit(() => memberships.forget())
  },

  async remove(ctx, member) {
    const { workspaceId } = ctx.workspace
    await requireOtherAdmin(ctx, member)
    await deleteMembership(ctx.tx, workspaceId, member.id)
    await endInvitations(ctx.tx, workspaceId, member.id, ctx.clockNow)
    await deleteKeysOfUser(ctx.tx, workspaceId, member.id)
    // The cached schemas include grants on objects: a member who returns has none.
    if ((await deleteObjectGrantsOfUser(ctx.tx, workspaceId, member.id, grantedObject)) > 0) {
      await holdSchemas(ctx)
      await raiseEpoch(ctx.tx, workspaceId)
    }
    await deleteGrantsOfUser(ctx.tx, workspaceId, member.id)
    await projectMember(ctx.tx, workspaceId, member, undefined, ctx.now)
    await ctx.emit([{ type: 'member.removed', object: 'user', recordId: member.id, payload: { role: member.role } }])
    ctx.afterCommit(() => {
      memberships.forget()
      keys.forget()
    })
  },
})

/**
 * A workspace without an admin could not be repaired by its members. The admins are locked, so that two of them cannot
 * demote one another.
 */
async function requireOtherAdmin(ctx: WriteContext<'last_admin'>, { id }: MemberRow): Promise<void> {
  const rows = await lockAdminsAnd(ctx.tx, ctx.workspace.workspaceId, id)
  if (!rows.some(({ user_id }) => user_id === id))
    throw ctx.fail('not_found', { detail: 'There is no member with this id.' })
  if (!rows.some(({ user_id, role }) => role === 'admin' && user_id !== id))
    throw ctx.fail('last_admin', { detail: 'This is the last admin of the workspace.' })
}

/** Changes the name of a person on the whole server: their record in every workspace gets the name too. */
export async function renamePerson(
  tx: Tx,
  { changeTimes, writeEvents, clock }: Telling,
  userId: string,
  name: string,
): Promise<void> {
  const person = await findUser(tx, userId)
  if (person === undefined || person.name === name) return
  await updateUser(tx, { id: userId, name })
  for (const { workspace_id: workspaceId, role } of await listMembershipsOfUser(tx, userId)) {
    const { now, confirmed } = await changeTimes.begin(tx, workspaceId, clock.now())
    await projectMember(tx, workspaceId, { ...person, name }, role, now)
    await writeEvents(tx, { workspaceId, actor: { kind: 'user', userId, scopes: [] }, silent: false, now }, [
      { type: 'member.updated', object: 'user', recordId: userId, payload: { name, previous_name: person.name } },
    ])
    await confirmed
  }
}
