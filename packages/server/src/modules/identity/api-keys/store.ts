import type { Knex } from 'knex'
import type { RowOf } from '../../../db/columns.ts'
import { shortList, type ListReader } from '../../../db/short-list.ts'
import { columnsOf, finder, rowsOf } from '../../../db/rows.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import { deleteRetired } from './retired.ts'

export type ApiKeyRow = RowOf<'api_key'> & {
  readonly scopes: readonly string[]
  readonly actor_type: 'user' | 'workspace'
  readonly created_by: string
}

const columns = columnsOf('api_key')

const keys = rowsOf<ApiKeyRow>('api_key', columns)

const findByHash = keys.find('key_hash')

/** A key as one of its secrets finds it: an earlier one is valid until an instant. */
export type FoundKey = ApiKeyRow & { readonly valid_until?: number }

const findByRetiredHash = finder<[hash: string], FoundKey>(({ knex }, hash) =>
  knex('retired_key as r')
    .join('api_key as k', (on) => on.on('k.workspace_id', 'r.workspace_id').on('k.id', 'r.key_id'))
    .select(...columns.map((column) => `k.${column}`), 'r.valid_until')
    .where('r.key_hash', hash),
)

/** The keys that a person may see: their own personal keys, and for an admin all workspace keys. */
export type KeyView = {
  readonly workspaceId: string
  readonly userId: string | null
  readonly seesWorkspaceKeys: boolean
}

const viewed =
  ({ workspaceId, userId, seesWorkspaceKeys }: KeyView) =>
  (query: Knex.QueryBuilder) =>
    query.where('workspace_id', workspaceId).where((either) => {
      either.where({ actor_type: 'user', user_id: userId })
      if (seesWorkspaceKeys) either.orWhere('actor_type', 'workspace')
    })

export const findKeyByHash = async (tx: ReadTx, hash: string): Promise<FoundKey | undefined> =>
  (await findByHash(tx, hash)) ?? findByRetiredHash(tx, hash)

export const findKey = keys.find('workspace_id', 'id')

/** Returns whether a key, by its id, may be used at an instant. */
export async function isKeyValid(tx: ReadTx, workspaceId: string, id: string, now: number): Promise<boolean> {
  const key = await findKey(tx, workspaceId, id)
  return key !== undefined && (key.expires_at === null || key.expires_at > now)
}

/** The same, which no other transaction changes or deletes any more. */
export const lockKey = keys.lock('delete', 'workspace_id', 'id')

/** The list of the keys that a person may see. */
export const keysIn = (view: KeyView): ListReader<ApiKeyRow> =>
  shortList({ from: ({ knex }) => viewed(view)(knex('api_key')), columns, id: 'id' })

export const insertKey = keys.insert

export const updateKey = keys.update('workspace_id', 'id')

/** Gives a key another secret; what other processes know of it is read again. */
export function replaceSecret(tx: Tx, row: Pick<ApiKeyRow, 'workspace_id' | 'id'> & Partial<ApiKeyRow>): Promise<void> {
  tx.publish('access')
  return updateKey(tx, row)
}

export async function deleteKey(tx: Tx, workspaceId: string, id: string): Promise<void> {
  const key = { workspace_id: workspaceId, id }
  tx.publish('access')
  await tx.deleteByKey('api_key', [key])
  await deleteRetired(tx, [key])
}

/** Deletes the personal keys of a user in a workspace. */
export async function deleteKeysOfUser(tx: Tx, workspaceId: string, userId: string): Promise<number> {
  tx.publish('access')
  const personal = [{ workspace_id: workspaceId, user_id: userId }]
  const gone = await tx.deleteReturning('api_key', personal, ['workspace_id', 'id'])
  await deleteRetired(tx, gone)
  return gone.length
}

const listCreatedBy = keys.list(['workspace_id', 'actor_type', 'created_by'], 'created_at', 'id')

/** The workspace keys that a member has created, the oldest first. */
export const listWorkspaceKeysBy = (tx: ReadTx, workspaceId: string, userId: string): Promise<ApiKeyRow[]> =>
  listCreatedBy(tx, workspaceId, 'workspace', userId)

/** A user's personal keys in all workspaces, the latest first. */
export const listKeysOfUser = (
  tx: ReadTx,
  userId: string,
): Promise<(Pick<ApiKeyRow, 'id' | 'name' | 'key_prefix' | 'last_used_at'> & { readonly workspace_name: string })[]> =>
  tx.query(({ knex }) =>
    knex('api_key as k')
      .join('workspace as w', 'w.id', 'k.workspace_id')
      .select('k.id', 'k.name', 'k.key_prefix', 'k.last_used_at', 'w.name as workspace_name')
      .where('k.user_id', userId)
      .orderBy([{ column: 'k.created_at', order: 'desc' }, { column: 'k.id' }]),
  )

/** All keys of a workspace with the e-mail address of their owner or creator, the oldest first. */
export const listKeysOfWorkspace = (
  tx: ReadTx,
  workspaceId: string,
): Promise<(ApiKeyRow & { readonly email: string | null })[]> =>
  tx.query(({ knex }) =>
    knex('api_key as k')
      .leftJoin('app_user as u', 'u.id', 'k.created_by')
      .select(...columns.map((column) => `k.${column}`), 'u.email')
      .where('k.workspace_id', workspaceId)
      .orderBy([{ column: 'k.created_at' }, { column: 'k.id' }]),
  )

type DeletedKey = Pick<ApiKeyRow, 'workspace_id' | 'id' | 'name' | 'actor_type' | 'user_id'>

/** Deletes the personal keys of a user in all workspaces, or the one with an id; returns those that were there. */
export async function deleteKeysOfPerson(tx: Tx, userId: string, id?: string): Promise<DeletedKey[]> {
  tx.publish('access')
  const key = { user_id: userId, actor_type: 'user', ...(id !== undefined && { id }) } as const
  const gone = await tx.deleteReturning('api_key', [key], ['workspace_id', 'id', 'name', 'user_id'])
  await deleteRetired(tx, gone)
  return gone.map((row) => ({ ...row, actor_type: 'user' }))
}
