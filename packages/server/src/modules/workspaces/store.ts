import type { Role } from '@kontor/contract'
import type { RowOf } from '../../db/columns.ts'
import { finder, lister, rowsOf } from '../../db/rows.ts'
import { param, statement } from '../../db/statement.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'
import type { Sql } from '../../db/sql.ts'

export type WorkspaceRow = Omit<RowOf<'workspace'>, 'settings' | 'inbound_rotation'>

const columns = ['id', 'organization_id', 'slug', 'name', 'schema_epoch', 'created_at'] as const

const ownColumns = columns.map((column) => `w.${column}`)

const workspaces = rowsOf<WorkspaceRow>('workspace', columns)

export const findWorkspace = workspaces.find('slug')

export const lockWorkspace = workspaces.lock('change', 'slug')

export const updateWorkspace = workspaces.update('id')

const slugOf = statement<{ id: string }, { slug: string }>(({ knex }) =>
  knex('workspace').select('slug').where('id', param('id')),
)

/** The slug of a workspace, by its id. */
export const findSlug = async (tx: ReadTx, id: string): Promise<string | undefined> =>
  (await tx.first(slugOf, { id }))?.slug

const nameOf = statement<{ id: string }, { name: string }>(({ knex }) =>
  knex('workspace').select('name').where('id', param('id')),
)

/** The name of a workspace, by its id. */
export const findWorkspaceName = async (tx: ReadTx, id: string): Promise<string | undefined> =>
  (await tx.first(nameOf, { id }))?.name

export const findWorkspaceOfMember = finder<[slug: string, userId: string], WorkspaceRow & { readonly role: Role }>(
  ({ knex }, slug, userId) =>
    knex('workspace as w')
      .join('membership as m', 'm.workspace_id', 'w.id')
      .select(...ownColumns, 'm.role')
      .where('w.slug', slug)
      .where('m.user_id', userId),
)

export const listWorkspacesOfUser = lister<[userId: string], WorkspaceRow>(({ knex }, userId) =>
  knex('workspace as w')
    .join('membership as m', 'm.workspace_id', 'w.id')
    .select(ownColumns)
    .where('m.user_id', userId)
    .orderBy('w.slug'),
)

const epochOf = statement<{ id: string }, { schema_epoch: number }>(({ knex }) =>
  knex('workspace').select('schema_epoch').where('id', param('id')),
)

/** The number of the workspace's current set of schemas. */
export const findSchemaEpoch = async (tx: ReadTx, id: string): Promise<number | undefined> =>
  (await tx.first(epochOf, { id }))?.schema_epoch

/** All workspaces of this database with the number of their members, by slug. */
export const listWorkspaces = (tx: ReadTx): Promise<(WorkspaceRow & { readonly members: number })[]> =>
  tx.query(({ knex }) =>
    knex('workspace as w')
      .leftJoin('membership as m', 'm.workspace_id', 'w.id')
      .select(ownColumns)
      .count('m.user_id as members')
      .groupBy('w.id')
      .orderBy('w.slug'),
  )

/** Inserts a workspace; false if its slug is taken, even by a transaction of this moment. */
export const insertWorkspace = workspaces.insertNew

/** Returns whether the database has a workspace. */
export const hasWorkspaces = async (tx: ReadTx): Promise<boolean> =>
  (await tx.query(({ knex }) => knex('workspace').select('id').limit(1))).length > 0

/** Returns the slugs of some workspaces by their ids. */
export async function listSlugs(tx: ReadTx, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.query<{ id: string; slug: string }>(({ knex, dialect }) =>
    knex('workspace').select('id', 'slug').where(dialect.oneOf('id', ids)),
  )
  return new Map(rows.map(({ id, slug }) => [id, slug]))
}

type Row = { readonly inbound_rotation: number }

/** Selects how often the address for inbound e-mail has been replaced. */
const one = ({ knex }: Sql) => knex('workspace').select('inbound_rotation').where('id', param('id'))

const found = statement<{ id: string }, Row>(one)
const locked = statement<{ id: string }, Row>((sql) => sql.dialect.locked(one(sql), 'change'))

/** Finds the number of replacements of the address for inbound e-mail; undefined if the workspace is gone. */
export const findInboundRotation = async (tx: ReadTx, workspaceId: string): Promise<number | undefined> =>
  (await tx.first(found, { id: workspaceId }))?.inbound_rotation

/** Replaces the address: what was sent to the one before is taken no more. */
export async function rotateInbound(tx: Tx, workspaceId: string): Promise<number> {
  const rotation = ((await tx.first(locked, { id: workspaceId }))?.inbound_rotation ?? 0) + 1
  await tx.updateByKey('workspace', ['id'], [{ id: workspaceId, inbound_rotation: rotation }])
  return rotation
}
