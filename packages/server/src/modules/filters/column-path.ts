import { filterHopsMax, suggestion } from '@kontor/contract'
import { defined } from '../../lib/guards.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { principalOf, seesAll } from '../access/index.ts'
import type { Field } from '../fields/index.ts'
import type { WorkspaceSchemas } from '../schemas/index.ts'
import {
  compileObject,
  isToMany,
  linkEndOf,
  relationshipFields,
  columnNames,
  findColumn,
  type ObjectModel,
  type Column,
  type ReferenceGuard,
} from '../objects/index.ts'
import type { GivenCondition, RelationshipStep } from './filter.ts'

/** A column as the caller sees it: a reference to a hidden record is empty, in filters and sorts too. */
export function visibleColumn<C extends Column | undefined>(
  ctx: WorkspaceReadContext,
  schemas: WorkspaceSchemas,
  column: C,
): C {
  const guard = column?.kind === 'field' ? guardOf(ctx, schemas, column.field) : undefined
  return guard === undefined ? column : { ...column, guard }
}

/** Of a call that filters: it may answer that a name or a value in the filter is unknown. */
export type FilterContext = WorkspaceReadContext<'unknown_field' | 'unknown_operator' | 'unknown_value'>

/** The objects of the workspace, and their schemas. */
export type WorkspaceModels = { readonly models: ReadonlyMap<string, ObjectModel>; readonly schemas: WorkspaceSchemas }

/** The relationships to follow, and the column at their end. */
export type ColumnPath = { readonly steps: readonly RelationshipStep[]; readonly column: Column }

/** Follows a dotted path, with or without the leading object, to the column that it ends at. */
export function findColumnPath(
  ctx: FilterContext,
  { models, schemas }: WorkspaceModels,
  object: ObjectModel,
  leaf: GivenCondition,
): ColumnPath {
  const names = leaf.field.split('.')
  if (names.length > 1 && names[0] === object.name && !object.fields.has(object.name)) names.shift()
  // The length is checked here because only now is it known whether the first name is that of the object.
  if (names.length > filterHopsMax + 1)
    throw ctx.fail('invalid_parameter', {
      detail: `A path can follow at most ${filterHopsMax} relationships.`,
      source: leaf.source,
    })
  const steps: RelationshipStep[] = []
  let current = object
  const columnAt = (index: number): Column | undefined =>
    visibleColumn(ctx, schemas, findColumn(current, names.slice(index).join('.')))
  for (const [index, name] of names.slice(0, -1).entries()) {
    const part = columnAt(index)
    if (part !== undefined) return { steps, column: part }
    const field = relationshipFields(current).find((relationship) => relationship.name === name)
    const next = models.get(field?.relationship?.entity ?? '')
    if (field === undefined || next === undefined)
      throw unknownField(
        ctx,
        name,
        relationshipFields(current).map((relationship) => `${relationship.name}.…`),
        leaf,
        current,
      )
    steps.push({
      field,
      linkEnd: linkEndOf(current, field),
      isToMany: isToMany(field),
      target: next,
      principal: principalOf(ctx, next.schema, 'read'),
    })
    current = next
  }
  const column = columnAt(names.length - 1)
  if (column === undefined) throw unknownField(ctx, defined(names.at(-1)), columnNames(current, false), leaf, current)
  return { steps, column }
}

function unknownField(
  ctx: FilterContext,
  name: string,
  allowed: readonly string[],
  { source }: GivenCondition,
  object: ObjectModel,
) {
  return ctx.fail('unknown_field', {
    detail: `${object.name} records cannot be filtered by "${name.slice(0, 64)}".${suggestion(name, allowed)}`,
    source,
    meta: { allowed },
  })
}

/** The guard of a reference field, if the caller may not see every record that it leads to. */
export function guardOf(
  ctx: WorkspaceReadContext,
  schemas: WorkspaceSchemas,
  { relationship }: Field,
): ReferenceGuard | undefined {
  const schema = relationship && schemas.get(relationship.entity)
  if (schema === undefined) return undefined
  const principal = principalOf(ctx, schema, 'name')
  return seesAll(principal) ? undefined : { target: compileObject(schema), principal }
}
