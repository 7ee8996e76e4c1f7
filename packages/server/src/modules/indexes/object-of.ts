import { compileObject, type ObjectModel } from '../objects/index.ts'
import type { StoredSchema } from '../schemas/index.ts'

/** The object of a key, by which the index tables know it; undefined where it is gone. */
export function objectOf(schemas: ReadonlyMap<string, StoredSchema>, key: string): ObjectModel | undefined {
  const schema = [...schemas.values()].find(({ keys }) => keys.object === key)
  return schema && compileObject(schema)
}
