import { addToCount } from '../../counters/index.ts'
import type { Tx } from '../../../db/tx.ts'
import { compileObject, type ObjectModel, lockRecords, type RecordRow } from '../../objects/index.ts'
import type { StoredSchema } from '../../schemas/index.ts'
import { writeIndexRows } from '../../indexes/index.ts'
import type { RecordData } from '../../fields/index.ts'

type Projection = {
  readonly workspaceId: string
  readonly schema: StoredSchema
  readonly id: string
  readonly data: RecordData
  readonly now: number
  readonly countId: string
}

/**
 * Creates or updates a read-only record for an entity that is stored elsewhere, such as a member, so that records can
 * refer to it.
 */
export async function putProjection(tx: Tx, { schema, ...projection }: Projection): Promise<void> {
  const object = compileObject(schema)
  const [known] = await lockRecords(tx, projection.workspaceId, object.key, [projection.id], 'change')
  if (known === undefined) await insert(tx, object, projection)
  else if (JSON.stringify(known.data) !== JSON.stringify(projection.data)) await update(tx, object, projection, known)
}

async function insert(
  tx: Tx,
  object: ObjectModel,
  { workspaceId, id, data, now, countId }: Omit<Projection, 'schema'>,
): Promise<void> {
  const row = { id, visibility: 0, data, created_at: now, created_by: null, updated_by: null }
  await tx.insert('record', [
    { workspace_id: workspaceId, object: object.key, owner_id: null, version: 1, updated_at: now, ...row },
  ])
  await writeIndexRows({ tx, workspace: { workspaceId } }, object, [], [row])
  await addToCount(tx, workspaceId, object.key, 1, countId)
}

async function update(
  tx: Tx,
  object: ObjectModel,
  { workspaceId, id, data, now }: Omit<Projection, 'schema'>,
  known: RecordRow,
): Promise<void> {
  await tx.updateByKey(
    'record',
    ['workspace_id', 'id'],
    [{ workspace_id: workspaceId, id, version: known.version + 1, updated_at: Math.max(now, known.updated_at), data }],
  )
  await writeIndexRows({ tx, workspace: { workspaceId } }, object, [known], [{ ...known, data }])
}
