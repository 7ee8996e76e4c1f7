import type { Role, WorkspaceSettings } from '@kontor/contract'
import type { RowOf } from '../../db/columns.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'
import { defined } from '../../lib/guards.ts'

/** Columns of a workspace that its bundle has. */
type BundledWorkspace = Pick<RowOf<'workspace'>, 'id' | 'slug' | 'name' | 'schema_epoch' | 'created_at'> & {
  readonly settings: Partial<WorkspaceSettings>
}

export const findBundledWorkspace = async (tx: ReadTx, id: string): Promise<BundledWorkspace> =>
  defined(
    (
      await tx.query<BundledWorkspace>(({ knex }) =>
        knex('workspace').select('id', 'slug', 'name', 'schema_epoch', 'created_at', 'settings').where('id', id),
      )
    )[0],
  )

/** A member, as bundles name them. */
export type BundledMember = Pick<RowOf<'app_user'>, 'id' | 'email' | 'name'> & {
  readonly role: Role
  readonly joined_at: number
}

export const listMembers = async (tx: ReadTx, workspaceId: string): Promise<BundledMember[]> =>
  tx.query<BundledMember>(({ knex }) =>
    knex('membership as m')
      .join('app_user as u', 'u.id', 'm.user_id')
      .select('u.id', 'u.email', 'u.name', 'm.role', 'm.created_at as joined_at')
      .where('m.workspace_id', workspaceId)
      .orderBy('u.id'),
  )

/** Returns whether a change of schemas is being prepared, or cleaned up after. */
export const isSchemaChanging = async (tx: ReadTx, workspaceId: string): Promise<boolean> =>
  (await tx.query(({ knex }) => knex('schema_target').select('object').where('workspace_id', workspaceId).limit(1)))
    .length > 0

export const putSettings = (tx: Tx, id: string, settings: Readonly<Record<string, unknown>>): Promise<void> =>
  tx.updateByKey('workspace', ['id'], [{ id, settings }])

/** Locks a workspace that is being restored under a slug of the attempt; false if another attempt has begun since. */
export const lockAttempt = async (tx: Tx, id: string, slug: string): Promise<boolean> =>
  (await tx.query(({ knex, dialect }) => dialect.locked(knex('workspace').select('id').where({ id, slug }), 'change')))
    .length > 0

/** Gives a restored workspace its slug. */
export const putInPlace = (tx: Tx, id: string, slug: string): Promise<void> => {
  tx.publish('access')
  return tx.updateByKey('workspace', ['id'], [{ id, slug }])
}

export const removeWorkspace = (tx: Tx, id: string): Promise<void> => tx.deleteByKey('workspace', [{ id }])
