import { fieldsMax, mirroredKinds, type FieldSchema, type RelationshipKind, suggestion } from '@kontor/contract'
import type { FaultSink } from '../../records/index.ts'
import { linkEndBetween, type StoredSchema, type WorkspaceSchemas } from '../../schemas/index.ts'
import { nameFault } from '../document/names.ts'
import type { Drafts } from './drafts.ts'

type Path = readonly (string | number)[]
type Relationship = NonNullable<FieldSchema['xSvcRelationship']>

const isToMany = (kind: RelationshipKind): boolean => kind.endsWith('-many')

/** A new relationship from a field of one object; its counterpart is added to the other object if it is missing. */
export type NewEnd = { readonly object: string; readonly field: string; readonly to: Relationship; readonly path: Path }

/** Adds the other end of a new relationship, and stores the links of both under one key. */
export function connect(drafts: Drafts, schemas: WorkspaceSchemas, end: NewEnd, faults: FaultSink): void {
  const { object, field, to, path } = end
  const fault = endFault(drafts, schemas, end)
  if (fault !== undefined) return faults.add([...path, 'xSvcRelationship', fault.at], fault.detail)
  const back: Relationship = { kind: mirroredKinds[to.kind], entity: object, field }
  const there = drafts.properties(to.entity)?.[to.field]
  if (there === undefined) drafts.setField(to.entity, to.field, counterpart(drafts, back))
  else if (!isSame(there.xSvcRelationship, back))
    return faults.add(
      [...path, 'xSvcRelationship', 'field'],
      `Must lead to a field that leads back: {"kind":"${back.kind}","entity":"${object}","field":"${field}"}.`,
    )
  const [own, other] = [drafts.indexName(object, field), drafts.indexName(to.entity, to.field)]
  drafts.setLink(object, field, linkEndBetween(to.kind, own, other))
  drafts.setLink(to.entity, to.field, linkEndBetween(back.kind, other, own))
}

const isSame = (a: Relationship | undefined, b: Relationship): boolean =>
  a?.kind === b.kind && a.entity === b.entity && a.field === b.field

type EndFault = { readonly at: keyof Relationship; readonly detail: string }

function endFault(drafts: Drafts, schemas: WorkspaceSchemas, { object, field, to }: NewEnd): EndFault | undefined {
  const properties = drafts.properties(to.entity)
  if (properties === undefined)
    return { at: 'entity', detail: `There is no object "${to.entity}".${suggestion(to.entity, [...schemas.keys()])}` }
  const name = nameFault(to.field)
  if (name !== undefined) return { at: 'field', detail: name }
  if (to.entity === object && to.field === field)
    return {
      at: 'field',
      detail: 'A relationship of an object with itself requires a second field for the other direction.',
    }
  // In its own object the counterpart may be in the same document; in another it is new like this one.
  if (to.entity !== object && Object.hasOwn(properties, to.field))
    return { at: 'field', detail: `${to.entity} already has a field "${to.field}".` }
  if (!Object.hasOwn(properties, to.field) && Object.keys(properties).length >= fieldsMax)
    return { at: 'entity', detail: `${to.entity} has ${fieldsMax} fields, as many as an object may have.` }
  return readOnlyFault(drafts, object, to)
}

/** Read-only records hold no references: their references are in the other object, or in the links of both. */
function readOnlyFault(drafts: Drafts, object: string, { kind, entity }: Relationship): EndFault | undefined {
  const isReadOnly = (name: string) => drafts.document(name)?.readOnly === true
  if (isReadOnly(entity) && !isToMany(mirroredKinds[kind]))
    return {
      at: 'kind',
      detail: `${entity} records are read-only, so the relationship is many-to-one or many-to-many.`,
    }
  return isReadOnly(object) && !isToMany(kind)
    ? { at: 'kind', detail: `${object} records are read-only, so the relationship is one-to-many or many-to-many.` }
    : undefined
}

/** The default counterpart on the other object. */
function counterpart(drafts: Drafts, back: Relationship): FieldSchema {
  const label = drafts.document(back.entity)?.xSvcLabel
  return {
    type: [isToMany(back.kind) ? 'array' : 'string', 'null'],
    ...(label && { title: isToMany(back.kind) ? label.plural : label.singular }),
    xSvcType: 'reference',
    xSvcRelationship: back,
  }
}

/** Removes the other end of a relationship from its object, unless that object is deleted as well. */
export function disconnect(drafts: Drafts, { xSvcRelationship: to }: FieldSchema, before: StoredSchema): void {
  if (to !== undefined && to.entity !== before.title) drafts.dropField(to.entity, to.field)
}
