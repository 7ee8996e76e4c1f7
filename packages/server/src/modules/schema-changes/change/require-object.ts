import { failure } from '../../../kernel/errors.ts'
import { suggestion } from '@kontor/contract'
import type { StoredSchema, WorkspaceSchemas } from '../../schemas/index.ts'

/** The schema of an object; 404 with the nearest name if there is none. */
export function requireObject(schemas: WorkspaceSchemas, name: string): StoredSchema {
  const schema = schemas.get(name)
  if (schema === undefined)
    throw failure(
      'not_found',
      `There is no object "${name.slice(0, 64)}" in this workspace.${suggestion(name, [...schemas.keys()])}`,
    )
  return schema
}
