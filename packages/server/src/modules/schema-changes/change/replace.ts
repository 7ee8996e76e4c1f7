import type { FieldSchema } from '@kontor/contract'
import { defined } from '../../../lib/guards.ts'
import { typeOf } from '../../objects/index.ts'
import type { FaultSink } from '../../records/index.ts'
import type { FieldKey, SchemaDocument, StoredSchema, WorkspaceSchemas } from '../../schemas/index.ts'
import { checkLocks } from '../document/locks.ts'
import { Drafts, freshKey, type DraftTarget } from './drafts.ts'
import { connect, disconnect } from './relationships.ts'

type Path = readonly (string | number)[]

/**
 * The new document of an object, its renamed fields with their former names, and the path of its fields in the body.
 */
export type Replacement = {
  readonly document: SchemaDocument
  readonly renames: ReadonlyMap<string, string>
  readonly path: Path
}

/** Translates the faults of a whole document to the path in the body where some of its fields are listed by name. */
export const atFields = (faults: FaultSink, path: Path): FaultSink => ({
  add: (location, detail) => faults.add([...path, ...location.slice(1)], detail),
})

/** The targets of replacing an object's document: the object, and those at the other ends of its relationships. */
export function replacementTargets(
  schemas: WorkspaceSchemas,
  before: StoredSchema,
  { document, renames, path }: Replacement,
  faults: FaultSink,
): DraftTarget[] {
  const renamed = new Set(renames.values())
  const originOf = (name: string): string | undefined =>
    renames.get(name) ?? (Object.hasOwn(before.properties, name) && !renamed.has(name) ? name : undefined)
  checkLocks({ before: before.document, keys: before.keys, next: document, originOf }, path, faults)
  const version = before.version + 1
  const fields = Object.entries(document.properties).map(([name, schema]): [string, FieldKey] => {
    const origin = originOf(name)
    return [name, origin === undefined ? { key: freshKey(name, before) } : keptKey(before, origin, schema)]
  })
  const drafts = new Drafts(schemas)
  drafts.begin(document, { version, object: before.keys.object, fields: Object.fromEntries(fields) })
  const context: Context = {
    schemas,
    before,
    drafts,
    originOf,
    nameOf: new Map(fields.map(([name]) => [originOf(name) ?? '', name])),
    at: [...path, 'properties'],
    faults,
  }
  for (const [name, schema] of Object.entries(before.properties))
    if (!context.nameOf.has(name)) disconnect(drafts, schema, before)
  for (const [name, schema] of Object.entries(document.properties)) relate(context, name, schema)
  return drafts.targets()
}

/**
 * The key of a remaining field. Claims and index rows that the new version cannot use are rebuilt under another name,
 * so that the old ones can be removed at any time. The name derives from the epoch and not from the version, which a
 * withdrawn change leaves to the next one while its claims are still being removed.
 */
function keptKey(before: StoredSchema, origin: string, schema: FieldSchema): FieldKey {
  const key = defined(before.keys.fields[origin])
  const old = defined(before.properties[origin])
  const retyped = typeOf(old).name !== typeOf(schema).name
  const claimed = schema.xSvcUnique === true && (retyped || old.xSvcUnique !== true)
  // The index of a primary field always exists, that of another field only on demand.
  const reindexed = retyped || (old.xSvcPrimary === true) !== (schema.xSvcPrimary === true)
  return {
    ...key,
    ...(claimed && { unique: `${key.key}~u${before.epoch}` }),
    ...(reindexed && { index: `${key.key}~i${before.epoch}` }),
  }
}

type Context = {
  readonly schemas: WorkspaceSchemas
  readonly before: StoredSchema
  readonly drafts: Drafts
  readonly originOf: (field: string) => string | undefined
  /** The current name of each former field. */
  readonly nameOf: ReadonlyMap<string, string>
  readonly at: Path
  readonly faults: FaultSink
}

/** Adds the other end of a new relationship, and updates that of an existing one. */
function relate(context: Context, name: string, schema: FieldSchema): void {
  const { schemas, before, drafts, originOf, at, faults } = context
  const to = schema.xSvcRelationship
  const origin = originOf(name)
  if (origin === undefined) {
    if (to !== undefined)
      connect(drafts, schemas, { object: before.title, field: name, to, path: [...at, name] }, faults)
    return
  }
  const was = defined(before.properties[origin])
  const old = was.xSvcRelationship
  if (leadsToUsers(was) !== leadsToUsers(schema))
    return faults.add(
      [...at, name, 'xSvcType'],
      'A field cannot start or stop referring to users: remove it and add another one.',
    )
  if (old === undefined && to === undefined) return
  if (old === undefined || old.kind !== to?.kind || old.entity !== to.entity)
    return faults.add(
      [...at, name, 'xSvcRelationship'],
      'The kind and the object of a relationship cannot be changed: remove the field and add another one.',
    )
  keepInStep(context, name, schema, { ...old, origin })
}

const leadsToUsers = (schema: FieldSchema): boolean => typeOf(schema).name === 'user_reference'

type OldEnd = NonNullable<FieldSchema['xSvcRelationship']> & { readonly origin: string }

function keepInStep(
  { before, drafts, nameOf, at, faults }: Context,
  name: string,
  schema: FieldSchema,
  old: OldEnd,
): void {
  const withItself = old.entity === before.title
  const back = withItself ? nameOf.get(old.field) : old.field
  const said = schema.xSvcRelationship?.field
  if (back === undefined)
    return faults.add([...at, name], `The other end of this relationship, "${old.field}", is missing: remove both.`)
  if (said !== back && said !== old.field)
    return faults.add(
      [...at, name, 'xSvcRelationship', 'field'],
      `Must be "${back}": the other end is renamed in its own object.`,
    )
  drafts.setField(before.title, name, {
    ...schema,
    xSvcRelationship: { kind: old.kind, entity: old.entity, field: back },
  })
  if (withItself || name === old.origin) return
  const other = drafts.properties(old.entity)?.[old.field]
  if (other?.xSvcRelationship !== undefined)
    drafts.setField(old.entity, old.field, { ...other, xSvcRelationship: { ...other.xSvcRelationship, field: name } })
}

/** The targets of deleting an object: the other ends of its relationships are deleted too. */
export function deletionTargets(schemas: WorkspaceSchemas, before: StoredSchema): DraftTarget[] {
  const drafts = new Drafts(schemas)
  drafts.end(before.title)
  for (const schema of Object.values(before.properties)) disconnect(drafts, schema, before)
  return drafts.targets()
}
