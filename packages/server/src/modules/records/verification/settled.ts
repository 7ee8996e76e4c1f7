import type { ReadTx } from '../../../db/tx.ts'
import { compileObject, type ObjectModel } from '../../objects/index.ts'
import { readSchemas } from '../../schemas/index.ts'

/**
 * Reads the objects of a workspace by the keys of their records, without those whose schema is being changed: their
 * records fit the old schema or the new one until the change ends.
 */
export async function readSettledObjects(tx: ReadTx, workspaceId: string): Promise<ReadonlyMap<string, ObjectModel>> {
  const { schemas } = await readSchemas(tx, workspaceId)
  const objects = [...schemas.values()]
    .filter(({ clearing }) => clearing === undefined)
    .map(compileObject)
    .filter(({ evolution }) => evolution === undefined)
  return new Map(objects.map((object) => [object.key, object]))
}
