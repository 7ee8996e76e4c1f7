import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { suggestion } from '@kontor/contract'
import { relationshipFields, type ObjectModel } from '../objects/index.ts'
import type { Field } from '../fields/index.ts'

/** A relationship of an object by the name of its field; 404 with the nearest name for an unknown one. */
export function requireRelationship(ctx: WorkspaceReadContext, object: ObjectModel, name: string): Field {
  const all = relationshipFields(object)
  const field = all.find((one) => one.name === name)
  if (field !== undefined) return field
  const names = all.map((one) => one.name)
  throw ctx.fail('not_found', {
    detail: `${object.name} has no relationship "${name.slice(0, 64)}".${suggestion(name, names)}`,
    meta: { allowed: names },
  })
}
