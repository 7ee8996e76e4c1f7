import { suggestion, type FieldSchema, type FieldTypeName, type JsonType, type Change } from '@kontor/contract'
import { derived } from '../../lib/caches.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { principalOf, type Principal, type Permission } from '../access/index.ts'
import {
  visibilityOf,
  workspaceSchemas,
  type Clearing,
  type FieldKey,
  type LinkEnd,
  type SchemaDocument,
  type StoredSchema,
} from '../schemas/index.ts'
import {
  compileChecks,
  fieldTypes,
  pendingChangeOf,
  type Field,
  type FieldType,
  type PendingSchemaChange,
  type RecordData,
} from '../fields/index.ts'
import { memberOf, isString } from '../../lib/guards.ts'

/** An object as its schema declares it, compiled once for each version of the schema. */
export type ObjectModel = {
  readonly name: string
  /** The name under which its records are stored; an object made anew under an old name has another key. */
  readonly key: string
  readonly schema: StoredSchema
  readonly fields: ReadonlyMap<string, Field>
  /** Fields that a record carries as attributes, in the schema's order. */
  readonly attributes: readonly Field[]
  readonly uniques: readonly Field[]
  /** To-one references, to records and to users. */
  readonly references: readonly Field[]
  readonly readOnly: boolean
  /** The field in which a record declares its visibility, if the object has one. */
  readonly visibility: Field | undefined
  /** The pending schema change, which every written record must satisfy. */
  readonly evolution: PendingSchemaChange | undefined
}

export const compileObject: (schema: StoredSchema) => ObjectModel = derived(compile)

function compile(schema: StoredSchema): ObjectModel {
  const fields = Object.entries(schema.properties).map(([name, property]) =>
    compileField(name, property, schema, schema.keys.fields[name], schema.clearing),
  )
  const attributes = fields.filter((field) => !isToMany(field))
  const model = {
    name: schema.title,
    key: schema.keys.object,
    schema,
    fields: new Map(fields.map((field) => [field.name, field])),
    attributes,
    uniques: attributes.filter((field) => field.unique),
    references: attributes.filter((field) => field.relationship !== undefined),
    readOnly: schema.readOnly === true,
    visibility: fields.find(({ name }) => name === visibilityOf(schema.keys)),
  }
  return { ...model, evolution: schema.announced && pendingChangeOf(model, compileObject(schema.announced)) }
}

/** Compiles a field of a schema; without a key of its own it is stored under its name. */
export function compileField(
  name: string,
  schema: FieldSchema,
  { required }: Pick<SchemaDocument, 'required'>,
  { key, unique = key, index = key, link }: FieldKey = { key: name },
  clearing: Clearing = {},
): Field {
  const type = typeOf(schema)
  return {
    name,
    key,
    uniqueKey: unique,
    indexKey: index,
    link,
    type,
    title: schema.title ?? name,
    primary: schema.xSvcPrimary === true,
    unique: schema.xSvcUnique === true || schema.xSvcRelationship?.kind === 'one-to-one',
    required: required?.includes(name) === true,
    readOnly: schema.readOnly === true,
    options: schema.enum && new Set(schema.enum.filter((option) => typeof option === 'string')),
    clearing: clearing[key] ?? [],
    checks: compileChecks(schema, type),
    relationship:
      schema.xSvcRelationship ??
      (type.name === 'user_reference' ? { kind: 'many-to-one', entity: 'user', field: undefined } : undefined),
    schema,
  }
}

/** The field type of a schema: the declared one, or the one nearest to plain JSON Schema. */
export const typeOf = (schema: FieldSchema): FieldType => fieldTypes[schema.xSvcType ?? nearestType(schema)]

const nearest: Readonly<Record<Exclude<JsonType, 'null' | 'string'>, FieldTypeName>> = {
  number: 'number',
  integer: 'number',
  boolean: 'checkbox',
  object: 'json',
  array: 'json',
}
const nearestByFormat: Readonly<Record<string, FieldTypeName>> = { date: 'date', 'date-time': 'timestamp', uri: 'url' }

