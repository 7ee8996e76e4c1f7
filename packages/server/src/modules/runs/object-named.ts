import type { ReadTx } from '../../db/tx.ts'
import { compileObject, type ObjectModel } from '../objects/index.ts'
import type { SchemaSets, WorkspaceSchemas } from '../schemas/index.ts'

/** Finds an object of a workspace, as its schema is now. */
export async function objectNamed(
  schemaSets: SchemaSets,
  tx: ReadTx,
  workspaceId: string,
  name: string,
): Promise<ObjectModel | undefined> {
  const schemas: WorkspaceSchemas = (await schemaSets.readCurrent(tx, workspaceId)).schemas
  const schema = schemas.get(name)
  return schema && compileObject(schema)
}
