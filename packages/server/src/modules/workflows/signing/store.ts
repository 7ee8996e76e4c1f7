import { param, statement } from '../../../db/statement.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import { workspacesOf } from '../../../db/workspaces.ts'
import type { SealedByKey } from '../../../lib/key-ring.ts'

/** The secrets of a workflow, encrypted; null until it has one. */
export type SealedRow = { readonly id: string; readonly secret: SealedByKey | null }

const one = statement<{ workspace_id: string; id: string }, SealedRow>(({ knex }) =>
  knex('workflow')
    .select('id', 'secret')
    .where({ workspace_id: param('workspace_id'), id: param('id') }),
)

export const findSealed = async (tx: ReadTx, workspaceId: string, id: string): Promise<SealedByKey | undefined> =>
  (await tx.first(one, { workspace_id: workspaceId, id }))?.secret ?? undefined

export const updateSealed = (tx: Tx, workspaceId: string, id: string, secret: SealedByKey): Promise<void> =>
  tx.updateByKey(
    'workflow',
    ['workspace_id', 'id'],
    [{ workspace_id: workspaceId, id, secret, secret_key: secret.key }],
  )

/** The workspaces with workflows whose secrets another key than this one has encrypted. */
export const listSealedByOthers = (tx: ReadTx, key: string): Promise<string[]> =>
  workspacesOf(tx, ({ knex }) => knex('workflow').whereNot({ secret_key: key }))

/** The workflows of a workspace whose secrets another key than this one has encrypted, locked. */
export const lockSealedByOthers = (tx: Tx, workspaceId: string, key: string): Promise<SealedRow[]> =>
  tx.query(({ knex, dialect }) =>
    dialect.locked(
      knex('workflow')
        .select('id', 'secret')
        .where('workspace_id', workspaceId)
        .whereNot({ secret_key: key })
        .orderBy('id'),
      'change',
    ),
  )
