import { compileObject, type ObjectModel } from '../../objects/index.ts'
import { storedSchema, type WorkspaceSchemas } from '../../schemas/index.ts'
import type { DraftTarget } from './drafts.ts'
import { effectsOf } from './effects.ts'

/** The effect of a change on what refers to fields: the objects before and after it, and the removed options. */
export function listChangeOf(schemas: WorkspaceSchemas, targets: readonly DraftTarget[]) {
  const before = new Map([...schemas].map(([name, schema]): [string, ObjectModel] => [name, compileObject(schema)]))
  const after = new Map(before)
  for (const { name, document, keys, version, gone } of targets) {
    if (gone) after.delete(name)
    else after.set(name, compileObject(storedSchema(document, keys, version)))
  }
  const clearing = new Map(
    targets.flatMap((target) => (target.gone ? [] : [[target.keys.object, effectsOf(target).clearing] as const])),
  )
  const opens = targets.some(
    ({ name, before: was }) =>
      was !== undefined && after.get(name)?.schema.xSvcAccess.default !== was.xSvcAccess.default,
  )
  return { before, after, changed: new Set(targets.map(({ name }) => name)), opens, clearing }
}
