import { objectsMax, type Change, type NewFieldSchema, type ObjectSchemaInput } from '@kontor/contract'
import { Faults } from '../../records/index.ts'
import type { Sent, WorkspaceSchemas } from '../../schemas/index.ts'
import { creationTargets } from '../change/create.ts'
import { diffSchemas } from '../change/diff.ts'
import { checkFields, checkTogether } from '../document/check-document.ts'
import { objectName } from '../document/names.ts'
import { newDocument } from '../document/new-document.ts'
import { checkIdentity } from './replace.ts'

/** Returns whether an object that does not exist yet may be created under a name. */
export const isNameToCome = (schemas: WorkspaceSchemas, name: string): boolean =>
  !schemas.has(name) && objectName(name.slice('c_'.length)) === name

/**
 * The changes of creating an object by a document, those of related objects included; throws all faults of the
 * document. Renamings are taken as done, since there is no field yet that could have another name.
 */
export function changesOfCreation(
  schemas: WorkspaceSchemas,
  name: string,
  { value, path }: Sent<ObjectSchemaInput>,
): Change[] {
  const faults = new Faults()
  const at = { properties: [...path, 'properties'], required: [...path, 'required'] }
  checkIdentity(name, value, path, faults)
  if (schemas.size >= objectsMax) faults.add(path, `A workspace can have at most ${objectsMax} objects.`)
  const fields = Object.entries(value.properties).map(
    ([field, { xSvcPrevName: _done, ...schema }]): [string, NewFieldSchema] => [field, schema],
  )
  const properties = checkFields(Object.fromEntries(fields), at.properties, faults)
  checkTogether({ properties, required: value.required }, at, faults)
  faults.throwIfAny()
  const { singular = name, plural = name } = value.xSvcLabel ?? {}
  const document = newDocument(name, { name: singular, plural }, properties)
  const targets = creationTargets(schemas, document, 0, at.properties, faults)
  faults.throwIfAny()
  return targets.flatMap((target) =>
    diffSchemas(target.before, target).map((change) => ({ ...change, path: [target.name, ...change.path] })),
  )
}
