import { param, statement } from '../../db/statement.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'
import type { StoredSchema } from './model.ts'

type SchemaRow = { readonly object: string; readonly version: number; readonly document: StoredSchema }

const currentSchemas = statement<{ workspace_id: string }, SchemaRow>(({ knex }) =>
  knex('schema_version as s')
    .select('s.object', 's.version', 's.document')
    .where('s.workspace_id', param('workspace_id'))
    .whereNotExists(
      knex('schema_version as newer')
        .select('newer.version')
        .where('newer.workspace_id', param('workspace_id'))
        .where('newer.object', knex.ref('s.object'))
        .where('newer.version', '>', knex.ref('s.version')),
    )
    .orderBy('s.object'),
)

/** The newest document of each object of a workspace. */
export const listCurrentSchemas = (tx: ReadTx, workspaceId: string): Promise<SchemaRow[]> => tx.all(currentSchemas, { workspace_id: workspaceId })

type NewSchemas = { readonly workspaceId: string; readonly documents: readonly StoredSchema[]; readonly userId: string; readonly now: number }

export const insertFirstSchemas = (tx: Tx, { workspaceId, documents, userId, now }: NewSchemas): Promise<void> =>
  tx.insert(
    'schema_version',
    documents.map((document) => ({ workspace_id: workspaceId, object: document.title, version: 1, document, created_at: now, created_by: userId })),
  )
