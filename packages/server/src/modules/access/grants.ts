import type { RowOf } from '../../db/columns.ts'
import { columnsOf, rowsOf } from '../../db/rows.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'
import { deleteSome } from '../../db/delete-some.ts'

/** A stored grant: `level` is a rank, and the grantee of a grant to the workspace is the workspace. */
export type GrantRow = Omit<RowOf<'access_grant'>, 'workspace_id'> & { readonly grantee_type: 'user' | 'workspace' }

const columns = columnsOf('access_grant', 'workspace_id')

const grantRows = rowsOf<GrantRow>('access_grant', columns)

/** Every grant on one target, the oldest first. */
export const listGrants = grantRows.list(['workspace_id', 'record_id'], 'created_at', 'id')

/** The grant of the workspace on one target. */
export const findWorkspaceGrant = async (
  tx: ReadTx,
  workspaceId: string,
  recordId: string,
): Promise<GrantRow | undefined> =>
  (await listGrants(tx, workspaceId, recordId)).find(({ grantee_type }) => grantee_type === 'workspace')

export const insertGrants = (tx: Tx, workspaceId: string, grants: readonly GrantRow[]): Promise<void> =>
  tx.insert(
    'access_grant',
    grants.map((grant) => ({ workspace_id: workspaceId, ...grant })),
  )

export const updateGrants = (tx: Tx, workspaceId: string, grants: readonly GrantRow[]): Promise<void> =>
  tx.updateByKey(
    'access_grant',
    ['workspace_id', 'record_id', 'grantee_id'],
    grants.map(({ record_id, grantee_id, level, updated_at, updated_by }) => ({
      workspace_id: workspaceId,
      record_id,
      grantee_id,
      level,
      updated_at,
      updated_by,
    })),
  )

export const deleteGrants = (
  tx: Tx,
  workspaceId: string,
  grants: readonly Pick<GrantRow, 'record_id' | 'grantee_id'>[],
): Promise<void> =>
  tx.deleteByKey(
    'access_grant',
    grants.map(({ record_id, grantee_id }) => ({ workspace_id: workspaceId, record_id, grantee_id })),
  )

/** Every grant on several targets, the oldest first. */
export const listGrantsOfMany = grantRows.listAmong(['workspace_id'], 'record_id', 'created_at', 'id')

/** The grants that depend on records. A merge handles them in `mergeGrants`, since their fate depends on who merges. */
export const grantsOfRecords = {
  purge: (tx: Tx, workspaceId: string, recordIds: readonly string[], rowsMax: number): Promise<number> =>
    deleteSome(tx, workspaceId, {
      table: 'access_grant',
      key: ['record_id', 'grantee_id'],
      column: 'record_id',
      values: recordIds,
      rowsMax,
    }),
}

/** Deletes every grant on one target. */
export const deleteGrantsOn = (tx: Tx, workspaceId: string, recordId: string): Promise<number> =>
  tx.change(({ knex }) => knex('access_grant').where({ workspace_id: workspaceId, record_id: recordId }).delete())

/** Deletes a user's grants on whole objects; returns their number. */
export const deleteObjectGrantsOfUser = (
  tx: Tx,
  workspaceId: string,
  userId: string,
  object: string,
): Promise<number> =>
  tx.change(({ knex }) =>
    knex('access_grant').where({ workspace_id: workspaceId, grantee_id: userId, object }).delete(),
  )

/** Deletes all grants of a user. */
export const deleteGrantsOfUser = (tx: Tx, workspaceId: string, userId: string): Promise<number> =>
  tx.change(({ knex }) => knex('access_grant').where({ workspace_id: workspaceId, grantee_id: userId }).delete())
