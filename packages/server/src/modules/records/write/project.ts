import { addToCount } from '../../../db/counters.ts'
import type { Tx } from '../../../db/tx.ts'
import { compileObject } from '../object.ts'
import type { StoredSchema } from '../../schemas/index.ts'
import { writeIndexRows } from '../indexes/write.ts'
import type { RecordData } from '../store.ts'

type Projection = { readonly workspaceId: string; readonly schema: StoredSchema; readonly id: string; readonly data: RecordData; readonly now: number; readonly countId: string }

/** Makes something that lives elsewhere, such as a member, a read-only record, so that records can refer to it. */
export async function insertProjection(tx: Tx, { workspaceId, schema, id, data, now, countId }: Projection): Promise<void> {
  const object = compileObject(schema)
  const row = { id, visibility: 0, data, created_at: now, created_by: null, updated_by: null }
  await tx.insert('record', [
    { workspace_id: workspaceId, object: object.key, owner_id: null, version: 1, updated_at: now, ...row },
  ])
  await writeIndexRows({ tx, workspace: { workspaceId }, afterCommit: () => undefined }, object, [], [row])
  await addToCount(tx, workspaceId, object.key, 1, countId)
}
