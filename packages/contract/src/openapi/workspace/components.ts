import {
  typeName,
  type AttributeDescription,
  type JsonSchema,
  type ObjectDescription,
  type RelationshipDescription,
} from '../../object-description.ts'
import { includedPaths } from './includes.ts'
import { objectAt, schemaReference, type Json } from './json.ts'

const closedObject = (properties: Json, required: readonly string[] = Object.keys(properties)): Json => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  additionalProperties: false,
})

const typeOf = ({ name }: Pick<ObjectDescription, 'name'>): Json => ({ type: 'string', enum: [name] })

const id: Json = { type: 'string', minLength: 1 }

/** Attributes of a record in a response beside those of its schema, as the contract declares them. */
type SystemAttributes = { readonly properties: Json; readonly required: readonly string[] }

function systemAttributes(schemas: Json): SystemAttributes {
  const attributes = objectAt(objectAt(objectAt(schemas, 'CrmRecord'), 'properties'), 'attributes')
  return { properties: objectAt(attributes, 'properties'), required: attributes['required'] as string[] }
}

function attributeSchema(object: ObjectDescription, system: SystemAttributes): Json {
  const own = Object.fromEntries(object.attributes.map(({ name, answered }) => [name, answered]))
  return {
    type: 'object',
    properties: { ...system.properties, ...own },
    required: [...system.required, ...Object.keys(own)],
  }
}

const written = (given: readonly AttributeDescription[]): Json =>
  Object.fromEntries(
    given.flatMap(({ name, sent }): [string, JsonSchema][] => (sent === undefined ? [] : [[name, sent]])),
  )

/** To-one relationships are in every answer, to-many ones where they were included. */
function relationshipSchema({ relationships: all }: ObjectDescription): Json {
  const properties = Object.fromEntries(
    all.map(({ name, entity, many }) => [
      name,
      schemaReference(`${typeName(entity)}${many ? 'RelatedMany' : 'RelatedOne'}`),
    ]),
  )
  return { type: 'object', properties, required: all.filter(({ many }) => !many).map(({ name }) => name) }
}

const links = (all: readonly RelationshipDescription[]): Json =>
  closedObject(
    Object.fromEntries(
      all
        .filter(({ writable }) => writable)
        .map(({ name, entity, many, title }) => {
          const reference = schemaReference(`${typeName(entity)}Reference`)
          const data = many
            ? { type: 'array', items: reference, maxItems: 1000 }
            : { anyOf: [reference, { type: 'null' }] }
          return [name, { ...closedObject({ data }), description: title }]
        }),
    ),
    [],
  )

const anyValue: Json = { type: ['string', 'number', 'boolean'] }

/** The conditions on the object's own fields by name, and any other: along relationships there are too many to name. */
function filter({ columns }: ObjectDescription): Json {
  const conditions = columns.flatMap(({ name, operators }) => [
    `filter[${name}]`,
    ...operators.map((operator) => `filter[${name}][${operator}]`),
  ])
  return {
    type: 'object',
    properties: Object.fromEntries(conditions.map((condition) => [condition, anyValue])),
    additionalProperties: anyValue,
  }
}

const oneOf = (names: readonly string[]): Json => ({ type: 'string', enum: names })

/** The schemas of one object by their names; what has no name to offer is left out. */
export function objectSchemas(
  object: ObjectDescription,
  objects: ReadonlyMap<string, ObjectDescription>,
  contract: Json,
): Json {
  const type = typeName(object.name)
  const related = objectAt(objectAt(contract, 'RelatedRecords'), 'properties')
  const record = {
    type: typeOf(object),
    id,
    attributes: schemaReference(`${type}Attributes`),
    relationships: schemaReference(`${type}Relationships`),
  }
  const unique = object.attributes.filter((attribute) => attribute.unique).map(({ name }) => name)
  const sorted = object.columns.filter(({ sortable }) => sortable).map(({ name }) => name)
  const included = includedPaths(object, objects)
  const required = object.attributes.filter((attribute) => attribute.required).map(({ name }) => name)
  const words = [object.label.singular, object.description].filter(Boolean).join(': ')
  return {
    [`${type}Record`]: { type: 'object', properties: record, required: Object.keys(record), description: words },
    [`${type}Attributes`]: attributeSchema(object, systemAttributes(contract)),
    [`${type}Relationships`]: relationshipSchema(object),
    [`${type}Related`]: {
      type: 'object',
      properties: record,
      required: ['type', 'id'],
      description: 'An identifier; with attributes and relationships where the record was included.',
    },
    [`${type}RelatedOne`]: {
      type: 'object',
      properties: { data: { anyOf: [schemaReference(`${type}Related`), { type: 'null' }] } },
      required: ['data'],
    },
    [`${type}RelatedMany`]: {
      type: 'object',
      properties: {
        data: { type: 'array', items: schemaReference(`${type}Related`) },
        meta: related['meta'],
        links: related['links'],
      },
      required: ['data', 'meta'],
    },
    [`${type}Reference`]: closedObject({ type: typeOf(object), id }),
    [`${type}Input`]: {
      ...closedObject(written(object.attributes), required),
      description: 'The attributes of a new record.',
    },
    [`${type}Change`]: {
      ...closedObject(written(object.attributes), []),
      description: 'The attributes to change; omitted attributes stay, `null` clears.',
    },
    [`${type}Links`]: links(object.relationships),
    [`${type}Filter`]: filter(object),
    [`SortColumnOf${type}`]: closedObject({ column: schemaReference(`${type}Column`), dir: oneOf(['ASC', 'DESC']) }),
    [`${type}Column`]: oneOf(sorted),
    ...(unique.length > 0 && { [`${type}UniqueField`]: oneOf(unique) }),
    ...(included.length > 0 && { [`${type}Include`]: oneOf(included) }),
  }
}

/** The names of all objects. */
export const objectNames = (objects: readonly ObjectDescription[]): Json => oneOf(objects.map(({ name }) => name))

/** A record of any object, told apart by its type. */
export function anyRecord(objects: readonly ObjectDescription[]): Json {
  const references = objects.map(({ name }) => [name, `#/components/schemas/${typeName(name)}Record`] as const)
  return {
    oneOf: references.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: 'type', mapping: Object.fromEntries(references) },
    description: 'A record of any object.',
  }
}
