import { param, statement } from '../../../db/statement.ts'
import type { ReadTx } from '../../../db/tx.ts'
import { recordColumns, type RecordRow } from '../../records/index.ts'

/** The last record that was looked at. */
export type Place = { readonly at: number; readonly id: string }

const beginning: Place = { at: -1, id: '00000000-0000-0000-0000-000000000000' }

const after = statement<{ workspace_id: string; object: string; at: number; id: string; rows: number }, RecordRow>(({ knex, dialect }) =>
  dialect.limited(
    knex,
    knex('record')
      .select(...recordColumns)
      .where({ workspace_id: param('workspace_id'), object: param('object') })
      .whereNull('deleted_at')
      .where(dialect.tupleAfter(knex, ['created_at', 'id'], [param('at'), param('id')], 'after'))
      .orderBy(['created_at', 'id']),
    param('rows'),
  ),
)

/** The next live records of an object, by the key of its storage, in the order of their creation. */
export const listRecordsAfter = (tx: ReadTx, workspaceId: string, object: string, { at, id }: Place = beginning, rows: number): Promise<RecordRow[]> =>
  tx.all(after, { workspace_id: workspaceId, object, at, id, rows }, { heavy: true })
