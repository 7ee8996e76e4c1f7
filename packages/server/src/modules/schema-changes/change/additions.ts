import { mirroredKinds, type FieldSchema, type NewFieldSchema, suggestion } from '@kontor/contract'
import { defined } from '../../../lib/guards.ts'
import { Faults } from '../../records/index.ts'
import type { SchemaDocument, Sent, StoredSchema, WorkspaceSchemas } from '../../schemas/index.ts'
import { atFields, replacementTargets } from './replace.ts'
import type { DraftTarget } from './drafts.ts'
import { checkFields, checkTogether } from '../document/check-document.ts'

type Fields = Readonly<Record<string, NewFieldSchema>>
export type SentFields = Sent<Fields>
/** By object, the field at each end of a relationship. */
export type SentEnds = Sent<Readonly<Record<string, Fields>>>
type Path = Sent<unknown>['path']
type Relationship = NonNullable<FieldSchema['xSvcRelationship']>

/** The targets of adding fields to an object; at `path` the body lists them by name. */
export function additionTargets(
  schemas: WorkspaceSchemas,
  schema: StoredSchema,
  fields: Fields,
  path: Path,
  faults: Faults,
): DraftTarget[] {
  const added = checkFields(fields, path, faults)
  for (const field of Object.keys(added)) {
    if (Object.hasOwn(schema.properties, field))
      faults.add([...path, field], `${schema.title} already has a field "${field}".`)
  }
  faults.throwIfAny()
  const document: SchemaDocument = { ...schema.document, properties: { ...schema.document.properties, ...added } }
  checkTogether(document, { properties: path, required: path }, faults)
  faults.throwIfAny()
  return replacementTargets(schemas, schema, { document, renames: new Map(), path: [] }, atFields(faults, path))
}

/** The targets of adding a relationship, with both of its ends. The body names one or both of them. */
export function relationshipTargets(schemas: WorkspaceSchemas, name: string, { value, path }: SentEnds): DraftTarget[] {
  const faults = new Faults()
  const { object, field, schema, back } = endsOf(schemas, name, value, path, faults)
  const own = defined(schemas.get(object))
  const withItself = back !== undefined && back.object === object
  const targets = additionTargets(
    schemas,
    own,
    { [field]: schema, ...(withItself && { [back.field]: back.schema }) },
    [...path, object],
    faults,
  )
  faults.throwIfAny()
  return back === undefined || withItself
    ? targets
    : targets.map((target) => (target.name === back.object ? withEnd(target, back) : target))
}

type End = { readonly object: string; readonly field: string; readonly schema: NewFieldSchema }
/** The other end in canonical form. */
type CheckedEnd = End & { readonly schema: FieldSchema }
type Ends = End & { readonly back: CheckedEnd | undefined }

/**
 * The end of the object in the path, and the other one if it is given; throws if they do not belong to one
 * relationship.
 */
function endsOf(
  schemas: WorkspaceSchemas,
  name: string,
  given: Readonly<Record<string, Fields>>,
  path: Path,
  faults: Faults,
): Ends {
  const ends = Object.entries(given).flatMap(([object, fields]) =>
    Object.entries(fields).map(([field, schema]): End => ({ object, field, schema })),
  )
  for (const object of Object.keys(given))
    if (!schemas.has(object))
      faults.add([...path, object], `There is no object "${object}".${suggestion(object, [...schemas.keys()])}`)
  for (const { object, field, schema } of ends)
    if (schema.xSvcRelationship === undefined)
      faults.add(
        [...path, object, field, 'xSvcRelationship'],
        'An end of a relationship requires {kind, entity, field}.',
      )
  const own = ends.find(({ object }) => object === name)
  if (own === undefined) faults.add([...path], `One end must be a field of ${name}, the object in the path.`)
  if (ends.length > 2) faults.add([...path], 'A relationship has two ends.')
  const back = ends.find((end) => end !== own)
  const to = own?.schema.xSvcRelationship
  if (back !== undefined && to !== undefined && (back.object !== to.entity || back.field !== to.field))
    faults.add([...path, back.object, back.field], `Must be ${to.entity}.${to.field}, where the other end leads to.`)
  faults.throwIfAny()
  const checked =
    own !== undefined && to !== undefined && back !== undefined
      ? checkBack(own, to, back, [...path, back.object], faults)
      : undefined
  faults.throwIfAny()
  return { ...defined(own), back: checked }
}

/** Checks the other end, at a path, against its counterpart. */
function checkBack(own: End, to: Relationship, back: End, path: Path, faults: Faults): CheckedEnd {
  const { [back.field]: schema } = checkFields({ [back.field]: back.schema }, path, faults)
  const there = back.schema.xSvcRelationship
  const at = [...path, back.field, 'xSvcRelationship']
  if (there?.entity !== own.object || there.field !== own.field)
    faults.add(at, `Must lead to ${own.object}.${own.field}, the other end.`)
  else if (there.kind !== mirroredKinds[to.kind])
    faults.add([...at, 'kind'], `Must be "${mirroredKinds[to.kind]}", the other side of ${to.kind}.`)
  return { ...back, schema: defined(schema) }
}

/** Replaces the default counterpart by the end that was given. */
function withEnd(target: DraftTarget, { field, schema }: CheckedEnd): DraftTarget {
  const made = target.document.properties[field]
  return {
    ...target,
    document: { ...target.document, properties: { ...target.document.properties, [field]: { ...made, ...schema } } },
  }
}
