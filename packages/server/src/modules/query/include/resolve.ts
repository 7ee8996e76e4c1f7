import { includeDepthMax, suggestion } from '@kontor/contract'
import { defined } from '../../../lib/guards.ts'
import type { ErrorSource } from '../../../kernel/errors.ts'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { principalOf, type Principal } from '../../access/index.ts'
import { workspaceSchemas } from '../../schemas/index.ts'
import type { Field } from '../../fields/index.ts'
import { compileObject, relationshipFields, type ObjectModel } from '../../objects/index.ts'
import type { LocationOf } from '../../../kernel/error-locations.ts'

/** A relationship to include, and the inclusions of the records at its other end. */
export type Inclusion = {
  readonly field: Field
  readonly target: ObjectModel
  readonly principal: Principal<'read'>
  readonly children: readonly Inclusion[]
}

type IncludeContext = WorkspaceReadContext<'unknown_field'>
type Branch = { readonly field: Field; readonly target: ObjectModel; readonly children: Map<string, Branch> }

/** Parses `include` into a tree: each relationship once, even if several paths contain it. */
export async function resolveInclude(
  ctx: IncludeContext,
  object: ObjectModel,
  paths: readonly string[] | undefined,
  sourceOf: LocationOf,
): Promise<readonly Inclusion[]> {
  if (paths === undefined || paths.length === 0) return []
  const models = new Map(
    [...(await workspaceSchemas(ctx)).values()].map((schema) => [schema.title, compileObject(schema)]),
  )
  const root = new Map<string, Branch>()
  for (const [index, path] of paths.entries()) {
    const steps = path.split('.')
    if (steps.length > includeDepthMax) {
      throw ctx.fail('invalid_parameter', {
        detail: `"${path.slice(0, 100)}" follows more than ${includeDepthMax} relationships.`,
        source: sourceOf(index),
      })
    }
    let [from, branches] = [object, root]
    for (const step of steps) {
      const field = findRelationship(ctx, from, step, sourceOf(index))
      const target = defined(models.get(field.relationship?.entity ?? ''))
      const branch = branches.get(field.name) ?? { field, target, children: new Map<string, Branch>() }
      branches.set(field.name, branch)
      ;[from, branches] = [target, branch.children]
    }
  }
  const grow = (branches: ReadonlyMap<string, Branch>): Inclusion[] =>
    [...branches.values()].map(({ field, target, children }) => ({
      field,
      target,
      principal: principalOf(ctx, target.schema, 'read'),
      children: grow(children),
    }))
  return grow(root)
}

/** Finds a relationship by the field's name, or by the object at its other end if only one relationship leads there. */
function findRelationship(ctx: IncludeContext, object: ObjectModel, name: string, source: ErrorSource): Field {
  const relationships = relationshipFields(object)
  const named = relationships.find((field) => field.name === name)
  if (named !== undefined) return named
  const leading = relationships.filter(({ relationship }) => relationship?.entity === name)
  if (leading.length === 1) return defined(leading[0])
  const allowed = (leading.length > 1 ? leading : relationships).map((field) => field.name)
  throw ctx.fail('unknown_field', {
    detail:
      leading.length > 1
        ? `Several relationships of ${object.name} lead to "${name}": use the name of the field.`
        : `${object.name} has no relationship "${name.slice(0, 64)}".${suggestion(name, allowed)}`,
    source,
    meta: { allowed },
  })
}

/** Every object whose records the answer may contain. */
export const objectsOf = (object: ObjectModel, inclusions: readonly Inclusion[]): ObjectModel[] => [
  object,
  ...inclusions.flatMap(({ target, children }) => objectsOf(target, children)),
]

/** By object, the attributes to answer with. */
export type SparseFields = Readonly<Record<string, readonly string[]>>

/** Checked sparse fields; an object that is missing here shows every attribute. */
export type ShownFields = ReadonlyMap<string, ReadonlySet<string>>

/** Checks `fields[object]=a,b` for the objects that an answer holds records of. */
export function resolveFields(
  ctx: WorkspaceReadContext<'unknown_field'>,
  objects: readonly ObjectModel[],
  fields: SparseFields | undefined,
  sourceOf: LocationOf,
): ShownFields {
  const shown = new Map<string, ReadonlySet<string>>()
  for (const [name, names] of Object.entries(fields ?? {})) {
    const object = objects.find((one) => one.name === name)
    if (object === undefined) throw unknown(ctx, name, [...new Set(objects.map((one) => one.name))], sourceOf(name))
    const allowed = object.attributes.map((field) => field.name)
    const wrong = names.find((one) => !allowed.includes(one) && !one.startsWith('_'))
    if (wrong !== undefined) throw unknown(ctx, wrong, allowed, sourceOf(name))
    shown.set(name, new Set(names))
  }
  return shown
}

const unknown = (
  ctx: WorkspaceReadContext<'unknown_field'>,
  name: string,
  allowed: readonly string[],
  source: ErrorSource,
) =>
  ctx.fail('unknown_field', {
    detail: `There is no field "${name.slice(0, 64)}" to return.${suggestion(name, allowed)}`,
    source,
    meta: { allowed },
  })
