import type { Role } from '@kontor/contract'
import type { RowOf } from '../../db/columns.ts'
import { param, statement } from '../../db/statement.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'

export type WorkspaceRow = Omit<RowOf<'workspace'>, 'settings' | 'inbound_rotation'>

const columns = ['w.id', 'w.organization_id', 'w.slug', 'w.name', 'w.schema_epoch', 'w.created_at'] as const

const slugOf = statement<{ id: string }, { slug: string }>(({ knex }) =>
  knex('workspace').select('slug').where('id', param('id')),
)

/** The slug of a workspace, by its id. */
export const findSlug = async (tx: ReadTx, id: string): Promise<string | undefined> =>
  (await tx.first(slugOf, { id }))?.slug

const bySlug = statement<{ slug: string }, WorkspaceRow>(({ knex }) =>
  knex('workspace as w')
    .select(...columns)
    .where('w.slug', param('slug')),
)

const forChange = statement<{ slug: string }, WorkspaceRow>(({ knex, dialect }) =>
  dialect.locked(
    knex('workspace as w')
      .select(...columns)
      .where('w.slug', param('slug')),
    'change',
  ),
)

const ofMember = statement<{ slug: string; user_id: string }, WorkspaceRow & { role: Role }>(({ knex }) =>
  knex('workspace as w')
    .join('membership as m', 'm.workspace_id', 'w.id')
    .select(...columns, 'm.role')
    .where('w.slug', param('slug'))
    .where('m.user_id', param('user_id')),
)

const ofUser = statement<{ user_id: string }, WorkspaceRow>(({ knex }) =>
  knex('workspace as w')
    .join('membership as m', 'm.workspace_id', 'w.id')
    .select(...columns)
    .where('m.user_id', param('user_id'))
    .orderBy('w.slug'),
)

const rename = statement<{ id: string; name: string }, never>(({ knex }) =>
  knex('workspace')
    .update({ name: param('name') })
    .where('id', param('id')),
)

const epochOf = statement<{ id: string }, { schema_epoch: number }>(({ knex }) =>
  knex('workspace').select('schema_epoch').where('id', param('id')),
)

/** The number of the workspace's current set of schemas. */
export const findSchemaEpoch = async (tx: ReadTx, id: string): Promise<number | undefined> =>
  (await tx.first(epochOf, { id }))?.schema_epoch

export const findWorkspace = (tx: ReadTx, slug: string): Promise<WorkspaceRow | undefined> => tx.first(bySlug, { slug })
export const lockWorkspace = (tx: Tx, slug: string): Promise<WorkspaceRow | undefined> => tx.first(forChange, { slug })
export const findWorkspaceOfMember = (tx: ReadTx, slug: string, userId: string) =>
  tx.first(ofMember, { slug, user_id: userId })
export const listWorkspacesOfUser = (tx: ReadTx, userId: string): Promise<WorkspaceRow[]> =>
  tx.all(ofUser, { user_id: userId })

/** All workspaces of this database with the number of their members, by slug. */
export const listWorkspaces = (tx: ReadTx): Promise<(WorkspaceRow & { readonly members: number })[]> =>
  tx.query(({ knex }) =>
    knex('workspace as w')
      .leftJoin('membership as m', 'm.workspace_id', 'w.id')
      .select(...columns)
      .count('m.user_id as members')
      .groupBy('w.id')
      .orderBy('w.slug'),
  )

export const updateWorkspaceName = (tx: Tx, id: string, name: string): Promise<number> => tx.run(rename, { id, name })
/** Inserts a workspace; false if its slug is taken, even by a transaction of this moment. */
export const insertWorkspace = async (tx: Tx, row: WorkspaceRow): Promise<boolean> =>
  (await tx.insertNew('workspace', [row], ['id'])).length === 1

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
