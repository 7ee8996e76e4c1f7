import { trimInvisible, type Role } from '@kontor/contract'
import type { RowOf } from '../../../db/columns.ts'
import { shortList, type ListReader } from '../../../db/short-list.ts'
import { finder, lister, rowsOf, readColumn } from '../../../db/rows.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'

/** An account; `unverified_since` is set until its holder has verified the address (docs/decisions/0088). */
export type UserRow = Omit<RowOf<'app_user'>, 'email_key'>

export type MemberRow = UserRow & { readonly role: Role }

const userColumns = ['id', 'email', 'name', 'created_at', 'last_active_at', 'unverified_since'] as const

const memberColumns = [...userColumns.map((column) => `u.${column}`), 'm.role']

const users = rowsOf<UserRow, Pick<RowOf<'app_user'>, 'email_key'>>('app_user', userColumns)

const findByKey = users.find('email_key')

export const findUser = users.find('id')

export const findMember = finder<[workspaceId: string, userId: string], MemberRow>(({ knex }, workspaceId, userId) =>
  knex('membership as m')
    .join('app_user as u', 'u.id', 'm.user_id')
    .select(memberColumns)
    .where({ 'm.workspace_id': workspaceId, 'm.user_id': userId }),
)

/** An e-mail address belongs to one person, in any spelling. */
export const emailKey = (email: string): string => trimInvisible(email).toLowerCase()

export const findUserByEmail = (tx: ReadTx, email: string): Promise<UserRow | undefined> =>
  findByKey(tx, emailKey(email))

/** Locks an account against other changes, and returns it as it is then. */
export async function lockUser(tx: Tx, id: string): Promise<UserRow | undefined> {
  await tx.query(({ knex, dialect }) => dialect.locked(knex('app_user').select('id').where('id', id), 'change'))
  return findUser(tx, id)
}

/** The list of the members of a workspace. */
export const membersIn = (workspaceId: string): ListReader<MemberRow> =>
  shortList({
    from: ({ knex }) =>
      knex('membership as m').join('app_user as u', 'u.id', 'm.user_id').where('m.workspace_id', workspaceId),
    columns: memberColumns,
    id: 'u.id',
  })

export const updateUser = users.update('id')

export const insertUser = (tx: Tx, user: Omit<UserRow, 'last_active_at'>): Promise<void> =>
  tx.insert('app_user', [{ ...user, email_key: emailKey(user.email) }])

export const insertMembership = (tx: Tx, row: RowOf<'membership'> & { readonly role: Role }): Promise<void> =>
  tx.insert('membership', [row])

/** The ids of the admins of a workspace. */
export const listAdminIds = (tx: ReadTx, workspaceId: string): Promise<string[]> =>
  readColumn(tx, ({ knex }) =>
    knex('membership').select('user_id').where({ workspace_id: workspaceId, role: 'admin' }).orderBy('user_id'),
  )

/** Returns which of some users are members, and keeps them so until the transaction ends. */
export async function lockMembers(tx: Tx, workspaceId: string, userIds: readonly string[]): Promise<string[]> {
  if (userIds.length === 0) return []
  return readColumn(tx, ({ knex, dialect }) =>
    dialect.locked(
      knex('membership')
        .select('user_id')
        .where('workspace_id', workspaceId)
        .where(dialect.oneOf('user_id', userIds))
        .orderBy('user_id'),
      'refer',
    ),
  )
}

/** The role of a user in a workspace, locked until the transaction ends; undefined if the user is not a member. */
export async function lockRole(tx: Tx, workspaceId: string, userId: string): Promise<Role | undefined> {
  const [row] = await tx.query<{ role: Role }>(({ knex, dialect }) =>
    dialect.locked(knex('membership').select('role').where({ workspace_id: workspaceId, user_id: userId }), 'refer'),
  )
  return row?.role
}

/** The admins of a workspace and one of its members, in the order of their ids, locked until the transaction ends. */
export const lockAdminsAnd = (
  tx: Tx,
  workspaceId: string,
  userId: string,
): Promise<{ user_id: string; role: Role }[]> =>
  tx.query(({ knex, dialect }) =>
    dialect.locked(
      knex('membership')
        .select('user_id', 'role')
        .where('workspace_id', workspaceId)
        .where((either) => void either.where('role', 'admin').orWhere('user_id', userId))
        .orderBy('user_id'),
      'delete',
    ),
  )

export function updateRole(tx: Tx, workspaceId: string, userId: string, role: Role): Promise<void> {
  tx.publish('access')
  const changed = { workspace_id: workspaceId, user_id: userId, role }
  return tx.updateByKey('membership', ['workspace_id', 'user_id'], [changed])
}

export function deleteMembership(tx: Tx, workspaceId: string, userId: string): Promise<void> {
  tx.publish('access')
  return tx.deleteByKey('membership', [{ workspace_id: workspaceId, user_id: userId }])
}

type MembershipOfUser = {
  readonly workspace_id: string
  readonly workspace_name: string
  readonly workspace_slug: string
  readonly role: Role
}

/** All memberships of a user, in the order of the workspaces' slugs. */
export const listMembershipsOfUser = lister<[userId: string], MembershipOfUser>(({ knex }, userId) =>
  knex('membership as m')
    .join('workspace as w', 'w.id', 'm.workspace_id')
    .select('m.workspace_id', 'w.name as workspace_name', 'w.slug as workspace_slug', 'm.role')
    .where('m.user_id', userId)
    .orderBy('w.slug'),
)

/** The names of members among some ids; null of a member who has given none. */
export async function listMemberNames(
  tx: ReadTx,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  if (ids.length === 0) return new Map()
  const rows = await tx.query<Pick<UserRow, 'id' | 'name'>>(({ knex, dialect }) =>
    knex('membership as m')
      .join('app_user as u', 'u.id', 'm.user_id')
      .select('u.id', 'u.name')
      .where('m.workspace_id', workspaceId)
      .where(dialect.oneOf('m.user_id', [...new Set(ids)])),
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
