import { insertCopies, type CopiedTable } from '../../../db/copied-tables.ts'
import type { Row } from '../../../db/executor.ts'
import type { Database, Tx } from '../../../db/tx.ts'
import { uniqueValues, writeIndexRows } from '../../indexes/index.ts'
import type { RowOf } from '../../../db/columns.ts'
import type { RecordData } from '../../fields/index.ts'
import { compileObject, uniqueName } from '../../objects/index.ts'
import { readSchemas } from '../../schemas/index.ts'
import { inAttempt, type RestoreAttempt } from './attempt.ts'

/** Rows of one transaction, and their bytes: small enough for requests beside it. */
const portionRows = 200
const portionBytes = 2 ** 20

/** Rows in portions. */
export async function* portionsOf(rows: AsyncIterable<Row>): AsyncGenerator<Row[]> {
  let portion: Row[] = []
  let bytes = 0
  for await (const row of rows) {
    portion.push(row)
    bytes += JSON.stringify(row).length
    if (portion.length < portionRows && bytes < portionBytes) continue
    yield portion
    portion = []
    bytes = 0
  }
  if (portion.length > 0) yield portion
}

/** Inserts rows of a table, and what is derived from them. */
export const insertPortion = (database: Database, attempt: RestoreAttempt, copied: CopiedTable, rows: readonly Row[]) =>
  inAttempt(database, attempt, async (tx) => {
    const { workspaceId } = attempt
    await insertCopies(tx, copied, workspaceId, rows)
    if (copied.table === 'record') await insertSideRows(tx, workspaceId, rows as readonly RecordCopy[])
  })

type RecordCopy = RowOf<'record'> & { readonly data: RecordData }

/** Writes the index rows and unique values of live records. Counters are rebuilt at the end. */
async function insertSideRows(tx: Tx, workspaceId: string, rows: readonly RecordCopy[]): Promise<void> {
  const { schemas } = await readSchemas(tx, workspaceId)
  const objects = new Map([...schemas.values()].map(compileObject).map((object) => [object.key, object]))
  const live = rows.filter(({ deleted_at }) => deleted_at === null)
  for (const [key, some] of Map.groupBy(live, (row) => row.object)) {
    const object = objects.get(key)
    // The object was deleted, and a job would have deleted its records.
    if (object === undefined) continue
    await writeIndexRows({ tx, workspace: { workspaceId } }, object, [], some)
    const keys = some.flatMap(({ id, data }) =>
      object.uniques.flatMap((field) =>
        uniqueValues(field, data).map((value) => ({
          workspace_id: workspaceId,
          field: uniqueName(object, field),
          key_value: value,
          record_id: id,
        })),
      ),
    )
    await tx.insert('unique_key', keys)
  }
}
