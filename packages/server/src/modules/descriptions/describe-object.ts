import type { AttributeDescription, JsonSchema, ObjectDescription, RelationshipDescription } from '@kontor/contract'
import { isList } from '../../lib/guards.ts'
import { isToMany, listColumns, relationshipFields, type ObjectModel } from '../objects/index.ts'
import type { Field } from '../fields/index.ts'

/** Describes what a client needs to know of an object, from its schema and its field types. */
export function describeObject(object: ObjectModel): ObjectDescription {
  const { name, schema, readOnly, attributes } = object
  return {
    name,
    label: schema.xSvcLabel,
    description: schema.description ?? schema.xSvcAIDescription,
    readOnly,
    attributes: attributes.map(describeAttribute),
    relationships: relationshipFields(object).map(describeRelationship),
    columns: listColumns(object),
  }
}

function describeAttribute(field: Field): AttributeDescription {
  const { answered, sent } = field.type.shape(field)
  const words = { description: wordsOf(field), ...(field.schema.deprecated === true && { deprecated: true }) }
  const isNeverNull = field.required || field.type.empty !== null
  return {
    name: field.name,
    answered: { ...(isNeverNull ? answered : orNull(answered)), ...words },
    sent: field.readOnly ? undefined : { ...(field.required ? sent : orNull(sent)), ...words },
    required: field.required && field.schema.default === undefined && !field.readOnly,
    unique: field.unique,
  }
}

/** The title and description of a field, and the rules that are not part of its type. */
function wordsOf({ title, schema: { description, default: initial, pattern, multipleOf } }: Field): string {
  const rules = [
    ...(initial === undefined ? [] : [`Filled in where absent: ${JSON.stringify(initial)}.`]),
    ...(pattern === undefined ? [] : [`Must match the pattern ${pattern}`]),
    ...(multipleOf === undefined ? [] : [`Must be a multiple of ${multipleOf}.`]),
  ]
  return [description === undefined ? title : `${title}: ${description}`, ...rules].join('\n\n')
}

/** A JSON schema that also admits null; one without a type already does. */
function orNull({ type, enum: choices, ...rest }: JsonSchema): JsonSchema {
  if (type === undefined) return { ...rest, ...(isList(choices) && { enum: [...choices, null] }) }
  return {
    type: [type, 'null'].flat(),
    ...(isList(choices) && { enum: [...choices, null] }),
    ...rest,
  }
}

const describeRelationship = (field: Field): RelationshipDescription => ({
  name: field.name,
  title: field.title,
  entity: field.relationship?.entity ?? '',
  many: isToMany(field),
  writable: !field.readOnly,
})
