import { typeName, type ObjectDescription, type RelationshipDescription } from '../../object-description.ts'
import { objectSchemas } from './components.ts'
import { includedPaths } from './includes.ts'
import { mapValues, parameterReference, schemaReference, type Json } from './json.ts'
import { specialiseOperation, type Shared, type Specialised } from './operations.ts'
import { Specialiser } from './specialise.ts'
import type { RelationshipSuffixes } from './suffixes.ts'

/** The shared parts of the documents of all objects, and their collected components. */
export type Workshop = {
  readonly objects: ReadonlyMap<string, ObjectDescription>
  /** The schemas of the contract. */
  readonly contract: Json
  readonly schemas: Record<string, unknown>
  readonly shared: Shared
  readonly suffixes: RelationshipSuffixes
}

/**
 * Which attributes an answer has would depend on `fields`, and no type can say that: users of types get them all.
 * Schemas of a body are named as the parameters are.
 */
const leftOut = { fields: null } as const

const includesOf = (items: Json): Json => ({ type: 'array', items, maxItems: 10 })

const parameter = (name: string, description: string, rest: Json): Json => ({
  name,
  in: 'query',
  required: false,
  description,
  ...rest,
})

const includeParameter = (items: Json): Json =>
  parameter(
    'include',
    'Relationships to include, with dots for depth. Deeper paths than those listed here are possible.',
    { style: 'form', explode: false, schema: includesOf(items) },
  )

const hasIncludes = ({ relationships }: ObjectDescription): boolean => relationships.length > 0

/** The parameters that lists of an object's records have, as components. */
function objectParameters(object: ObjectDescription): Json {
  const type = typeName(object.name)
  return {
    [`${type}_sortColumn`]: parameter('sortOrder[column]', 'Field to sort by.', {
      schema: schemaReference(`${type}Column`),
    }),
    [`${type}_filter`]: parameter(
      'filter',
      'Conditions by field, and along relationships with dots; all must be true. Each member is one ' +
        'complete parameter, brackets included.',
      { style: 'form', explode: true, schema: schemaReference(`${type}Filter`) },
    ),
    ...(hasIncludes(object) && { [`${type}_include`]: includeParameter(schemaReference(`${type}Include`)) }),
  }
}

function specialiserOf(
  { contract, schemas }: Workshop,
  { name, attributes, relationships }: ObjectDescription,
): Specialiser {
  const type = typeName(name)
  return new Specialiser(contract, schemas, {
    object: type,
    components: {
      CrmRecord: schemaReference(`${type}Record`),
      Attributes: schemaReference(`${type}Input`),
      ChangedAttributes: schemaReference(`${type}Change`),
      RelationshipsInput: schemaReference(`${type}Links`),
      ObjectName: { type: 'string', enum: [name] },
      SortColumn: schemaReference(`SortColumnOf${type}`),
      UniqueField: attributes.some(({ unique }) => unique) ? schemaReference(`${type}UniqueField`) : null,
    },
    properties: {
      ...leftOut,
      included: {
        type: 'array',
        items: schemaReference('AnyRecord'),
        description: 'The included records, each once.',
      },
      include: relationships.length > 0 ? includesOf(schemaReference(`${type}Include`)) : null,
    },
  })
}

const reads = (operation: Json): boolean => String(operation['x-kontor-scope']).endsWith(':read')

/** One path of the contract for one object, or for one of its relationships; no path where nothing is left of it. */
function specialisePath(
  item: Json,
  shared: Shared,
  takes: (operation: Json) => boolean,
  to: Specialised,
): Json | undefined {
  const operations = Object.entries(item as Record<string, Json>).filter(([, operation]) => takes(operation))
  return operations.length === 0
    ? undefined
    : Object.fromEntries(operations.map(([method, operation]) => [method, specialiseOperation(operation, shared, to)]))
}

const isRelationshipPath = (path: string): boolean => path.includes('{relationship}')

/** Puts the components into the workshop that paths of this object, and those that lead to it, refer to. */
export function addComponents({ schemas, shared, objects, contract }: Workshop, object: ObjectDescription): void {
  Object.assign(schemas, objectSchemas(object, objects, contract))
  Object.assign(shared.parameters, objectParameters(object))
}

/** The paths of one object; `generic` are those of the contract, by path. */
export function objectPaths(
  workshop: Workshop,
  object: ObjectDescription,
  generic: Readonly<Record<string, Json>>,
): Json {
  const type = typeName(object.name)
  const to: Specialised = {
    specialiser: specialiserOf(workshop, object),
    suffix: type,
    summary: object.label.plural,
    tag: object.name,
    parameters: {
      ...leftOut,
      object: null,
      ...listParameters(type),
      include: hasIncludes(object) ? parameterReference(`${type}_include`) : null,
    },
  }
  const own = Object.entries(generic).flatMap(([path, item]): [string, Json][] => {
    if (isRelationshipPath(path))
      return object.relationships.flatMap((relationship) =>
        relationshipPath(workshop, object, relationship, path, item),
      )
    const specialised = specialisePath(item, workshop.shared, (operation) => reads(operation) || !object.readOnly, to)
    return specialised === undefined ? [] : [[path.replace('{object}', object.name), specialised]]
  })
  return Object.fromEntries(own)
}

const listParameters = (type: string): Json & Record<string, Json> => ({
  'sortOrder[column]': parameterReference(`${type}_sortColumn`),
  filter: parameterReference(`${type}_filter`),
})

/** The links of one relationship: what is listed and linked are records of the object at its other end. */
function relationshipPath(
  workshop: Workshop,
  object: ObjectDescription,
  { name, entity, many, writable, title }: RelationshipDescription,
  path: string,
  item: Json,
): [string, Json][] {
  const target = workshop.objects.get(entity)
  if (target === undefined) return []
  const to: Specialised = {
    specialiser: specialiserOf(workshop, target),
    suffix: workshop.suffixes.of(object.name, name),
    summary: `${object.label.plural}, ${title}`,
    tag: object.name,
    parameters: {
      ...leftOut,
      ...listParameters(typeName(entity)),
      object: null,
      relationship: null,
      include: includeParameter({ type: 'string', enum: includedPaths(target, workshop.objects, name) }),
    },
  }
  // The link to one record is replaced: nothing is added.
  const takes = (operation: Json) =>
    reads(operation) || (writable && !object.readOnly && (many || operation['operationId'] !== 'relationships_add'))
  const specialised = specialisePath(item, workshop.shared, takes, to)
  return specialised === undefined
    ? []
    : [[path.replace('{object}', object.name).replace('{relationship}', name), specialised]]
}

/** Where a path of the contract takes the name of an object, one of those that there are. */
export const withObjectNames = (parameters: Json, names: readonly string[]): Json =>
  mapValues(parameters, (one, name) => (name === 'object' || name === 'entity' ? namesObject(one as Json, names) : one))

/** The example of every workspace may be an object that this one does not have. */
const namesObject = (given: Json, names: readonly string[]): Json => ({
  ...given,
  schema: schemaReference('ObjectName'),
  example: names.includes(String(given['example']))
    ? given['example']
    : (names.find((name) => name.startsWith('c_')) ?? names[0]),
})