/** The field type for plain JSON Schema without `xSvcType`. */
function nearestType({ type, enum: options, format, maxLength, xSvcRelationship }: FieldSchema): FieldTypeName {
  if (xSvcRelationship !== undefined) return 'reference'
  const [json, ...others] = [type ?? []].flat().filter((name) => name !== 'null')
  if (others.length > 0) return 'json'
  if (options?.every((option) => typeof option === 'string') === true && (json ?? 'string') === 'string')
    return 'select'
  if (json === 'string')
    return nearestByFormat[format ?? ''] ?? ((maxLength ?? 0) > (fieldTypes.text.lengthMax ?? 0) ? 'long_text' : 'text')
  return json === undefined ? 'json' : nearest[json]
}

export const isToMany = (field: Field): boolean =>
  field.relationship?.kind === 'one-to-many' || field.relationship?.kind === 'many-to-many'

/** Relationship fields of an object, in the schema's order. */
export const relationshipFields = (object: ObjectModel): Field[] =>
  [...object.fields.values()].filter(({ relationship }) => relationship !== undefined)

/** The name of a field in the index tables; unlike its own name it never changes. */
export const indexedField = (object: Pick<ObjectModel, 'key'>, field: Pick<Field, 'indexKey'>): string =>
  `${object.key}.${field.indexKey}`

/** The name under which the values of a unique field are claimed. */
export const uniqueName = (object: Pick<ObjectModel, 'key'>, field: Pick<Field, 'uniqueKey'>): string =>
  `${object.key}.${field.uniqueKey}`

/**
 * The relationship and end of a field's links; user references have no inverse field, so they have only their own end.
 */
export const linkEndOf = (object: Pick<ObjectModel, 'key'>, field: Field): LinkEnd =>
  field.link ?? { relationship: `${object.key}.${field.key}`, end: 'from_id' }

/** The end of the links that holds the related records. */
export const otherEnd = ({ end }: LinkEnd): LinkEnd['end'] => (end === 'from_id' ? 'to_id' : 'from_id')

/** Every object of the workspace by its name. */
export const listObjects = async (ctx: WorkspaceReadContext): Promise<ReadonlyMap<string, ObjectModel>> =>
  new Map([...(await workspaceSchemas(ctx))].map(([name, schema]) => [name, compileObject(schema)]))

/** An object, and the principal for its records. */
export type ObjectAccess<N extends Permission = Permission> = {
  readonly object: ObjectModel
  readonly principal: Principal<N>
}

/** The principal for an object; 403 if the scopes of the credential exclude it. */
export const objectAccess = <N extends Permission>(
  ctx: WorkspaceReadContext,
  object: ObjectModel,
  need: N,
): ObjectAccess<N> => ({ object, principal: principalOf(ctx, object.schema, need) })

/**
 * The object named by a path, and the principal; 404 with the nearest name if there is none, 403 if the scopes of the
 * credential exclude it.
 */
export async function findObject<N extends Permission>(
  ctx: WorkspaceReadContext,
  name: string,
  need: N,
): Promise<ObjectAccess<N>> {
  const schemas = await workspaceSchemas(ctx)
  const schema = schemas.get(name)
  if (schema === undefined) {
    throw ctx.fail('not_found', {
      detail: `There is no object "${name.slice(0, 64)}" in this workspace.${suggestion(name, [...schemas.keys()])}`,
    })
  }
  return objectAccess(ctx, compileObject(schema), need)
}

/** The text of a primary field, as lists show it. */
export function fieldTitle({ type }: Pick<Field, 'type'>, value: unknown): string {
  const shown = type.path.reduce<unknown>(memberOf, value ?? undefined)
  return typeof shown === 'string' ? shown : ''
}

/** Returns the title of a record: the texts of its primary fields. */
export const recordTitle = ({ attributes }: ObjectModel, data: RecordData): string =>
  attributes
    .filter(({ primary }) => primary)
    .map((field) => fieldTitle(field, data[field.key]))
    .filter((text) => text !== '')
    .join(' ')

const userFields = ({ references }: ObjectModel) => references.filter(({ type }) => type.name === 'user_reference')

/** The users in charge of a record: the ones that its fields name, such as its owner or assignee. */
export const usersIn = (object: ObjectModel, data: RecordData): string[] =>
  userFields(object)
    .map(({ key }) => data[key])
    .filter(isString)

/** The users whom changes put in charge of a record. */
export function usersNamedIn(object: ObjectModel, diff: readonly Change[]): string[] {
  const names = new Set<unknown>(userFields(object).map(({ name }) => name))
  return diff.flatMap(({ path, val }) => (names.has(path[0]) && isString(val) ? [val] : []))
}
