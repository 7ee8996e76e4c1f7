import { limited, tupleAfter } from '../../../db/expressions.ts'
import { param, statement } from '../../../db/statement.ts'
import type { ReadTx } from '../../../db/tx.ts'
import { newestCreation } from '../../indexes/index.ts'
import { recordColumns, type RecordRow } from '../../objects/index.ts'
import type { ChangePayload } from '../change/payload.ts'

type ScanPosition = NonNullable<ChangePayload['place']>

/** A scan of all records of an object, the one at this index of the change. */
type Look = { readonly object: string; readonly index: number; readonly place: ChangePayload['place'] }

/** A batch of records, and where the scan continues: after them, or with the next object. */
type Batch = { readonly records: RecordRow[]; readonly next: ScanPosition }

const beginning = { at: -1, id: '00000000-0000-0000-0000-000000000000' }

type Stretch = { workspace_id: string; object: string; at: number; id: string; until: number; rows: number }

const stretch = statement<Stretch, RecordRow>((sql) =>
  limited(
    sql,
    sql
      .knex('record')
      .select(...recordColumns)
      .where({ workspace_id: param('workspace_id'), object: param('object') })
      .whereNull('deleted_at')
      .where('created_at', '<=', param('until'))
      .where(tupleAfter(sql, ['created_at', 'id'], [param('at'), param('id')], 'after'))
      .orderBy(['created_at', 'id']),
    param('rows'),
  ),
)

/**
 * The next live records of an object in the order of their creation, up to the newest that existed when the scan began.
 * Records created later satisfy the change already, and a scan that followed them might never end.
 */
export async function lookOn(
  tx: ReadTx,
  workspaceId: string,
  { object, index, place }: Look,
  rows: number,
): Promise<Batch> {
  const from = place?.index === index && place.id !== '' ? place : undefined
  const { at, id } = from ?? beginning
  const until = from?.until ?? (await newestCreation(tx, workspaceId, object))
  const records = await tx.all(stretch, { workspace_id: workspaceId, object, at, id, until, rows }, { heavy: true })
  const last = records.at(-1)
  return {
    records,
    next:
      last === undefined || records.length < rows ? behind(index) : { index, at: last.created_at, id: last.id, until },
  }
}

const behind = (index: number): ScanPosition => ({ index: index + 1, at: 0, id: '' })
